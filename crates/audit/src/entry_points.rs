//! Which entry points of cudart an object carries, and of which version.

use crate::elf::{ElfFile, SymbolTable};
use std::collections::BTreeMap;

/// The versions of cudart that we answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CudartVersion {
    /// CUDA 12.
    V12,
    /// CUDA 13.
    V13,
}

impl CudartVersion {
    /// The name of our library that answers this version.
    pub(crate) fn library(self) -> &'static str {
        match self {
            CudartVersion::V12 => "libcudart.so.12",
            CudartVersion::V13 => "libcudart.so.13",
        }
    }
}

/// What an object has to do with cudart.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Nothing, or it calls a shared cudart.
    NoStaticCudart,
    /// A statically linked cudart of a known version.
    StaticCudart(CudartVersion),
    /// A statically linked cudart of another version.
    OtherCudart,
    /// Kernels, and no trace of the cudart that must have been linked with them.
    Stripped,
}

/// A name that every cudart defines, and that is long enough not to be found by chance.
const REGISTRATION: &[u8] = b"__cudaRegisterFatBinary";

/// Finds out what an object carries. Objects that have nothing to do with CUDA are the many, so
/// what they cost is looked at first: section headers, and one search among the names if the file
/// is not stripped.
pub(crate) fn inspect(file: &ElfFile<'_>) -> Contents {
    if let Some(symbols) = file.symbols()
        && symbols.mentions(REGISTRATION)
        && defines_cudart(&symbols)
    {
        return match version_of(&symbols) {
            Some(version) => Contents::StaticCudart(version),
            None => Contents::OtherCudart,
        };
    }
    if !has_kernels(file) || file.needs_library(b"libcudart.so") || refers_to_cudart(file) {
        Contents::NoStaticCudart
    } else {
        Contents::Stripped
    }
}

/// Whether an object carries kernels.
pub(crate) fn has_kernels(file: &ElfFile<'_>) -> bool {
    file.has_section(b".nv_fatbin") || file.has_section(b".nvFatBinSegment")
}

fn defines_cudart(symbols: &SymbolTable<'_>) -> bool {
    let mut functions = symbols.functions();
    functions.any(|function| function.is_defined && function.name == REGISTRATION)
}

/// A library may leave its cudart to the program that loads it.
fn refers_to_cudart(file: &ElfFile<'_>) -> bool {
    file.dynamic_symbols().is_some_and(|symbols| {
        symbols.mentions(REGISTRATION)
            && symbols
                .functions()
                .any(|function| !function.is_defined && function.name == REGISTRATION)
    })
}

/// Versions differ in what they define: CUDA 12 brought a new `cudaGetDeviceProperties` under
/// another name, which CUDA 13 took back when it also brought the log functions.
fn version_of(symbols: &SymbolTable<'_>) -> Option<CudartVersion> {
    let (mut has_properties_v2, mut has_logs) = (false, false);
    for function in symbols.functions().filter(|function| function.is_defined) {
        has_properties_v2 |= function.name == b"cudaGetDeviceProperties_v2";
        has_logs |= function.name == b"cudaLogsRegisterCallback";
    }
    match (has_properties_v2, has_logs) {
        (true, false) => Some(CudartVersion::V12),
        (false, true) => Some(CudartVersion::V13),
        _ => None,
    }
}

/// The entry points that one of our libraries exports, by name, relative to where it is loaded.
pub(crate) fn exports(file: &ElfFile<'_>) -> BTreeMap<Vec<u8>, u64> {
    let functions = file.dynamic_symbols().into_iter().flat_map(|table| {
        table.functions().filter(|function| function.is_defined).collect::<Vec<_>>()
    });
    functions.map(|function| (function.name.to_vec(), function.address)).collect()
}

/// An entry point to overwrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    /// Where it begins, relative to where the object is loaded.
    pub(crate) from: u64,
    /// How many bytes there are up to the next function.
    pub(crate) room: u64,
    /// Where it has to go, relative to where our library is loaded.
    pub(crate) to: u64,
}

