//! Programs that cannot be entered, recognised before they are started.
//!
//! Our libraries get into a program through its dynamic linker. Where there is none, or it does not listen,
//! the program would run unchecked, and without a GPU it would merely fail. Libraries, and programs that the
//! program starts, are looked at by the audit library when they are loaded.

use crate::threads::runtime_is_static;
use object::elf::{self, FileHeader64};
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader, SectionTable, Sym};
use object::{Endianness, FileKind, ReadCache, ReadRef};
use std::ffi::{CString, OsStr};
use std::fmt;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use warpsan_report::NotCovered;
use warpsan_runtime::Engine;

/// The end of a name that every cudart defines, and every object with kernels refers to.
const REGISTRATION: &[u8] = b"RegisterFatBinary";

/// Why a program cannot be entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// It is of another machine, or of 32 bits.
    OtherMachine,
    /// It runs with the rights of somebody else.
    OtherRights,
    /// It has kernels and no dynamic linker.
    FullyStatic,
    /// It has kernels and a dynamic linker that is not that of glibc.
    OtherLinker(String),
    /// It has kernels and a CUDA runtime whose symbols are stripped.
    Stripped,
    /// The runtime of `-fsanitize=thread` is in it, where nothing can be put in its place.
    StaticThreadRuntime,
}

impl Obstacle {
    /// What a report says about a program with this obstacle.
    pub(crate) fn not_covered(&self, program: &Path) -> NotCovered {
        NotCovered {
            what: format!("the program, which was not started: {self}"),
            place: program.display().to_string(),
            advice: self.advice().to_string(),
        }
    }

    fn advice(&self) -> &'static str {
        match self {
            Obstacle::OtherMachine => "build it for this machine, with 64 bits",
            Obstacle::OtherRights => {
                "check a copy without the setuid bit and without file capabilities; to check as \
                 another user, start warpsan as that user"
            }
            Obstacle::FullyStatic => "link it without -static; the CUDA runtime may stay static",
            Obstacle::OtherLinker(_) => "build it for glibc, which is what CUDA supports",
            Obstacle::Stripped => {
                "link it with `-cudart shared` (NVCC_APPEND_FLAGS=\"-cudart=shared\" does that for any \
                 build), or do not strip it"
            }
            Obstacle::StaticThreadRuntime => {
                "link it without -static and -static-libtsan, so that warpsan can take the place of that runtime"
            }
        }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::OtherMachine => f.write_str("it is no 64-bit program of this machine"),
            Obstacle::OtherRights => f.write_str(
                "it runs with other rights than yours, so that the dynamic linker lets nothing in",
            ),
            Obstacle::FullyStatic => f.write_str(
                "it is linked statically as a whole, so that no dynamic linker lets warpsan in",
            ),
            Obstacle::OtherLinker(linker) => {
                write!(f, "its dynamic linker is {linker}, which is not that of glibc")
            }
            Obstacle::Stripped => f.write_str(
                "its CUDA runtime is linked statically and its symbols are stripped, so that calls \
                 cannot be redirected",
            ),
            Obstacle::StaticThreadRuntime => f.write_str(
                "the runtime of -fsanitize=thread is linked into it statically, so that calls of it cannot be \
                 redirected",
            ),
        }
    }
}

/// What keeps warpsan out of a program, with its file; nothing where it can be started. What is no program at
/// all shows when it is started. In front of the real driver it does not matter how the runtime is linked.
pub(crate) fn of_program(program: &OsStr, engine: Engine) -> Option<(PathBuf, Obstacle)> {
    let path = find(program)?;
    let obstacle = of_file(&path)?;
    let matters = engine == Engine::Cpu || obstacle != Obstacle::Stripped;
    matters.then_some((path, obstacle))
}

/// The file that would be started.
pub(crate) fn find(program: &OsStr) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(program));
    }
    let folders = std::env::var_os("PATH")?;
    let is_program = |path: &PathBuf| {
        path.metadata()
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(&folders).map(|folder| folder.join(program)).find(is_program)
}

