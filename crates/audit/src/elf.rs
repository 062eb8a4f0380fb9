//! Just enough of ELF to read section headers and symbol tables. Whatever does not fit inside the
//! file, or is not a 64-bit little-endian file, reads as absent.

/// Section types and symbol types, as in `elf.h`.
const SECTION_SYMBOLS: u32 = 2;
const SECTION_DYNAMIC: u32 = 6;
const SECTION_DYNAMIC_SYMBOLS: u32 = 11;
const SYMBOL_FUNCTION: u8 = 2;
const SYMBOL_INDIRECT_FUNCTION: u8 = 10;
/// The tag of `DT_NEEDED`.
const TAG_NEEDED: u64 = 1;

const SECTION_HEADER_BYTES: usize = 64;
const SYMBOL_BYTES: usize = 24;
const DYNAMIC_ENTRY_BYTES: usize = 16;

/// An ELF file in memory.
#[derive(Clone, Copy)]
pub(crate) struct ElfFile<'data> {
    data: &'data [u8],
    sections: &'data [u8],
    names: &'data [u8],
}

/// A function as a symbol table names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FunctionSymbol<'data> {
    pub(crate) name: &'data [u8],
    /// The address relative to where the object is loaded; 0 where it is not defined here.
    pub(crate) address: u64,
    /// Whether the object defines it, or only refers to it.
    pub(crate) is_defined: bool,
}

/// One of the symbol tables of a file.
#[derive(Clone, Copy)]
pub(crate) struct SymbolTable<'data> {
    symbols: &'data [u8],
    names: &'data [u8],
}

impl<'data> ElfFile<'data> {
    /// Reads the headers.
    pub(crate) fn parse(data: &'data [u8]) -> Option<ElfFile<'data>> {
        let is_elf64_little_endian = data.get(..6)? == [0x7f, b'E', b'L', b'F', 2, 1];
        if !is_elf64_little_endian || usize::from(u16_at(data, 0x3a)?) != SECTION_HEADER_BYTES {
            return None;
        }
        let start = usize::try_from(u64_at(data, 0x28)?).ok()?;
        let count = usize::from(u16_at(data, 0x3c)?);
        let end = start.checked_add(count * SECTION_HEADER_BYTES)?;
        let sections = data.get(start..end)?;
        let mut file = ElfFile { data, sections, names: &[] };
        let names = file.section(usize::from(u16_at(data, 0x3e)?))?;
        file.names = file.contents(names)?;
        Some(file)
    }

    /// Whether there is a section of this name.
    pub(crate) fn has_section(&self, name: &[u8]) -> bool {
        self.all_sections().any(|section| {
            u32_at(section, 0).is_some_and(|offset| text_at(self.names, offset) == Some(name))
        })
    }

    /// The table that linking leaves behind and stripping takes away.
    pub(crate) fn symbols(&self) -> Option<SymbolTable<'data>> {
        self.symbol_table(SECTION_SYMBOLS)
    }

    /// The table that the dynamic linker uses.
    pub(crate) fn dynamic_symbols(&self) -> Option<SymbolTable<'data>> {
        self.symbol_table(SECTION_DYNAMIC_SYMBOLS)
    }

    /// Whether one of the libraries that the file is linked with has a name that begins like this.
    pub(crate) fn needs_library(&self, prefix: &[u8]) -> bool {
        self.needed_libraries().is_some_and(|mut names| names.any(|name| name.starts_with(prefix)))
    }

    fn needed_libraries(&self) -> Option<impl Iterator<Item = &'data [u8]>> {
        let section = self.section_of_type(SECTION_DYNAMIC)?;
        let entries = self.contents(section)?;
        let names = self.linked_contents(section)?;
        Some(entries.chunks_exact(DYNAMIC_ENTRY_BYTES).filter_map(move |entry| {
            let is_needed = u64_at(entry, 0)? == TAG_NEEDED;
            let offset = u32::try_from(u64_at(entry, 8)?).ok()?;
            is_needed.then(|| text_at(names, offset)).flatten()
        }))
    }

    fn symbol_table(&self, kind: u32) -> Option<SymbolTable<'data>> {
        let section = self.section_of_type(kind)?;
        let symbols = self.contents(section)?;
        let names = self.linked_contents(section)?;
        Some(SymbolTable { symbols, names })
    }

    fn all_sections(&self) -> impl Iterator<Item = &'data [u8]> {
        self.sections.chunks_exact(SECTION_HEADER_BYTES)
    }

    fn section(&self, index: usize) -> Option<&'data [u8]> {
        self.all_sections().nth(index)
    }

    fn section_of_type(&self, kind: u32) -> Option<&'data [u8]> {
        self.all_sections().find(|section| u32_at(section, 4) == Some(kind))
    }

    fn contents(&self, section: &[u8]) -> Option<&'data [u8]> {
        let start = usize::try_from(u64_at(section, 0x18)?).ok()?;
        let size = usize::try_from(u64_at(section, 0x20)?).ok()?;
        self.data.get(start..start.checked_add(size)?)
    }

    /// The contents of the section that this one refers to: the names of a symbol table.
    fn linked_contents(&self, section: &[u8]) -> Option<&'data [u8]> {
        let index = usize::try_from(u32_at(section, 0x28)?).ok()?;
        self.contents(self.section(index)?)
    }
}

