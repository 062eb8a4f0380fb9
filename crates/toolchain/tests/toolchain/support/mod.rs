//! A machine made of temporary folders: toolkits, a `PATH`, a home, a Python.

pub(crate) mod fake_nvrtc;
pub(crate) mod fake_python;
pub(crate) mod fake_toolkit;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use warpsan_toolchain::{Environment, Search, Toolchain};

/// The machine. Its folders vanish with it.
pub(crate) struct Machine {
    folder: tempfile::TempDir,
    variables: BTreeMap<OsString, OsString>,
}

impl Machine {
    /// A machine with an empty `PATH` folder, an empty home and nothing else.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut machine = Self { folder, variables: BTreeMap::new() };
        fs::create_dir(machine.path("bin")).unwrap();
        fs::create_dir(machine.path("home")).unwrap();
        machine.set("PATH", machine.path("bin"));
        machine.set("HOME", machine.path("home"));
        machine
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.insert(name.into(), value.into());
    }

    pub(crate) fn environment(&self) -> Environment {
        Environment::new(self.variables.clone(), self.path("usual"))
    }

    pub(crate) fn search(&self) -> Search {
        Search { cuda_path: None, environment: self.environment() }
    }

    /// The toolchain that the search finds.
    pub(crate) fn toolchain(&self) -> Toolchain {
        self.search().find().unwrap().expect("the test made a toolkit")
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Writes an executable. Another process does the writing: a file that this process has open for writing
    /// while another thread starts a program is "busy" for a moment and cannot be executed.
    pub(crate) fn write_script(&self, name: &str, content: &str) -> PathBuf {
        let draft = self.write(&format!("{name}.draft"), content);
        let path = self.path(name);
        let copied = Command::new("cp").arg("-f").arg(&draft).arg(&path).status().unwrap();
        assert!(copied.success());
        fs::remove_file(&draft).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// How often a fake program noted that it ran.
    pub(crate) fn count(&self, note: &str) -> usize {
        fs::read_to_string(self.path(note)).map_or(0, |text| text.lines().count())
    }

    /// All files below a folder of the machine.
    pub(crate) fn files_below(&self, name: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        collect_files(&self.path(name), &mut found);
        found
    }
}

fn collect_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            collect_files(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}
