//! Building programs, through `warpsan nvcc` as a user would.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use super::command::{Ended, run, warpsan};

/// Which CUDA runtime a program is linked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cudart {
    Shared,
    Static,
}

/// Makes sure, once, that there is a CUDA compiler. Fetching one needs the consent that warpsan itself
/// asks for; a test never gives it in the place of the user, and never passes without a compiler.
pub(crate) fn need_compiler() {
    static FOUND: OnceLock<()> = OnceLock::new();
    FOUND.get_or_init(|| {
        if run(&mut warpsan(["toolchain"])).status.success() {
            return;
        }
        let install = run(&mut warpsan(["toolchain", "install"]));
        assert!(
            install.status.success(),
            "these tests need a CUDA compiler. Use `cargo xtask test`, which asks whether to fetch one, \
             or set CI=1 to agree. warpsan says:\n{}",
            install.stderr
        );
    });
}

/// Runs `warpsan nvcc`, which has to succeed.
pub(crate) fn nvcc(arguments: &[&str], files: &[&Path]) {
    need_compiler();
    let ended = run(warpsan(["nvcc"]).args(arguments).args(files));
    succeeded(&ended, &format!("warpsan nvcc {arguments:?} {files:?}"));
}

/// Runs the host compiler, which has to succeed.
pub(crate) fn host_compiler(arguments: &[&str], files: &[&Path]) {
    let ended = run(Command::new("g++").args(files).args(arguments));
    succeeded(&ended, &format!("g++ {files:?} {arguments:?}"));
}

/// A whole program from one file, linked with the CUDA runtime in the usual way.
pub(crate) fn executable(source: &Path, folder: &Path) -> PathBuf {
    let output = folder.join(super::stem(source));
    let out = output.to_string_lossy();
    nvcc(&["-arch=sm_90", "-O3", "-o", &out], &[source]);
    output
}

impl Cudart {
    /// The flags that choose this runtime: `warpsan nvcc` takes the shared one by itself.
    pub(crate) fn flags(self) -> &'static [&'static str] {
        match self {
            Cudart::Shared => &[],
            Cudart::Static => &["-cudart", "static"],
        }
    }
}

fn succeeded(ended: &Ended, what: &str) {
    assert!(
        ended.status.success(),
        "{what} failed:\n{}{}",
        String::from_utf8_lossy(&ended.stdout),
        ended.stderr
    );
}
