//! What warpsan cannot check is named with its place, and the program is never called clean.

use crate::support::build::executable;
use crate::support::command::{Ended, run, warpsan};
use crate::support::report::Report;
use crate::support::{fresh_folder, program};

/// Runs a program with the arguments; gives its end and its report.
fn run_with_report(name: &str, arguments: &[&str]) -> (Ended, Report) {
    let folder = fresh_folder(&format!("not-supported-{name}-{}", arguments.concat()));
    let built = executable(&program(name), &folder);
    let file = folder.join("report.json");
    let flags = ["run", "--format", "json", "--output"];
    let ended = run(warpsan(flags).arg(&file).arg("--").arg(&built).args(arguments));
    (ended, Report::read(&file))
}

/// The number of the line with this text.
fn line_with(name: &str, text: &str) -> usize {
    let source = std::fs::read_to_string(program(name)).expect("the program is readable");
    source.lines().position(|line| line.contains(text)).expect("the text is in the program") + 1
}

#[test]
fn an_instruction_is_named_with_kernel_and_line() {
    let (ended, report) = run_with_report("texture.cu", &[]);
    ended.expect_code(3);
    assert!(report.races().is_empty(), "{}", report.text);
    let line = format!("texture.cu:{}", line_with("texture.cu", "tex1Dfetch"));
    let named = report
        .not_covered()
        .iter()
        .any(|(what, at)| what.contains("tex") && at.contains("fetch") && at.contains(&line));
    assert!(named, "instruction, kernel and {line}:\n{}", report.text);
}

#[test]
fn the_text_report_says_it_too_and_does_not_say_clean() {
    let folder = fresh_folder("not-supported-text");
    let built = executable(&program("texture.cu"), &folder);
    let ended = run(warpsan(["run", "--"]).arg(&built));
    let line = format!("texture.cu:{}", line_with("texture.cu", "tex1Dfetch"));
    ended.expect_code(3).expect_stderr(&["tex", "fetch", &line]);
    assert!(!ended.stderr.contains("clean"), "{}", ended.stderr);
}

#[test]
fn a_race_beside_it_is_still_found() {
    let (ended, report) = run_with_report("texture.cu", &["race"]);
    ended.expect_code(1);
    assert_eq!(report.races().len(), 1, "{}", report.text);
    assert!(!report.not_covered().is_empty(), "{}", report.text);
}

#[test]
fn a_function_of_cuda_is_named() {
    let (ended, report) = run_with_report("array.cu", &[]);
    ended.expect_code(3);
    let named = report.not_covered().iter().any(|(what, _)| what.contains("cudaMallocArray"));
    assert!(named, "{}", report.text);
}

/// One instruction of each kind that no kernel may use yet, in a kernel with line information.
#[test]
fn every_kind_of_instruction_that_is_missing_is_named() {
    let launch_parts = "{ .param .b64 a; .param .b64 b; .param .b32 r;\nst.param.b64 [a+0], %rd1;\n\
                        st.param.b64 [b+0], %rd2;\n\
                        call.uni (r), cudaLaunchDeviceV2, (a, b);\nld.param.b32 %r1, [r+0]; }";
    for (kernel, code, named) in [
        ("fetch", "tex.1d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1}];", "tex.1d.v4.f32.s32"),
        ("look", "suld.b.1d.b32.trap {%r1}, [%rd1, {%r2}];", "suld.b.1d.b32.trap"),
        (
            "multiply",
            "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %rd1, %rd2, 1, 1, \
             1, 0, 0;",
            "wgmma.mma_async",
        ),
        (
            "copy",
            "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes \
             [tile], [%rd1, {%r1}], [tile];",
            "cp.async.bulk.tensor.1d",
        ),
        ("start", launch_parts, "cudaLaunchDeviceV2"),
    ] {
        let ptx = format!(
            "//@ launch: {kernel}<<<1, 128>>>()\n.version 8.3\n.target sm_90a\n.address_size 64\n\
             .file 1 \"/source/{kernel}.cu\"\n\
             .extern .func (.param .b32 x) cudaLaunchDeviceV2 (.param .b64 a, .param .b64 b);\n\
             .visible .entry {kernel}()\n{{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n\
             .reg .f32 %f<9>;\n.shared .align 128 .b8 tile[1024];\n.loc 1 7 3\n{code}\nret;\n}}\n"
        );
        let file = fresh_folder(&format!("missing-{kernel}")).join(format!("{kernel}.ptx"));
        std::fs::write(&file, ptx).expect("a file can be written");
        let ended = run(warpsan(["check"]).arg(&file));
        let text = String::from_utf8_lossy(&ended.expect_code(3).stdout).into_owned();
        let place = format!("kernel `{kernel}`, /source/{kernel}.cu:7");
        for part in [named, "is not supported yet", &place] {
            assert!(text.contains(part), "`{part}` is missing in:\n{text}");
        }
        assert!(!text.contains("everything was checked"), "{text}");
    }
}
