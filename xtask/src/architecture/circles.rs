//! Circles among the files of one crate: files that import each other, directly or through others.
//!
//! A file uses another one if its code names an item that is defined there. A name that a module re-exports leads to
//! the file that defines it, so that no circle hides behind a `pub use`, and the re-export itself uses nothing. Neither
//! does `mod child;`. What a module uses of the modules inside it does not count either: it is made of them. Tests do
//! not count.

mod graph;
mod mentions;
mod modules;
mod names;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::sources::{crate_folders, rust_files};
use graph::{UsesOfFiles, circles};
use mentions::uses_of_crate;
use modules::{Crate, Sources};

/// The root files that a package may have in `src`. Each is a crate of its own.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// Files of one package that import each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circle {
    /// The package's folder.
    pub package: String,
    /// The files below its `src`, sorted.
    pub files: Vec<PathBuf>,
    /// What ties them together.
    pub uses: Vec<Uses>,
}

/// What one file of a circle uses of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Uses {
    /// The file that uses.
    pub user: PathBuf,
    /// The file that is used.
    pub used: PathBuf,
    /// The paths in the code that lead there.
    pub names: Vec<String>,
}

/// The circles of all packages, the longest first.
pub fn circles_of_workspace(root: &Path) -> anyhow::Result<Vec<Circle>> {
    let mut all = Vec::new();
    for (package, folder) in crate_folders(root)? {
        let sources = read_sources(&folder.join("src"))?;
        all.extend(circles_of_package(&package, &sources)?);
    }
    all.sort_by_key(|circle| std::cmp::Reverse(circle.files.len()));
    Ok(all)
}

fn read_sources(folder: &Path) -> anyhow::Result<Sources> {
    let mut sources = Sources::new();
    for file in rust_files(folder)? {
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}", file.display()))?;
        sources.insert(file.strip_prefix(folder).unwrap_or(&file).to_path_buf(), text);
    }
    Ok(sources)
}

fn circles_of_package(package: &str, sources: &Sources) -> anyhow::Result<Vec<Circle>> {
    let mut found = Vec::new();
    for root in ROOTS.map(Path::new).into_iter().filter(|root| sources.contains_key(*root)) {
        let uses = uses_of_crate(&Crate::read(sources, root)?);
        for files in circles(&uses) {
            found.push(Circle::new(package, files, &uses));
        }
    }
    Ok(found)
}

impl Circle {
    fn new(package: &str, files: Vec<PathBuf>, all: &UsesOfFiles) -> Self {
        let mut uses = Vec::new();
        for user in &files {
            for (used, names) in all.get(user).into_iter().flatten() {
                if files.contains(used) {
                    let (user, used, names) = (user.clone(), used.clone(), names.clone());
                    uses.push(Uses { user, used, names });
                }
            }
        }
        Self { package: package.to_owned(), files, uses }
    }
}

impl fmt::Display for Circle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {} files:", self.package, self.files.len())?;
        self.files.iter().try_for_each(|file| write!(formatter, " {}", file.display()))
    }
}

impl fmt::Display for Uses {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (user, used) = (self.user.display(), self.used.display());
        write!(formatter, "{user} uses {used}: {}", self.names.join(", "))
    }
}
