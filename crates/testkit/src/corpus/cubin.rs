//! The sections of a cubin: what two of them must have in common to be the same machine code.
//!
//! Some things in a cubin follow from the layout of the PTX text and are not compared as bytes: a variable that
//! is local to a function is called `$name__17` in relocatable code, where 17 is the line of its declaration;
//! with line information, the section of debug data that quotes the text is called after a hash of it; and so
//! the string tables differ. Symbols are compared one by one, without those numbers.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use anyhow::Context;
use object::elf::SectionType;
use object::read::elf::{ElfFile64, ElfSection64, SectionHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol};

use super::store::checksum;

/// The types of sections for global, local and shared memory of relocatable code. They have a size and, like
/// `.bss`, no bytes in the file.
const MEMORY_WITHOUT_BYTES: [SectionType; 3] =
    [SectionType(0x7000_0007), SectionType(0x7000_0009), SectionType(0x7000_000a)];

/// One section, without its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its size.
    pub size: u64,
    /// Type, flags and what they refer to: registers and barriers, among other things.
    header: String,
    /// The hash of its bytes.
    content: String,
}

/// Where two cubins differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A section that the second does not have.
    Missing(String),
    /// A section that only the second has.
    Additional(String),
    /// A section with other bytes.
    Content(String),
    /// A section with other properties.
    Header(String),
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(out, "no {name}"),
            Self::Additional(name) => write!(out, "additional {name}"),
            Self::Content(name) => write!(out, "other bytes in {name}"),
            Self::Header(name) => write!(out, "another header of {name}"),
        }
    }
}

impl Section {
    /// Debug data: where instructions come from, not what they do.
    pub fn is_debug_data(&self) -> bool {
        // From sm_100 on, ptxas writes most sections twice; the second is for its own later use.
        let name = self.name.strip_prefix(".nv.merc").unwrap_or(&self.name);
        let of_table = name.strip_prefix(".rela").or_else(|| name.strip_prefix(".rel"));
        let name = of_table.unwrap_or(name);
        name.starts_with(".debug") || name.starts_with(".nv_debug")
    }

    /// Debug data that quotes the PTX text or counts its lines, which another layout of the text changes.
    pub fn describes_the_ptx_text(&self) -> bool {
        self.is_debug_data() && self.name.contains("nv_debug")
    }
}

/// All sections of a cubin, by name.
pub(crate) fn sections(cubin: &[u8]) -> anyhow::Result<Vec<Section>> {
    let file = ElfFile64::<Endianness>::parse(cubin).context("ptxas wrote no ELF file")?;
    let mut sections = Vec::new();
    for section in file.sections() {
        let unreadable = "a section of the cubin is not readable";
        let name = section.name().context(unreadable)?.to_owned();
        let endian = file.endian();
        let kind = section.elf_section_header().sh_type(endian);
        let (size, content) = match name.as_str() {
            ".strtab" | ".shstrtab" => continue,
            ".symtab" => {
                let symbols = symbols_text(&file)?;
                (symbols.len() as u64, checksum(symbols.as_bytes()))
            }
            ".nv.merc.symtab" => {
                let symbols = without_name_offsets(section.data().context(unreadable)?);
                (section.size(), checksum(&symbols))
            }
            _ if MEMORY_WITHOUT_BYTES.contains(&kind) => (section.size(), String::from("none")),
            _ => (section.size(), checksum(section.data().context(unreadable)?)),
        };
        sections.push(Section { name, size, header: header_text(&section, endian), content });
    }
    if sections.is_empty() {
        anyhow::bail!("the cubin has no sections");
    }
    sections.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(sections)
}

/// All symbols in their order, which relocations count on.
fn symbols_text(file: &ElfFile64<'_, Endianness>) -> anyhow::Result<String> {
    let mut text = String::new();
    for symbol in file.symbols() {
        let name = symbol.name().context("a symbol of the cubin is not readable")?;
        let name = without_number_of_the_text(name);
        let (address, size, flags) = (symbol.address(), symbol.size(), symbol.flags());
        let section = symbol.section();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name} {address:x} {size:x} {section:?} {flags:?}");
    }
    Ok(text)
}

/// A table of symbols without the first field of each, which is a place in a string table.
fn without_name_offsets(symbols: &[u8]) -> Vec<u8> {
    const BYTES_OF_A_SYMBOL: usize = 24;
    const BYTES_OF_AN_OFFSET: usize = 4;
    let fields = symbols.chunks(BYTES_OF_A_SYMBOL);
    fields
        .flat_map(|symbol| symbol.get(BYTES_OF_AN_OFFSET..).unwrap_or_default())
        .copied()
        .collect()
}

/// A symbol without the number that it has from the text: the line of a variable that is local to a function,
/// or the hash of the text that debug data quotes.
fn without_number_of_the_text(name: &str) -> &str {
    let shorter = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_local_variable = name.starts_with('$') && shorter.ends_with("__");
    let quotes_the_text = shorter == ".nv_debug_ptx_txt.";
    if is_local_variable || quotes_the_text { shorter } else { name }
}

