//! What the command does without a CUDA compiler, and what it says where it was built for quick tests.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn warpsan(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_warpsan"))
        .args(arguments)
        .stdin(Stdio::null())
        .env("WARPSAN_REAL_LIBCUDA", "/none")
        .output()
        .expect("the command can be started")
}

fn said(ended: &Output) -> String {
    String::from_utf8_lossy(&ended.stderr).into_owned()
}

/// A kernel in which all threads of a block write one word.
const RACY: &str = "\
//@ launch: same_word<<<1, 64>>>(out: u32[1])
.version 9.0
.target sm_90
.address_size 64
.visible .entry same_word(.param .u64 out)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    st.global.u32 [%rd2], %r1;
    ret;
}
";

/// The same with one thread.
fn clean() -> String {
    RACY.replace("<<<1, 64>>>", "<<<1, 1>>>")
}

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, text).expect("a file can be written");
    file
}

#[test]
fn files_of_ptx_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let racy = file(folder.path(), "racy.ptx", RACY);
    let ended = warpsan(&["check", &racy.display().to_string()]);
    assert_eq!(ended.status.code(), Some(1), "{}", said(&ended));
    let report = String::from_utf8_lossy(&ended.stdout);
    assert!(report.contains("in kernel `same_word`"), "{report}");
    let clean = file(folder.path(), "clean.ptx", &clean());
    let ended = warpsan(&["check", &clean.display().to_string()]);
    assert_eq!(ended.status.code(), Some(0), "{}", said(&ended));
}

#[cfg(not(feature = "embed-libraries"))]
#[test]
fn a_binary_without_libraries_says_how_to_build_a_whole_one() {
    let ended = warpsan(&["run", "--", "true"]);
    assert_eq!(ended.status.code(), Some(2), "{}", said(&ended));
    for part in ["built without the libraries", "cargo warpsan", "--features embed-libraries"] {
        assert!(said(&ended).contains(part), "{}", said(&ended));
    }
}
