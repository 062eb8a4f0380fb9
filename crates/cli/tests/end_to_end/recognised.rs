//! Programs that warpsan cannot enter, or that look so: recognised before `main`, with words that help, and never
//! called clean.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::build::{host_compiler, nvcc};
use crate::support::command::{Ended, run, warpsan};
use crate::support::report::Report;
use crate::support::{examples, fresh_folder};

/// A racy program, built with these flags.
fn built(folder: &Path, flags: &[&str]) -> PathBuf {
    let program = folder.join("program");
    let out = program.to_string_lossy();
    nvcc(&[&["-arch=sm_90", "-o", &out], flags].concat(), &[&examples().join("missing_sync.cu")]);
    program
}

fn run_program(program: &Path) -> Ended {
    run(warpsan(["run", "--"]).arg(program))
}

#[test]
fn a_stripped_program_with_a_static_cudart() {
    let program = built(&fresh_folder("stripped"), &["-cudart", "static"]);
    assert!(Command::new("strip").arg(&program).status().expect("strip starts").success());
    let ended = run_program(&program);
    let place = program.display().to_string();
    ended.expect_code(3).expect_stderr(&["was not started", "stripped", &place, "-cudart shared"]);
    assert_eq!(ended.stdout, b"", "it was not started");
}

#[test]
fn a_stripped_program_with_a_shared_cudart_is_checked() {
    let program = built(&fresh_folder("stripped-shared"), &[]);
    assert!(Command::new("strip").arg(&program).status().expect("strip starts").success());
    run_program(&program).expect_code(1).expect_stderr(&["error[missing-sync]"]);
}

#[test]
fn a_program_that_is_static_as_a_whole() {
    let flags = ["-cudart", "static", "-Xcompiler", "-static"];
    let program = built(&fresh_folder("fully-static"), &flags);
    let ended = run_program(&program);
    ended.expect_code(3).expect_stderr(&[
        "was not started",
        "linked statically as a whole",
        "-static",
    ]);
}

#[test]
fn a_program_with_thread_sanitizer_is_checked_for_both() {
    let program = built(&fresh_folder("thread-sanitizer"), &["-Xcompiler", "-fsanitize=thread"]);
    let said = ["error[missing-sync]", "threads of 1 process", "detector slimfast"];
    run_program(&program).expect_code(1).expect_stderr(&said);
}

#[test]
fn a_program_with_address_sanitizer_is_checked() {
    for (name, cudart) in [("asan-shared", "shared"), ("asan-static", "static")] {
        let flags = ["-cudart", cudart, "-Xcompiler", "-fsanitize=address"];
        let program = built(&fresh_folder(name), &flags);
        run_program(&program).expect_code(1).expect_stderr(&["error[missing-sync]"]);
    }
}

/// A library with the name of one of NVIDIA's, which the linker loads or the program opens.
#[test]
fn a_library_whose_kernels_are_closed_is_named() {
    let folder = fresh_folder("closed-library");
    let library = folder.join("libcublas.so.13");
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file can be written");
        path
    };
    let source = file("library.cc", "extern \"C\" int cublasGetVersion() { return 13; }");
    let (out, name) = (library.to_string_lossy(), "-Wl,-soname,libcublas.so.13");
    host_compiler(&["-shared", "-fPIC", name, "-o", &out], &[&source]);
    let linked = file(
        "linked.cc",
        "extern \"C\" int cublasGetVersion(); int main() { return cublasGetVersion() == 13 ? 0 : 9; }",
    );
    let opener = file(
        "opener.cc",
        "#include <dlfcn.h>\nint main(int, char **a) { return dlopen(a[1], RTLD_NOW) ? 0 : 9; }",
    );
    let path = format!("-Wl,-rpath,{}", folder.display());
    let program = folder.join("program");
    let out = program.to_string_lossy();
    for source in [&linked, &opener] {
        host_compiler(&["-o", &out, &path, "-ldl"], &[source, &library]);
        let report = folder.join("report.json");
        let flags = ["run", "--format", "json", "--output"];
        run(warpsan(flags).arg(&report).arg("--").arg(&program).arg(&library)).expect_code(3);
        let report = Report::read(&report);
        let not_covered = report.not_covered();
        assert_eq!(not_covered.len(), 1, "{}", report.text);
        let (what, at) = &not_covered[0];
        assert!(what.contains("machine code without PTX"), "{}", report.text);
        assert!(at.ends_with("libcublas.so.13"), "{}", report.text);
    }
}