fn header_text(section: &ElfSection64<'_, '_, Endianness>, endian: Endianness) -> String {
    let header = section.elf_section_header();
    format!(
        "{:?}.{:?}.{:x}.{:x}",
        header.sh_type(endian),
        header.sh_flags(endian),
        header.sh_info(endian),
        section.align(),
    )
    .replace(' ', "")
}

/// Where the second differs from the first in what `counts` says.
pub(crate) fn differences(
    first: &[Section],
    second: &[Section],
    counts: impl Fn(&Section) -> bool,
) -> Vec<Difference> {
    let by_name = |sections: &[Section]| {
        let mut map: BTreeMap<String, Vec<Section>> = BTreeMap::new();
        for section in sections.iter().filter(|section| counts(section)) {
            map.entry(section.name.clone()).or_default().push(section.clone());
        }
        map
    };
    let (first, mut second) = (by_name(first), by_name(second));
    let mut found = Vec::new();
    for (name, ones) in first {
        let Some(others) = second.remove(&name) else {
            found.push(Difference::Missing(name));
            continue;
        };
        if ones.len() != others.len() {
            found.push(Difference::Missing(name));
            continue;
        }
        for (one, other) in ones.iter().zip(&others) {
            if one.content != other.content || one.size != other.size {
                found.push(Difference::Content(name.clone()));
            } else if one.header != other.header {
                found.push(Difference::Header(name.clone()));
            }
        }
    }
    found.extend(second.into_keys().map(Difference::Additional));
    found
}

/// One line per section, for the store.
pub(crate) fn to_text(sections: &[Section]) -> String {
    let mut text = String::new();
    for Section { name, size, header, content } in sections {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{content} {header} {size} {name}");
    }
    text
}

/// What [`to_text`] wrote; `None` if it is anything else.
pub(crate) fn from_text(text: &str) -> Option<Vec<Section>> {
    let sections: Option<Vec<Section>> = text
        .lines()
        .map(|line| {
            let mut words = line.splitn(4, ' ');
            let mut word = || words.next().map(str::to_owned);
            let (content, header) = (word()?, word()?);
            let (size, name) = (word()?.parse().ok()?, word()?);
            Some(Section { name, size, header, content })
        })
        .collect();
    sections.filter(|sections| !sections.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(name: &str, content: &str) -> Section {
        let size = content.len() as u64;
        Section { name: name.into(), size, header: "1.6.0".into(), content: content.into() }
    }

    #[test]
    fn sections_survive_the_store() {
        let sections = vec![section(".text.k", "a"), section("", "b"), section(".nv.info", "c")];
        assert_eq!(from_text(&to_text(&sections)), Some(sections));
        assert_eq!(from_text(""), None);
        assert_eq!(from_text("half a line"), None);
    }

    #[test]
    fn every_kind_of_difference_is_found() {
        let first = [
            section(".text.a", "1"),
            section(".text.b", "1"),
            section(".text.c", "1"),
            section(".text.d", "1"),
        ];
        let mut second = [
            section(".text.a", "1"),
            section(".text.b", "2"),
            section(".text.c", "1"),
            section(".text.e", "1"),
        ];
        second[2].header = "1.6.1".into();
        let name = |letter: &str| format!(".text.{letter}");
        assert_eq!(
            differences(&first, &second, |_| true),
            [
                Difference::Content(name("b")),
                Difference::Header(name("c")),
                Difference::Missing(name("d")),
                Difference::Additional(name("e")),
            ]
        );
        assert!(differences(&first, &first, |_| true).is_empty());
        assert_eq!(differences(&first, &second, |section| section.name == ".text.a"), []);
    }

    #[test]
    fn only_local_variables_lose_their_line() {
        assert_eq!(without_number_of_the_text("$___ZZ1kPiE4last__365"), "$___ZZ1kPiE4last__");
        assert_eq!(without_number_of_the_text("_Z1k__3"), "_Z1k__3");
        assert_eq!(without_number_of_the_text("$str3"), "$str3");
        let quoted = ".nv_debug_ptx_txt.4214606520";
        assert_eq!(without_number_of_the_text(quoted), ".nv_debug_ptx_txt.");
    }

    #[test]
    fn debug_data_is_not_taken_for_code() {
        for name in
            [".debug_line", ".rela.debug_info", ".rel.nv_debug_line_sass", ".nv_debug_ptx_txt"]
        {
            assert!(section(name, "").is_debug_data(), "{name}");
        }
        for name in [".text.debug", ".nv.info", ".rel.text.k", ".nv.constant0.k", ".symtab"] {
            assert!(!section(name, "").is_debug_data(), "{name}");
        }
        assert!(section(".nv.merc.rela.nv_debug_line_sass", "").is_debug_data());
        assert!(!section(".nv.merc.text.k", "").is_debug_data());
        assert!(section(".nv_debug_ptx_txt", "").describes_the_ptx_text());
        assert!(!section(".debug_line", "").describes_the_ptx_text());
    }
}
