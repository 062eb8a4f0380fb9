//! The programs under `suites/speculation`: which loads the device compiler speculates, and whether the IR has
//! their guards.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use warpsan_ir::ModuleIndex;
use warpsan_ptx::Document;
use warpsan_toolchain::Toolkit;

use crate::corpus::nvcc_ptx;

/// The levels of the device compiler. nvcc's own `-O` is for the host code and changes no PTX.
pub const LEVELS: [&str; 3] = ["-O1", "-O2", "-O3"];

/// One program.
#[derive(Debug, Clone)]
pub struct Program {
    /// The file's name without its ending.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// How many speculated loads its PTX has at the highest level, as its `//@ speculated` lines say.
    pub speculated: usize,
}

/// The programs of the suite, by name.
pub fn read_programs(folder: &Path) -> anyhow::Result<Vec<Program>> {
    let unreadable = |path: &Path| format!("cannot read {}", path.display());
    let entries = fs::read_dir(folder).with_context(|| unreadable(folder))?;
    let mut programs = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| unreadable(folder))?.path();
        if path.extension().is_none_or(|extension| extension != "cu") {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| unreadable(&path))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let speculated = count(&text).with_context(|| {
            format!("{}: a line `//@ speculated` has no `loads=N`", path.display())
        })?;
        programs.push(Program { name, path, speculated });
    }
    programs.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(programs)
}

/// The sum of `loads=` in the lines `//@ speculated`.
fn count(text: &str) -> Option<usize> {
    text.lines()
        .filter_map(|line| line.strip_prefix("//@ speculated:"))
        .map(|rest| {
            rest.split_whitespace()
                .find_map(|word| word.strip_prefix("loads="))
                .and_then(|number| number.parse::<usize>().ok())
        })
        .sum()
}

/// The loads of a program that have a guard in the IR, as they stand in its PTX.
pub fn guarded_loads(
    toolkit: &Toolkit,
    program: &Program,
    level: &str,
) -> anyhow::Result<Vec<String>> {
    let options = ["-ptx", "-arch=sm_90", "-Xcicc", level].map(str::to_owned);
    let text = nvcc_ptx(toolkit, &program.path, &options)?;
    let document = Document::parse(text);
    if let Some(error) = document.errors().first() {
        anyhow::bail!(error.message_with_line(document.text()));
    }
    let index = ModuleIndex::of(&document);
    let mut loads = Vec::new();
    for function in document.module().functions().filter(|function| function.body.is_some()) {
        let lowered = warpsan_ir::function(&index, function.name)
            .with_context(|| function.name.to_owned())?;
        for load in lowered.code.iter().filter(|instruction| instruction.counts_if.is_some()) {
            let text = load.span.text(document.text());
            loads.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    Ok(loads)
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn the_loads_of_all_lines_are_added() {
        let text = "// CLEAN\n//@ speculated: kernel=a loads=2 gate=\"selp\"\n\
                    //@ speculated: kernel=b loads=1\nint x;\n";
        assert_eq!(count(text), Some(3));
        assert_eq!(count("//@ speculated: kernel=a\n"), None);
    }
}
