//! One program or library of a checked process, and what its addresses mean.

use super::debug_file;
use super::text_module::TextModule;
use addr2line::Loader;
use object::{Object, ObjectSymbol, ReadCache, SymbolKind};
use std::cell::OnceCell;
use std::fs::File;
use std::path::{Path, PathBuf};
use warpsan_model::{SourceFrame, SourcePosition};

/// A file, read when it is first asked for. One that is missing, stripped or damaged knows less, and is no error.
pub(super) struct Module {
    /// The file is the text of a trace.
    text: Option<TextModule>,
    path: PathBuf,
    /// The last part of its path.
    name: String,
    /// Lines, from its debug information.
    lines: OnceCell<Option<Loader>>,
    /// Names of functions, where the debug information is in another file or missing.
    names: OnceCell<Option<Loader>>,
    variables: OnceCell<Vec<Variable>>,
}

/// A variable of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) start: u64,
    pub(super) bytes: u64,
    pub(super) name: String,
}

impl Module {
    pub(super) fn new(path: &str) -> Module {
        let name = path.rsplit('/').next().unwrap_or(path).to_string();
        Module {
            text: TextModule::of_file(path),
            path: PathBuf::from(path),
            name,
            lines: OnceCell::new(),
            names: OnceCell::new(),
            variables: OnceCell::new(),
        }
    }

    /// The function at an address, with those that it was inlined into, from the inside out. There is always one.
    pub(super) fn frames(&self, offset: u64) -> Vec<SourceFrame> {
        if let Some(text) = &self.text {
            return vec![text.frame(offset)];
        }
        let mut frames = self.frames_with_lines(offset).unwrap_or_default();
        if frames.iter().all(|frame| frame.position.is_none()) {
            frames = vec![SourceFrame { function: self.place(offset).into(), position: None }];
        }
        frames
    }

    fn frames_with_lines(&self, offset: u64) -> Option<Vec<SourceFrame>> {
        let loader = self.lines.get_or_init(|| load(&debug_file::of(&self.path))).as_ref()?;
        let mut found = loader.find_frames(offset).ok()?;
        let mut frames = Vec::new();
        while let Ok(Some(frame)) = found.next() {
            let name = frame.function.as_ref().and_then(|name| name.raw_name().ok());
            let function = match name {
                Some(name) => readable(&name),
                None => self.function(offset).unwrap_or_else(|| self.in_file(offset)),
            };
            let position = frame.location.and_then(position);
            frames.push(SourceFrame { function: function.into(), position });
        }
        Some(frames)
    }

    /// The function at an address, by the symbol table.
    fn function(&self, offset: u64) -> Option<String> {
        let loader = self.names.get_or_init(|| load(&self.path)).as_ref()?;
        loader.find_symbol(offset).map(readable)
    }

    /// A place without a line: the function, if it has a name, and where that is in its file.
    fn place(&self, offset: u64) -> String {
        let in_file = self.in_file(offset);
        match self.function(offset) {
            Some(function) => format!("{function} ({in_file})"),
            None => in_file,
        }
    }

    fn in_file(&self, offset: u64) -> String {
        match self.name.as_str() {
            "" => format!("{offset:#x}"),
            name => format!("{name}+{offset:#x}"),
        }
    }

    /// The variable that an address belongs to.
    pub(super) fn variable(&self, offset: u64) -> Option<&Variable> {
        let of_file = || variables(&self.path).unwrap_or_default();
        let all = match &self.text {
            Some(text) => text.variables(),
            None => self.variables.get_or_init(of_file),
        };
        let behind = all.partition_point(|variable| variable.start <= offset);
        // Symbols may overlap; the last that begins before the address and reaches it is the most precise.
        all[..behind].iter().rev().take(8).find(|one| offset - one.start < one.bytes)
    }
}

/// Reads a file's debug information and symbols, if it is a file at all.
fn load(path: &Path) -> Option<Loader> {
    // Opening something else, such as a pipe, could wait for ever.
    path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Loader::new(path).ok()
}