/// A program that warpsan's libraries did not get into.
pub(super) enum Outsider {
    /// It is a static program without kernels, which could not have done CUDA work.
    WithoutCuda,
    /// It was kept out by this.
    Obstacle(Obstacle),
    /// It should have been entered.
    Unknown,
}

/// What a program is that was started and not entered.
pub(super) fn outsider(path: &Path) -> Outsider {
    let Ok(file) = File::open(path) else { return Outsider::Unknown };
    let data = ReadCache::new(file);
    match FileKind::parse(&data) {
        Ok(FileKind::Elf64) => {}
        // There is no CUDA for 32 bits.
        Ok(FileKind::Elf32) => return Outsider::WithoutCuda,
        _ => return Outsider::Unknown,
    }
    let Ok(facts) = Facts::read(&data) else { return Outsider::Unknown };
    let has_work = facts.has_kernels || facts.thread_runtime_is_static;
    if facts.linker.is_none() && !has_work && !has_other_rights(path) {
        return Outsider::WithoutCuda;
    }
    facts.obstacle(|| has_other_rights(path)).map_or(Outsider::Unknown, Outsider::Obstacle)
}

fn of_file(path: &Path) -> Option<Obstacle> {
    let data = ReadCache::new(File::open(path).ok()?);
    match FileKind::parse(&data).ok()? {
        FileKind::Elf64 => {}
        FileKind::Elf32 => return Some(Obstacle::OtherMachine),
        _ => return None,
    }
    // A damaged file is for the system to refuse.
    let facts = Facts::read(&data).ok()?;
    facts.obstacle(|| has_other_rights(path))
}

/// What counts about an executable.
struct Facts {
    is_of_this_machine: bool,
    linker: Option<String>,
    has_kernels: bool,
    has_symbols: bool,
    /// The cudart is in a library that it is linked with, or in whoever loads it.
    cudart_is_elsewhere: bool,
    thread_runtime_is_static: bool,
}

impl Facts {
    fn read<'data>(data: impl ReadRef<'data>) -> Result<Facts, object::read::Error> {
        let header = FileHeader64::<Endianness>::parse(data)?;
        let endian = header.endian()?;
        let mut linker = None;
        for segment in header.program_headers(endian, data)? {
            if let Some(name) = segment.interpreter(endian, data)? {
                linker = Some(String::from_utf8_lossy(name).into_owned());
            }
        }
        let sections = header.sections(endian, data)?;
        let has = |name: &[u8]| sections.section_by_name(endian, name).is_some();
        let is_table =
            |section: &elf::SectionHeader64<_>| section.sh_type(endian) == elf::SHT_SYMTAB;
        let libraries = needed_libraries(endian, data, &sections)?;
        let is_linked = libraries.iter().any(|name| name.starts_with("libcudart.so"));
        Ok(Facts {
            is_of_this_machine: Some(header.e_machine(endian)) == machine(),
            linker,
            has_kernels: has(b".nv_fatbin") || has(b".nvFatBinSegment"),
            has_symbols: sections.iter().any(is_table),
            cudart_is_elsewhere: is_linked || refers_to_cudart(endian, data, &sections)?,
            thread_runtime_is_static: runtime_is_static(endian, data, &sections)?,
        })
    }

    fn obstacle(self, has_other_rights: impl FnOnce() -> bool) -> Option<Obstacle> {
        if !self.is_of_this_machine {
            return Some(Obstacle::OtherMachine);
        }
        if has_other_rights() {
            return Some(Obstacle::OtherRights);
        }
        if self.thread_runtime_is_static {
            return Some(Obstacle::StaticThreadRuntime);
        }
        // Without kernels it may start other programs, which are looked at by themselves.
        if !self.has_kernels {
            return None;
        }
        match self.linker {
            None => Some(Obstacle::FullyStatic),
            Some(linker) if !linker.contains("ld-linux") => Some(Obstacle::OtherLinker(linker)),
            Some(_) if !self.has_symbols && !self.cudart_is_elsewhere => Some(Obstacle::Stripped),
            Some(_) => None,
        }
    }
}

