//! What the tests share: the command and its ends, programs built by nvcc, expectations, reports.

pub(crate) mod build;
pub(crate) mod command;
pub(crate) mod expectation;
pub(crate) mod of_papers;
pub(crate) mod report;

use std::path::{Path, PathBuf};

/// The folder with the examples of the project.
pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().expect("examples/")
}

/// A program that exists for these tests only.
pub(crate) fn program(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/end_to_end/programs").join(name)
}

/// The CUDA files directly in a folder, in order. There has to be one.
pub(crate) fn cuda_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cu"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no CUDA file in {}", folder.display());
    files
}

/// An empty folder for one test. It stays after the test, for whoever looks into a failure.
pub(crate) fn fresh_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("end_to_end").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("the folder of an earlier run can be removed");
    }
    std::fs::create_dir_all(&folder).expect("a folder for the test can be made");
    folder
}

/// The name of a file without folder and extension.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}