impl<'data> SymbolTable<'data> {
    /// Whether this text stands somewhere among the names, which is quick to find out.
    pub(crate) fn mentions(&self, name: &[u8]) -> bool {
        contains(self.names, name)
    }

    /// All functions, defined or referred to.
    pub(crate) fn functions(&self) -> impl Iterator<Item = FunctionSymbol<'data>> {
        let names = self.names;
        self.symbols.chunks_exact(SYMBOL_BYTES).filter_map(move |symbol| {
            let kind = symbol.get(4)? & 0xf;
            let is_defined = u16_at(symbol, 6)? != 0;
            // A reference to a function need not say that it is one.
            if is_defined && kind != SYMBOL_FUNCTION || kind == SYMBOL_INDIRECT_FUNCTION {
                return None;
            }
            let name = text_at(names, u32_at(symbol, 0)?)?;
            Some(FunctionSymbol { name, address: u64_at(symbol, 8)?, is_defined })
        })
    }
}

/// Whether `needle` stands in `text`.
fn contains(text: &[u8], needle: &[u8]) -> bool {
    // SAFETY: both pointers are valid for the lengths that go with them.
    let found = unsafe {
        libc::memmem(text.as_ptr().cast(), text.len(), needle.as_ptr().cast(), needle.len())
    };
    !found.is_null()
}

/// The text at an offset of a string table, up to its zero byte.
fn text_at(table: &[u8], offset: u32) -> Option<&[u8]> {
    let rest = table.get(usize::try_from(offset).ok()?..)?;
    let end = rest.iter().position(|&byte| byte == 0)?;
    rest.get(..end)
}

fn u16_at(data: &[u8], offset: usize) -> Option<u16> {
    data.get(offset..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(data: &[u8], offset: usize) -> Option<u32> {
    data.get(offset..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn u64_at(data: &[u8], offset: usize) -> Option<u64> {
    data.get(offset..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function that the test looks for in the file of its own program.
    #[unsafe(no_mangle)]
    extern "C" fn warpsan_audit_landmark() -> u32 {
        42
    }

    fn own_file() -> Vec<u8> {
        std::fs::read("/proc/self/exe").expect("the file of this program")
    }

    #[test]
    fn a_function_of_this_program_is_found_at_its_address() {
        let data = own_file();
        let file = ElfFile::parse(&data).expect("an ELF file");
        let symbols = file.symbols().expect("a symbol table");
        assert!(symbols.mentions(b"warpsan_audit_landmark"));
        let find = |name: &[u8]| {
            let mut functions = symbols.functions().filter(|function| function.is_defined);
            functions.find(|function| function.name == name).expect("the function").address
        };
        // The program is loaded somewhere, but the distance between two functions stays.
        let landmark = warpsan_audit_landmark as *const () as u64;
        let base = landmark - find(b"warpsan_audit_landmark");
        assert_eq!(base % 4096, 0, "objects are loaded at pages");
        assert_eq!(warpsan_audit_landmark(), 42);
    }

    #[test]
    fn sections_libraries_and_references_are_seen() {
        let data = own_file();
        let file = ElfFile::parse(&data).expect("an ELF file");
        assert!(file.has_section(b".text"));
        assert!(!file.has_section(b".nv_fatbin"));
        assert!(file.needs_library(b"libc.so"));
        assert!(!file.needs_library(b"libcudart.so"));
        let dynamic = file.dynamic_symbols().expect("dynamic symbols");
        assert!(dynamic.functions().any(|function| !function.is_defined));
    }

    #[test]
    fn a_damaged_file_reads_as_absent_and_never_panics() {
        let whole = own_file();
        assert!(ElfFile::parse(&whole[..whole.len() - 1]).is_none(), "section headers are cut");
        for length in 0..256 {
            assert!(ElfFile::parse(&whole[..length]).is_none());
        }
        // Headers with every byte replaced in turn: any answer is fine, a panic is not.
        let sections = u64_at(&whole, 0x28).expect("section headers") as usize;
        let places = (0..64).chain(sections..whole.len());
        let mut data = whole.clone();
        for place in places {
            data[place] ^= 0xff;
            if let Some(file) = ElfFile::parse(&data) {
                file.has_section(b".nv_fatbin");
                file.needs_library(b"libcudart.so");
                let symbols = file.symbols().into_iter().chain(file.dynamic_symbols());
                symbols.for_each(|table| _ = table.functions().take(64).count());
            }
            data[place] = whole[place];
        }
    }

    #[test]
    fn what_is_no_elf_file_is_refused() {
        assert!(ElfFile::parse(b"#!/bin/sh\nexit 0\n").is_none());
        assert!(ElfFile::parse(b"").is_none());
    }
}
