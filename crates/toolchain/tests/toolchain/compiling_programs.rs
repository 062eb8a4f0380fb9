//! Whole programs: when nvcc runs, and when it does not have to.

use std::ffi::OsString;
use std::fs;
use std::time::{Duration, SystemTime};

use warpsan_toolchain::{CompiledProgram, Error};

use crate::support::Machine;
use crate::support::fake_toolkit::Layout;

fn machine() -> Machine {
    let machine = Machine::new();
    machine.add_toolkit("usual", Layout::Installer, "99.1.2");
    machine.add_host_compiler();
    write_old(&machine, "src/a.cu", "source");
    write_old(&machine, "src/h.h", "header");
    machine
}

/// Writes a file as if it had been saved a while ago: what is saved during a compilation is not kept.
fn write_old(machine: &Machine, name: &str, content: &str) {
    let path = machine.write(name, content);
    let then = SystemTime::now() - Duration::from_secs(10);
    fs::File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
}

fn compile(machine: &Machine, flags: &[&str]) -> CompiledProgram {
    let flags: Vec<OsString> = flags.iter().map(OsString::from).collect();
    machine.toolchain().compile_program(&machine.path("src/a.cu"), &flags).unwrap()
}

#[test]
fn the_same_program_is_compiled_once() {
    let machine = machine();
    let first = compile(&machine, &[]);
    assert!(!first.was_cached);
    assert_eq!(first.path.file_name().unwrap(), "a");
    assert_eq!(fs::read_to_string(&first.path).unwrap(), "sourceheader");
    assert!(first.log.contains("warning"), "{}", first.log);
    let second = compile(&machine, &[]);
    assert!(second.was_cached);
    assert_eq!((second.path, second.log), (first.path, first.log));
    assert_eq!(machine.count("nvcc.runs"), 1);
    let ran = fs::read_to_string(machine.path("nvcc.runs")).unwrap();
    assert!(ran.starts_with("-lineinfo -cudart=shared"), "{ran}");
}

#[test]
fn a_change_of_source_header_flag_or_compiler_compiles_again() {
    let machine = machine();
    compile(&machine, &[]);
    assert!(!compile(&machine, &["-DX"]).was_cached);
    write_old(&machine, "src/h.h", "other header");
    assert_eq!(fs::read_to_string(compile(&machine, &[]).path).unwrap(), "sourceother header");
    write_old(&machine, "src/a.cu", "other source");
    assert!(!compile(&machine, &[]).was_cached);
    machine.add_toolkit("usual", Layout::Installer, "99.1.3");
    assert!(!compile(&machine, &[]).was_cached);
    assert_eq!(machine.count("nvcc.runs"), 5);
    // Going back to what was compiled before costs nothing.
    machine.add_toolkit("usual", Layout::Installer, "99.1.2");
    write_old(&machine, "src/a.cu", "source");
    write_old(&machine, "src/h.h", "header");
    assert!(compile(&machine, &[]).was_cached);
    assert_eq!(machine.count("nvcc.runs"), 5);
}

#[test]
fn a_damaged_program_is_compiled_again() {
    let machine = machine();
    let first = compile(&machine, &[]);
    fs::write(&first.path, "sourceheadex").unwrap();
    let second = compile(&machine, &[]);
    assert!(!second.was_cached);
    assert_eq!(fs::read_to_string(&second.path).unwrap(), "sourceheader");
    fs::remove_file(&second.path).unwrap();
    assert!(!compile(&machine, &[]).was_cached);
    assert!(compile(&machine, &[]).was_cached);
}

#[test]
fn damaged_entries_are_compiled_again() {
    let machine = machine();
    compile(&machine, &[]);
    for entry in machine.files_below("home/.cache/warpsan/compiled/entries") {
        let mut content = fs::read(&entry).unwrap();
        content.pop();
        fs::write(&entry, content).unwrap();
    }
    assert!(!compile(&machine, &[]).was_cached);
    assert!(compile(&machine, &[]).was_cached);
}

#[test]
fn a_program_of_two_sources_is_compiled_each_time() {
    let machine = machine();
    let other = machine.write("other/b.cu", "other");
    let flags = [other.to_str().unwrap()];
    compile(&machine, &flags);
    assert!(!compile(&machine, &flags).was_cached);
}

#[test]
fn errors_name_the_source_as_it_was_given_and_leave_no_files() {
    let machine = machine();
    let toolchain = machine.toolchain();
    let folder = machine.path("src");
    machine.write("src/bad.cu", "broken");
    let given = folder.join("../src/bad.cu");
    let error = toolchain.compile_program(&given, &[]).unwrap_err();
    let Error::DoesNotCompile { log, .. } = &error else { panic!("{error}") };
    assert!(log.contains(given.to_str().unwrap()), "{log}");
    assert!(log.contains("error: broken"), "{log}");
    assert!(machine.files_below("home/.cache/warpsan/compiled/programs").is_empty());
    let error = toolchain.compile_program(&folder.join("none.cu"), &[]).unwrap_err().to_string();
    assert!(error.contains("none.cu"), "{error}");
}

#[test]
fn a_missing_host_compiler_is_an_error_that_names_it() {
    let machine = machine();
    fs::remove_file(machine.path("bin/g++")).unwrap();
    let source = machine.path("src/a.cu");
    let error = machine.toolchain().compile_program(&source, &[]).unwrap_err();
    assert!(
        matches!(&error, Error::HostCompilerMissing { program } if program == "g++"),
        "{error}"
    );
    assert!(error.to_string().contains("-ccbin"), "{error}");
    let named = machine.write_script("elsewhere/clang++", "#!/bin/sh\n");
    compile(&machine, &["-ccbin", named.to_str().unwrap()]);
    assert_eq!(machine.count("nvcc.runs"), 1);
}