/// The entry points of an object that our library has as well.
pub(crate) fn slots(file: &ElfFile<'_>, exports: &BTreeMap<Vec<u8>, u64>) -> Vec<Slot> {
    let Some(symbols) = file.symbols() else { return Vec::new() };
    let defined = || symbols.functions().filter(|function| function.is_defined);
    let mut starts: Vec<u64> = defined().map(|function| function.address).collect();
    starts.sort_unstable();
    let room = |from: u64| {
        let next = starts.partition_point(|&start| start <= from);
        starts.get(next).map_or(u64::MAX, |next| next - from)
    };
    defined()
        .filter_map(|function| {
            let &to = exports.get(function.name)?;
            Some(Slot { from: function.address, room: room(function.address), to })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compiles C source into a library, and inspects it.
    fn inspect_library(name: &str, source: &str, flags: &[&str]) -> Contents {
        let folder = std::env::temp_dir()
            .join(format!("warpsan-entry-points-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("source.c"), source).expect("a file");
        let compiled = std::process::Command::new("cc")
            .current_dir(&folder)
            .args(["-shared", "-fPIC", "-o", "library.so", "source.c"])
            .args(flags)
            .output()
            .expect("a C compiler");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let data = std::fs::read(folder.join("library.so")).expect("the library");
        std::fs::remove_dir_all(&folder).expect("removed");
        inspect(&ElfFile::parse(&data).expect("an ELF file"))
    }

    const KERNELS: &str =
        "__attribute__((section(\".nv_fatbin\"), used)) const char kernels[8] = \"kernels\";";

    fn with_cudart(mark: &str) -> String {
        format!("{KERNELS} void __cudaRegisterFatBinary(void) {{}} void {mark}(void) {{}}")
    }

    #[test]
    fn versions_differ_in_what_they_define() {
        let old = with_cudart("cudaGetDeviceProperties_v2");
        let found = inspect_library("12", &old, &[]);
        assert_eq!(found, Contents::StaticCudart(CudartVersion::V12));
        let new = with_cudart("cudaLogsRegisterCallback");
        let found = inspect_library("13", &new, &[]);
        assert_eq!(found, Contents::StaticCudart(CudartVersion::V13));
        let other = with_cudart("cudaBindTexture");
        assert_eq!(inspect_library("11", &other, &[]), Contents::OtherCudart);
    }

    #[test]
    fn kernels_without_any_cudart_mean_that_it_was_stripped() {
        // What a static cudart keeps to itself is gone after stripping.
        let hidden = with_cudart("cudaLogsRegisterCallback");
        let flags = ["-s", "-fvisibility=hidden"];
        assert_eq!(inspect_library("stripped", &hidden, &flags), Contents::Stripped);
        let without_kernels = "void function(void) {}";
        assert_eq!(inspect_library("plain", without_kernels, &["-s"]), Contents::NoStaticCudart);
    }

    #[test]
    fn a_library_that_calls_a_cudart_elsewhere_has_none() {
        let source = format!(
            "{KERNELS} void __cudaRegisterFatBinary(void); \
             void start(void) {{ __cudaRegisterFatBinary(); }}"
        );
        assert_eq!(inspect_library("shared", &source, &[]), Contents::NoStaticCudart);
        assert_eq!(inspect_library("shared-stripped", &source, &["-s"]), Contents::NoStaticCudart);
    }

    #[test]
    fn slots_have_the_room_up_to_the_next_function() {
        let exe = std::fs::read("/proc/self/exe").expect("the file of this program");
        let file = ElfFile::parse(&exe).expect("an ELF file");
        let symbols = file.symbols().expect("a symbol table");
        let mut functions: Vec<_> =
            symbols.functions().filter(|function| function.is_defined).collect();
        functions.sort_by_key(|function| function.address);
        functions.dedup_by_key(|function| function.address);
        let middle = functions.len() / 2;
        let (this, next) = (functions[middle], functions[middle + 1]);
        let exports = BTreeMap::from([(this.name.to_vec(), 0x1234)]);
        let room = next.address - this.address;
        let expected = Slot { from: this.address, room, to: 0x1234 };
        assert!(slots(&file, &exports).contains(&expected));
    }
}
