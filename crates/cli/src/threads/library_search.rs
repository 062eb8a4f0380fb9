//! Whether a program, or a library that it is linked with, has instrumented code. Libraries are looked for as the dynamic
//! linker does, but for its cache: what that alone finds is in the folders that its configuration names.

use super::elf::DynamicFacts;
use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

/// Folders that are looked into last.
const USUAL: [&str; 6] = [
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
];
const CONFIGURATION: &str = "/etc/ld.so.conf";
/// No program has more libraries than this; what claims to is not followed.
const MOST_LIBRARIES: usize = 2000;

/// Whether a program has code that says what its threads do, or is linked with a library that has.
pub(super) fn is_instrumented(program: &Path) -> bool {
    let mut folders = environment_folders();
    folders.extend(configured_folders(Path::new(CONFIGURATION)));
    folders.extend(USUAL.map(PathBuf::from));
    // An executable is found through links, as the system finds it.
    let program = program.canonicalize().unwrap_or_else(|_| program.to_path_buf());
    closure_is_instrumented(program, &folders)
}

fn closure_is_instrumented(program: PathBuf, folders: &[PathBuf]) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting = VecDeque::from([program]);
    while let Some(file) = waiting.pop_front() {
        let Some(facts) = DynamicFacts::of_file(&file) else { continue };
        if facts.is_instrumented {
            return true;
        }
        let origin = file.parent().unwrap_or(Path::new("/"));
        let own: Vec<PathBuf> =
            facts.search.iter().map(|folder| with_origin(folder, origin)).collect();
        for name in &facts.needed {
            if seen.len() < MOST_LIBRARIES && seen.insert(name.clone()) {
                waiting.extend(find(name, own.iter().chain(folders)));
            }
        }
    }
    false
}

fn find<'a>(name: &str, mut folders: impl Iterator<Item = &'a PathBuf>) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name));
    }
    folders.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file()))
}

fn with_origin(folder: &str, origin: &Path) -> PathBuf {
    let origin = origin.to_string_lossy();
    PathBuf::from(folder.replace("${ORIGIN}", &origin).replace("$ORIGIN", &origin))
}

fn environment_folders() -> Vec<PathBuf> {
    let variable = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    std::env::split_paths(&variable).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

/// The folders that the configuration of the dynamic linker names, with those of the files that it includes.
fn configured_folders(configuration: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(configuration).unwrap_or_default();
    let mut folders = Vec::new();
    for line in text.lines().map(|line| line.split('#').next().unwrap_or_default().trim()) {
        match line.strip_prefix("include ") {
            // Every system writes it so: all files of a folder whose names end in .conf.
            Some(pattern) => folders.extend(included_folders(pattern.trim())),
            None if line.starts_with('/') => folders.push(PathBuf::from(line)),
            None => {}
        }
    }
    folders
}

fn included_folders(pattern: &str) -> Vec<PathBuf> {
    let Some(folder) = pattern.strip_suffix("/*.conf") else { return Vec::new() };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "conf"));
    files.sort();
    let lines = |file: PathBuf| -> Vec<PathBuf> {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        text.lines()
            .map(str::trim)
            .filter(|line| line.starts_with('/'))
            .map(PathBuf::from)
            .collect()
    };
    files.into_iter().flat_map(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const MAIN: &str = "int main(void) { return 0; }";

    /// Compiles a C file in a folder.
    fn compiled(folder: &Path, name: &str, source: &str, flags: &[&str]) -> PathBuf {
        std::fs::write(folder.join("source.c"), source).expect("a file");
        let compiled = Command::new("cc")
            .current_dir(folder)
            .args(["-o", name, "source.c"])
            .args(flags)
            .output()
            .expect("a C compiler");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        folder.join(name)
    }

    #[test]
    fn instrumented_code_is_known_by_what_it_calls() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!is_instrumented(&compiled(folder.path(), "plain", MAIN, &[])));
        let calls = "void __tsan_func_entry(void *); void f(void) { __tsan_func_entry(0); }";
        let library = compiled(folder.path(), "calls.so", calls, &["-shared", "-fPIC"]);
        assert!(is_instrumented(&library));
        let exports = format!("void __tsan_init(void) {{}} {MAIN}");
        assert!(is_instrumented(&compiled(folder.path(), "exports", &exports, &["-rdynamic"])));
        let hides = compiled(folder.path(), "hides", &exports, &[]);
        assert!(!is_instrumented(&hides), "nothing can be put in its place");
    }

    #[test]
    fn the_runtime_of_a_compiler_is_known_by_its_name() {
        let folder = tempfile::tempdir().expect("a folder");
        for soname in ["libtsan.so.2", "libclang_rt.tsan-x86_64.so"] {
            let soname = format!("-Wl,-soname,{soname}");
            let library = "void runtime(void) {}";
            compiled(folder.path(), "libruntime.so", library, &["-shared", "-fPIC", &soname]);
            let flags = ["-Wl,--no-as-needed", "-L.", "-lruntime"];
            assert!(is_instrumented(&compiled(folder.path(), "program", MAIN, &flags)));
        }
    }

    #[test]
    fn libraries_of_libraries_are_found_beside_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = "void __tsan_init(void) {} void inner(void) {}";
        compiled(folder.path(), "libinner.so", inner, &["-shared", "-fPIC"]);
        let origin = "-Wl,-rpath,$ORIGIN";
        let link = ["-Wl,--no-as-needed", "-L.", origin];
        let outer = [&["-shared", "-fPIC"], &link[..], &["-linner"]].concat();
        compiled(folder.path(), "libouter.so", "void outer(void) {}", &outer);
        let flags = [&link[..], &["-louter"]].concat();
        let program = compiled(folder.path(), "program", MAIN, &flags);
        assert!(is_instrumented(&program));
        std::fs::remove_file(folder.path().join("libinner.so")).expect("removed");
        assert!(!is_instrumented(&program), "nobody has it");
    }

    #[test]
    fn what_is_no_program_has_no_code() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("script");
        for text in ["#!/bin/sh\n", "", "\u{7f}ELF", "\u{7f}ELF\u{2}\u{1}\u{1} and no more of it"] {
            std::fs::write(&file, text).expect("a file");
            assert!(!is_instrumented(&file));
        }
        assert!(!is_instrumented(&folder.path().join("missing")));
        assert!(!is_instrumented(folder.path()));
    }

    #[test]
    fn the_configuration_names_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let more = folder.path().join("more");
        std::fs::create_dir(&more).expect("a folder");
        std::fs::write(more.join("a.conf"), "/opt/a\n# no\n").expect("a file");
        std::fs::write(more.join("b.txt"), "/opt/b\n").expect("a file");
        let all = folder.path().join("ld.so.conf");
        let text = format!("include {}/*.conf\n/opt/c # that one\n", more.display());
        std::fs::write(&all, text).expect("a file");
        assert_eq!(configured_folders(&all), [PathBuf::from("/opt/a"), PathBuf::from("/opt/c")]);
    }
}
