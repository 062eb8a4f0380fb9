//! An NVRTC written in a few lines of C, built by the compiler that also links Rust programs.

use std::fs;
use std::process::Command;

use super::Machine;

/// Notes each compilation in the file that the fake's folder determines. The "PTX" is the file name, the options
/// and the source; sources that say `broken` or include `<host>` have errors.
const SOURCE: &str = include_str!("fake_nvrtc.c");

impl Machine {
    /// Builds the fake into a toolkit's library folder. Compilations are noted in `nvrtc.runs`.
    pub(crate) fn add_nvrtc(&self, folder: &str) {
        let source = self.write("fake_nvrtc.c", SOURCE);
        let note = format!("-DNOTE=\"{}\"", self.path("nvrtc.runs").display());
        // A library that another test has loaded in this process would answer in this one's place if
        // both had the same name inside.
        for name in ["libnvrtc.so.13", "libnvrtc-builtins.so.13.0"] {
            let library = self.path(&format!("{folder}/{name}"));
            fs::create_dir_all(library.parent().unwrap()).unwrap();
            let mut command = Command::new("cc");
            command.args(["-shared", "-fPIC", "-w", "-Wl,-Bsymbolic", &note, "-o"]);
            let status = command.arg(&library).arg(&source).status().expect("cc can be started");
            assert!(status.success(), "cc failed");
        }
    }
}