fn position(location: addr2line::Location<'_>) -> Option<SourcePosition> {
    let line = location.line.filter(|line| *line > 0)?;
    let file = location.file?.replace("/./", "/");
    Some(SourcePosition { file: file.into(), line, column: location.column.unwrap_or(0) })
}

/// A symbol as the programmer wrote it.
fn readable(symbol: &str) -> String {
    match rustc_demangle::try_demangle(symbol) {
        // Without the hash at its end.
        Ok(of_rust) => format!("{of_rust:#}"),
        Err(_) => warpsan_ir::display_name(symbol),
    }
}

fn variables(path: &Path) -> Option<Vec<Variable>> {
    path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let data = ReadCache::new(File::open(path).ok()?);
    let file = object::File::parse(&data).ok()?;
    let symbols = file.symbols().chain(file.dynamic_symbols());
    let variables = symbols.filter(|symbol| {
        symbol.is_definition() && symbol.kind() == SymbolKind::Data && symbol.size() > 0
    });
    let mut all: Vec<Variable> = variables
        .filter_map(|symbol| {
            let name = readable(symbol.name().ok()?);
            Some(Variable { start: symbol.address(), bytes: symbol.size(), name })
        })
        .collect();
    all.sort_by_key(|variable| (variable.start, std::cmp::Reverse(variable.bytes)));
    all.dedup();
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A variable and a function of this very test, by their addresses in its file.
    #[unsafe(no_mangle)]
    static WARPSAN_TEST_VARIABLE: [u32; 4] = [1, 2, 3, 4];

    #[inline(never)]
    #[unsafe(no_mangle)]
    extern "C" fn warpsan_test_function(number: u32) -> u32 {
        std::hint::black_box(number) + WARPSAN_TEST_VARIABLE[2]
    }

    fn own() -> Module {
        Module::new(&std::env::current_exe().expect("this test").to_string_lossy())
    }

    /// An address in memory as the file counts.
    fn offset(address: usize) -> u64 {
        let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: the address is one of this program, and `found` a place for the answer, for which zeros are a value.
        let found = unsafe {
            libc::dladdr(address as *const libc::c_void, found.as_mut_ptr());
            found.assume_init()
        };
        (address - found.dli_fbase as usize) as u64
    }

    #[test]
    fn functions_have_names_and_lines() {
        assert_eq!(warpsan_test_function(1), 4);
        let offset = offset(warpsan_test_function as *const () as usize);
        let frames = own().frames(offset);
        let outermost = frames.last().expect("a frame");
        assert_eq!(&*outermost.function, "warpsan_test_function");
        let position = outermost.position.as_ref().expect("a line");
        assert!(position.file.ends_with("threads/module.rs"), "{position}");
    }

    #[test]
    fn variables_have_names_and_sizes() {
        let inside = offset((&raw const WARPSAN_TEST_VARIABLE[2]) as usize);
        let module = own();
        let found = module.variable(inside).expect("a variable");
        assert_eq!((found.name.as_str(), found.bytes), ("WARPSAN_TEST_VARIABLE", 16));
        assert_eq!(inside - found.start, 8);
        assert_eq!(module.variable(u64::MAX), None);
    }

    #[test]
    fn what_cannot_be_read_is_an_offset() {
        for (path, expected) in [
            ("/no/such/libgone.so", "libgone.so+0x10"),
            ("", "0x10"),
            ("/dev/null", "null+0x10"),
            ("[vdso]", "[vdso]+0x10"),
        ] {
            let frames = Module::new(path).frames(16);
            assert_eq!(frames.len(), 1);
            assert_eq!((&*frames[0].function, &frames[0].position), (expected, &None));
            assert_eq!(Module::new(path).variable(16), None);
        }
    }

    #[test]
    fn names_read_as_written() {
        assert_eq!(readable("_ZN5Queue4pushEi"), "Queue::push");
        assert_eq!(readable("_ZN4core3ptr4read17h0123456789abcdefE"), "core::ptr::read");
        assert_eq!(readable("worker"), "worker");
    }
}
