//! The benches, and their executables.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::tool::Code;
use crate::corpus::{Key, Store};
use crate::threads::{Compiler, run_compiler};

/// Takes down time and memory, from within the program.
const MEASURE: &str = include_str!("measure.c");

/// Sizes with which a bench takes a small part of a second natively.
const SMALL: [(&str, u64); 18] = [
    ("btree", 20),
    ("cg", 20),
    ("crypt", 500),
    ("database", 30),
    ("ep", 500),
    ("ft", 8),
    ("index", 200),
    ("is", 500),
    ("lufact", 200),
    ("mg", 4),
    ("moldyn", 300),
    ("montecarlo", 2000),
    ("raytracer", 100),
    ("series", 200),
    ("sor", 200),
    ("sparsematmult", 10),
    ("sunflow", 80),
    ("transform", 40),
];

/// One program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bench {
    /// The name of its file without the ending.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
}

impl Bench {
    /// A size for quick runs.
    pub fn small_size(&self) -> Option<u64> {
        SMALL.iter().find(|(name, _)| *name == self.name).map(|(_, size)| *size)
    }
}

/// The benches of this folder, in order.
pub fn read_benches(folder: &Path) -> anyhow::Result<Vec<Bench>> {
    let unlisted = || format!("cannot list {}", folder.display());
    let mut benches = Vec::new();
    for entry in fs::read_dir(folder).with_context(unlisted)? {
        let path = std::path::absolute(entry.with_context(unlisted)?.path())?;
        if path.extension().is_some_and(|ending| ending == "c" || ending == "cpp") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            benches.push(Bench { name, path });
        }
    }
    benches.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(benches)
}

/// Builds benches, and keeps them.
#[derive(Debug)]
pub struct Executables {
    gcc: Compiler,
    clang: Compiler,
    store: Store,
}

impl Executables {
    /// Kept in that folder.
    pub fn new(gcc: Compiler, clang: Compiler, kept: PathBuf) -> Self {
        Self { gcc, clang, store: Store::new(kept) }
    }

    /// The executable of a bench.
    pub fn build(&self, bench: &Bench, code: Code) -> anyhow::Result<PathBuf> {
        let unread = || format!("cannot read {}", bench.path.display());
        let header = bench.path.with_file_name("bench.h");
        let sources = [fs::read(&bench.path).with_context(unread)?, fs::read(header)?];
        let compiler = if code == Code::Clang { &self.clang } else { &self.gcc };
        let flags: &[&str] = match code {
            Code::Native => &["-O2"],
            Code::Gcc | Code::Clang => &["-O2", "-g", "-fsanitize=thread"],
        };
        let mut parts = vec![compiler.name.as_bytes(), compiler.version.as_bytes()];
        parts.extend(flags.iter().map(|flag| flag.as_bytes()));
        parts.extend([MEASURE.as_bytes(), bench.path.as_os_str().as_encoded_bytes()]);
        parts.extend(sources.iter().map(Vec::as_slice));
        let executable = self.store.path(&Key::new("bench with threads", parts));
        if !executable.is_file() {
            let folder = executable.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder)?;
            let draft = tempfile::tempdir_in(folder)?;
            let built = compile(bench, compiler, flags, draft.path())?;
            fs::rename(built, &executable)?;
        }
        Ok(executable)
    }
}

fn compile(
    bench: &Bench,
    compiler: &Compiler,
    flags: &[&str],
    folder: &Path,
) -> anyhow::Result<PathBuf> {
    let (source, object) = (folder.join("measure.c"), folder.join("measure.o"));
    fs::write(&source, MEASURE)?;
    let mut command = compiler.command_for(&source);
    run_compiler(command.args(["-O2", "-c"]).arg(&source).arg("-o").arg(&object))?;
    let executable = folder.join(&bench.name);
    let mut command = compiler.command_for(&bench.path);
    if bench.path.extension().is_some_and(|ending| ending == "cpp") {
        command.arg("-std=c++17");
    }
    command.args(flags).args(["-w", "-pthread"]).arg(&bench.path).arg(object);
    run_compiler(command.arg("-o").arg(&executable).arg("-lm"))?;
    Ok(executable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bench_has_a_small_size() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/bench/threads");
        let benches = read_benches(&folder).expect("they read");
        assert_eq!(benches.len(), SMALL.len());
        for bench in benches {
            assert!(bench.small_size().is_some(), "{}", bench.name);
        }
    }
}