/// The number of this machine in ELF files.
fn machine() -> Option<elf::Machine> {
    match std::env::consts::ARCH {
        "x86_64" => Some(elf::EM_X86_64),
        "aarch64" => Some(elf::EM_AARCH64),
        _ => None,
    }
}

type Sections<'data, R> = SectionTable<'data, FileHeader64<Endianness>, R>;

fn needed_libraries<'data, R: ReadRef<'data>>(
    endian: Endianness,
    data: R,
    sections: &Sections<'data, R>,
) -> Result<Vec<String>, object::read::Error> {
    let Some((entries, names)) = sections.dynamic(endian, data)? else { return Ok(Vec::new()) };
    let names = sections.strings(endian, data, names)?;
    let needed = entries.iter().filter(|entry| entry.tag(endian) == elf::DT_NEEDED);
    let name = |entry: &elf::Dyn64<_>| entry.string(endian, names).ok();
    Ok(needed
        .filter_map(|entry| Some(String::from_utf8_lossy(name(entry)?).into_owned()))
        .collect())
}

fn refers_to_cudart<'data, R: ReadRef<'data>>(
    endian: Endianness,
    data: R,
    sections: &Sections<'data, R>,
) -> Result<bool, object::read::Error> {
    let symbols = sections.symbols(endian, data, elf::SHT_DYNSYM)?;
    let names = symbols.strings();
    let is_it = |symbol: &elf::Sym64<_>| {
        symbol.name(endian, names).is_ok_and(|name| name.ends_with(REGISTRATION))
    };
    Ok(symbols.iter().any(|symbol| symbol.is_undefined(endian) && is_it(symbol)))
}

/// Whether the system starts the file with rights that are not those of the user, and the dynamic linker
/// therefore ignores what the environment asks of it.
fn has_other_rights(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else { return false };
    // SAFETY: these return the numbers of the user and touch no memory.
    let (user, group) = unsafe { (libc::getuid(), libc::getgid()) };
    let changes_user = metadata.mode() & libc::S_ISUID != 0 && metadata.uid() != user;
    // Without the right to execute, the bit means something else.
    let group_bits = libc::S_ISGID | libc::S_IXGRP;
    let changes_group = metadata.mode() & group_bits == group_bits && metadata.gid() != group;
    changes_user || changes_group || user != 0 && has_capabilities(path)
}

