//! Wrong input ends with code 2 and a message that says what is wrong, and where.

use std::path::{Path, PathBuf};

use crate::support::build::{Cudart, executable, need_compiler, nvcc};
use crate::support::command::{run, unique_number, warpsan};
use crate::support::{examples, fresh_folder, program};

/// A file with this text.
fn file(name: &str, text: &str) -> PathBuf {
    let path = fresh_folder(&format!("bad-{}", unique_number())).join(name);
    std::fs::write(&path, text).expect("a file can be written");
    path
}

/// `warpsan check` refuses the file and says these things.
fn check_refuses(path: &Path, says: &[&str]) {
    need_compiler();
    run(warpsan(["check"]).arg(path)).expect_code(2).expect_stderr(says);
}

#[test]
fn broken_ptx_is_shown_with_file_and_line() {
    let text = "//@ launch: k<<<1, 64>>>()\n.version 9.0\n.target sm_90\n.address_size 64\n\
                .visible .entry k()\n{\n\tmov.u32 \t%r1 %tid.x;\n\tret;\n}\n";
    check_refuses(&file("broken.ptx", text), &["broken.ptx", "line 7"]);
}

#[test]
fn text_that_is_no_ptx_is_refused() {
    check_refuses(
        &file("poem.ptx", "//@ launch: k<<<1, 64>>>()\nShall I compare thee\n"),
        &["poem.ptx", "line 2"],
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    check_refuses(Path::new("no/such/file.cu"), &["no/such/file.cu"]);
    check_refuses(Path::new("no/such/file.ptx"), &["no/such/file.ptx"]);
}

#[test]
fn a_file_of_another_kind_is_named() {
    check_refuses(&file("notes.txt", "hello\n"), &["notes.txt"]);
}

#[test]
fn a_file_without_launch_line_says_how_to_write_one() {
    check_refuses(&file("quiet.cu", "__global__ void k() {}\n"), &["quiet.cu", "//@ launch"]);
}

#[test]
fn a_wrong_launch_line_is_shown_with_its_line() {
    let kernel = "__global__ void k(float* x) { x[0] = 1; }\n";
    let launch =
        |line: &str| file("launch.cu", &format!("// A kernel.\n//@ launch: {line}\n{kernel}"));
    check_refuses(&launch("k<<<1>>>(x: f32[1])"), &["launch.cu:2"]);
    check_refuses(&launch("k<<<1, 64>>>(x: f99[1])"), &["launch.cu:2", "f99"]);
    check_refuses(&launch("missing<<<1, 64>>>(x: f32[1])"), &["launch.cu:2", "missing"]);
    check_refuses(&launch("k<<<1, 64>>>()"), &["launch.cu:2"]);
}

#[test]
fn source_that_does_not_compile_is_shown_with_its_line() {
    let text = "//@ launch: k<<<1, 64>>>()\n__global__ void k() {\n    nonsense;\n}\n";
    check_refuses(&file("typo.cu", text), &["typo.cu(3)", "nonsense"]);
    let whole = file("typo_main.cu", "int main() {\n    nonsense;\n}\n");
    run(warpsan(["run"]).arg(whole)).expect_code(2).expect_stderr(&["typo_main.cu(2)", "nonsense"]);
}

#[test]
fn a_program_that_is_not_there_is_named() {
    run(&mut warpsan(["run", "--", "./no-such-program"]))
        .expect_code(2)
        .expect_stderr(&["no-such-program"]);
    run(&mut warpsan(["run", "no_such_file.cu"]))
        .expect_code(2)
        .expect_stderr(&["no_such_file.cu"]);
}

#[test]
fn wrong_usage_is_refused() {
    run(&mut warpsan(["run"])).expect_code(2);
    run(&mut warpsan(["no-such-command"])).expect_code(2).expect_stderr(&["no-such-command"]);
    let detector = ["run", "--detector", "crystal-ball", "--", "true"];
    run(&mut warpsan(detector)).expect_code(2).expect_stderr(&["crystal-ball"]);
    run(&mut warpsan(["run", "--seed", "few", "--", "true"]))
        .expect_code(2)
        .expect_stderr(&["few"]);
}

#[test]
fn a_toolkit_that_is_none_is_named() {
    let folder = fresh_folder("no-toolkit");
    let name = folder.to_string_lossy();
    let example = examples().join("kernels/reverse.cu");
    run(warpsan(["--cuda-path", &name, "check"]).arg(example))
        .expect_code(2)
        .expect_stderr(&[&name]);
}

#[test]
fn a_report_file_that_cannot_be_written_is_named() {
    let folder = fresh_folder("no-report");
    let talker = executable(&program("talker.cu"), &folder);
    let flags = ["run", "--output", "no/such/folder/report.txt", "--"];
    run(warpsan(flags).arg(talker)).expect_code(2).expect_stderr(&["no/such/folder/report.txt"]);
}

#[test]
fn a_stripped_program_with_static_cudart_gets_the_advice_to_link_the_shared_one() {
    let folder = fresh_folder("stripped");
    let stripped = folder.join("stripped");
    let out = stripped.to_string_lossy();
    let flags =
        [&["-arch=sm_90", "-Xlinker", "--strip-all", "-o", &out], Cudart::Static.flags()].concat();
    nvcc(&flags, &[&examples().join("vector_add.cu")]);
    let ended = run(warpsan(["run", "--"]).arg(&stripped));
    assert_ne!(ended.code(), 0, "{}", ended.stderr);
    ended.expect_stderr(&["-cudart shared"]);
}
