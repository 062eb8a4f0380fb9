//! What an ELF file says about code that `-fsanitize=thread` has instrumented.
//!
//! Compilers let instrumented code call functions `__tsan_…`. In the dynamic symbol table they can be redirected: they are
//! in a shared runtime, or clang has exported those of its static one. gcc exports none of a static one.

use object::elf::{self, FileHeader64};
use object::read::elf::{Dyn, FileHeader, SectionTable, Sym};
use object::{Endianness, FileKind, ReadCache, ReadRef};
use std::fs::File;
use std::path::Path;

/// Functions that all instrumented code calls.
const ENTRY_POINTS: [&[u8]; 2] = [b"__tsan_init", b"__tsan_func_entry"];

type Sections<'data, R> = SectionTable<'data, FileHeader64<Endianness>, R>;
type Result<T> = std::result::Result<T, object::read::Error>;

/// What counts about a program or library.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DynamicFacts {
    /// It has instrumented code, or is linked with the compiler's runtime.
    pub(super) is_instrumented: bool,
    /// The libraries that it needs.
    pub(super) needed: Vec<String>,
    /// Where it looks for them before anybody else is asked.
    pub(super) search: Vec<String>,
}

impl DynamicFacts {
    /// Those of a file; nothing where it is no 64-bit ELF file, or cannot be read.
    pub(super) fn of_file(path: &Path) -> Option<DynamicFacts> {
        // Opening something else, such as a pipe, could wait for ever.
        if !path.metadata().ok()?.is_file() {
            return None;
        }
        let data = ReadCache::new(File::open(path).ok()?);
        match FileKind::parse(&data) {
            Ok(FileKind::Elf64) => read(&data).ok(),
            _ => None,
        }
    }
}

fn read<'data>(data: impl ReadRef<'data>) -> Result<DynamicFacts> {
    let header = FileHeader64::<Endianness>::parse(data)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, data)?;
    let mut facts = DynamicFacts::default();
    if let Some((entries, strings)) = sections.dynamic(endian, data)? {
        let strings = sections.strings(endian, data, strings)?;
        for entry in entries {
            let text = || {
                let bytes = entry.string(endian, strings).unwrap_or_default();
                String::from_utf8_lossy(bytes).into_owned()
            };
            match entry.tag(endian) {
                elf::DT_NEEDED => facts.needed.push(text()),
                elf::DT_RPATH | elf::DT_RUNPATH => {
                    facts.search.extend(text().split(':').map(str::to_string));
                }
                _ => {}
            }
        }
    }
    let has_runtime = facts.needed.iter().any(|name| is_runtime(name));
    facts.is_instrumented = has_runtime || has_entry(endian, data, &sections, elf::SHT_DYNSYM)?;
    Ok(facts)
}

/// Whether a library is the runtime of `-fsanitize=thread`, of gcc or of clang.
fn is_runtime(name: &str) -> bool {
    name.starts_with("libtsan.so") || name.starts_with("libclang_rt.tsan")
}

/// Whether a program has that runtime in it in a way in which nothing can be put in its place.
pub(crate) fn runtime_is_static<'data, R: ReadRef<'data>>(
    endian: Endianness,
    data: R,
    sections: &Sections<'data, R>,
) -> Result<bool> {
    Ok(has_entry(endian, data, sections, elf::SHT_SYMTAB)?
        && !has_entry(endian, data, sections, elf::SHT_DYNSYM)?)
}

fn has_entry<'data, R: ReadRef<'data>>(
    endian: Endianness,
    data: R,
    sections: &Sections<'data, R>,
    table: elf::SectionType,
) -> Result<bool> {
    let symbols = sections.symbols(endian, data, table)?;
    let names = symbols.strings();
    let is_entry = |symbol: &elf::Sym64<_>| {
        symbol.name(endian, names).is_ok_and(|name| ENTRY_POINTS.contains(&name))
    };
    Ok(symbols.iter().any(is_entry))
}