fn has_capabilities(path: &Path) -> bool {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return false };
    let name = c"security.capability".as_ptr();
    // SAFETY: both are C strings, and without a place for the answer only its length is returned.
    unsafe { libc::getxattr(path.as_ptr(), name, std::ptr::null_mut(), 0) > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const MAIN: &str = "int main(void) { return 0; }";
    const KERNELS: &str =
        "__attribute__((section(\".nv_fatbin\"), used)) const char kernels[8] = \"kernels\";";

    /// Compiles a C program, and looks at it.
    fn obstacle(source: &str, flags: &[&str]) -> Option<Obstacle> {
        let folder = tempfile::tempdir().expect("a folder");
        of_file(&compiled(folder.path(), source, flags))
    }

    fn compiled(folder: &Path, source: &str, flags: &[&str]) -> PathBuf {
        std::fs::write(folder.join("source.c"), source).expect("a file");
        let compiled = Command::new("cc")
            .current_dir(folder)
            .args(["-o", "program", "source.c"])
            .args(flags)
            .output()
            .expect("a C compiler");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        folder.join("program")
    }

    #[test]
    fn a_program_without_kernels_is_started_however_it_is_linked() {
        assert_eq!(obstacle(MAIN, &[]), None);
        assert_eq!(obstacle(MAIN, &["-s"]), None);
        assert_eq!(obstacle(MAIN, &["-static"]), None);
    }

    #[test]
    fn kernels_need_a_dynamic_linker_and_a_cudart_that_can_be_found() {
        let kernels = format!("{KERNELS} {MAIN}");
        assert_eq!(obstacle(&kernels, &[]), None, "its symbols are there");
        assert_eq!(obstacle(&kernels, &["-s"]), Some(Obstacle::Stripped));
        assert_eq!(obstacle(&kernels, &["-static"]), Some(Obstacle::FullyStatic));
        let musl = "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1";
        let linker = "/lib/ld-musl-x86_64.so.1".to_string();
        assert_eq!(obstacle(&kernels, &[musl]), Some(Obstacle::OtherLinker(linker)));
    }

    #[test]
    fn a_cudart_in_a_library_is_not_missing() {
        let folder = tempfile::tempdir().expect("a folder");
        let cudart = "void __cudaRegisterFatBinary(void) {}";
        compiled(folder.path(), cudart, &["-shared", "-fPIC", "-o", "libown.so"]);
        let source = format!(
            "{KERNELS} void __cudaRegisterFatBinary(void); \
             int main(void) {{ __cudaRegisterFatBinary(); return 0; }}"
        );
        let program = compiled(folder.path(), &source, &["-s", "-L.", "-lown"]);
        assert_eq!(of_file(&program), None);
    }

    #[test]
    fn a_runtime_for_threads_has_to_be_where_another_can_take_its_place() {
        let runtime = format!("void __tsan_init(void) {{}} {MAIN}");
        assert_eq!(obstacle(&runtime, &[]), Some(Obstacle::StaticThreadRuntime));
        assert_eq!(obstacle(&runtime, &["-static"]), Some(Obstacle::StaticThreadRuntime));
        assert_eq!(obstacle(&runtime, &["-rdynamic"]), None, "as clang links it");
        let missing = Obstacle::StaticThreadRuntime.not_covered(Path::new("./app"));
        assert!(missing.advice.contains("-static-libtsan"), "{missing:?}");
    }

    #[test]
    fn other_rights_are_seen() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = compiled(folder.path(), MAIN, &[]);
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o4755)).expect("permissions");
        assert_eq!(of_file(&program), None, "the bit of the user's own file changes nothing");
        let facts = Facts::read(&ReadCache::new(File::open(&program).expect("a file")));
        let obstacle = facts.expect("an ELF file").obstacle(|| true);
        assert_eq!(obstacle, Some(Obstacle::OtherRights));
    }

    #[test]
    fn what_is_no_program_is_left_to_the_system() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("script");
        for text in ["#!/bin/sh\n", "", "\u{7f}ELF", "\u{7f}ELF\u{2}\u{1}\u{1} and no more of it"] {
            std::fs::write(&file, text).expect("a file");
            assert_eq!(of_file(&file), None);
        }
        assert_eq!(of_file(&folder.path().join("missing")), None);
        std::fs::write(&file, [&b"\x7fELF\x01\x01\x01"[..], &[0; 64]].concat()).expect("a file");
        assert_eq!(of_file(&file), Some(Obstacle::OtherMachine), "32 bits");
    }

    #[test]
    fn programs_are_found_as_a_shell_finds_them() {
        assert!(find("sh".as_ref()).is_some_and(|path| path.ends_with("sh") && path.is_absolute()));
        assert_eq!(find("no-such-program-anywhere".as_ref()), None);
        assert_eq!(find("./here".as_ref()), Some(PathBuf::from("./here")));
    }

    #[test]
    fn a_report_says_what_where_and_what_to_do() {
        let missing = Obstacle::Stripped.not_covered(Path::new("./app"));
        assert!(
            missing.what.contains("not started") && missing.what.contains("stripped"),
            "{missing:?}"
        );
        assert_eq!(missing.place, "./app");
        assert!(missing.advice.contains("-cudart shared"), "{missing:?}");
    }
}
