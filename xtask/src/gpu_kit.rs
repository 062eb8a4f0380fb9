//! A folder for a machine with a GPU and no Rust: the programs of this workspace without their debugging information,
//! the suites as sources, and the script that builds and runs them there (`suites/gpu/kit`).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use crate::process::{RELEASE_WARPSAN, built, cargo, run as run_process, workspace_root};

/// What is copied, with the same names as in the workspace, so that the scripts find it there as here.
const FOLDERS: &[&str] = &[
    "examples",
    "suites/bugs",
    "suites/gpu",
    "suites/hb",
    "suites/iguard",
    "suites/ld",
    "suites/programs",
    "suites/ptx",
    "suites/rdc",
    "suites/scor",
    "suites/values",
];

/// Folders of the list that a workspace may lack.
const OPTIONAL: &[&str] = &["suites/iguard"];

const BINARIES: &[&str] = &["warpsan", "warpsan-testkit"];

/// Larger kits do not travel everywhere.
const MOST_BYTES: u64 = 60 << 20;

/// A folder for a machine with a GPU and no Rust, which builds, compares and measures there
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where to write it; a former kit there is replaced
    #[arg(value_name = "FOLDER")]
    output: PathBuf,
    /// The folder with binaries that are there already; without it, they are built
    #[arg(long, value_name = "FOLDER")]
    binaries: Option<PathBuf>,
}

/// Makes the folder that the flags name.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let root = workspace_root();
    let binaries = match &args.binaries {
        Some(folder) => folder.clone(),
        None => build_binaries()?,
    };
    let kit = &args.output;
    if kit.exists() {
        ensure!(is_kit(kit), "{} is there, and is no kit that could be replaced", kit.display());
        fs::remove_dir_all(kit).with_context(|| format!("cannot empty {}", kit.display()))?;
    }
    copy_binaries(&binaries, &kit.join("bin"))?;
    copy_sources(&root, kit)?;
    let bytes = size(kit)?;
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    ensure!(bytes <= MOST_BYTES, "the kit has {mebibytes:.1} MiB, more than {}", MOST_BYTES >> 20);
    println!("{mebibytes:.1} MiB; on a machine with a GPU: {}/run.sh all", kit.display());
    Ok(())
}

/// Whether the folder was made by this command.
fn is_kit(folder: &Path) -> bool {
    folder.join("run.sh").exists() && folder.join("bin").is_dir()
}

fn build_binaries() -> anyhow::Result<PathBuf> {
    run_process(&mut cargo(RELEASE_WARPSAN))?;
    run_process(&mut cargo(&["build", "--release", "--package", "warpsan-testkit"]))?;
    Ok(built("release"))
}

/// The binaries, without what only a debugger reads.
fn copy_binaries(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for name in BINARIES {
        let (source, target) = (from.join(name), to.join(name));
        fs::copy(&source, &target).with_context(|| format!("cannot copy {}", source.display()))?;
        run_process(Command::new("strip").arg("--strip-debug").arg(&target))?;
    }
    Ok(())
}

fn copy_sources(root: &Path, kit: &Path) -> anyhow::Result<()> {
    for folder in FOLDERS {
        let source = root.join(folder);
        if source.exists() || !OPTIONAL.contains(folder) {
            copy_folder(&source, &kit.join(folder))?;
        }
    }
    let script = root.join("suites/gpu/kit/run.sh");
    fs::copy(&script, kit.join("run.sh")).context("cannot copy run.sh")?;
    Ok(())
}

/// Copies a folder with all that is in it, but for what Python compiled.
fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    let entries = fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?;
    for entry in entries {
        let source = entry.with_context(|| format!("cannot read {}", from.display()))?.path();
        let Some(name) = source.file_name().filter(|name| *name != "__pycache__") else { continue };
        let target = to.join(name);
        if source.is_dir() {
            copy_folder(&source, &target)?;
        } else {
            fs::copy(&source, &target)
                .with_context(|| format!("cannot copy {}", source.display()))?;
        }
    }
    Ok(())
}

/// The bytes of all files in a folder.
fn size(folder: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{OPTIONAL, copy_sources, is_kit, size};
    use crate::process::workspace_root;

    fn empty_folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("gpu-kit-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn a_kit_has_the_suites_and_its_script() {
        let kit = empty_folder("sources");
        copy_sources(&workspace_root(), &kit).unwrap();
        let is_there = |path: &str| kit.join(path).exists();
        assert!(is_there("run.sh") && is_there("suites/gpu/kit/run.py"));
        assert!(is_there("suites/programs/recorded") && is_there("suites/values/support"));
        assert!(is_there("suites/hb/support.h") && is_there("suites/hb/matrix"));
        assert!(!is_kit(&kit), "nothing without binaries may be taken for a kit and removed");
        fs::create_dir(kit.join("bin")).unwrap();
        assert!(is_kit(&kit));
        let bytes = size(&kit).unwrap();
        fs::remove_dir_all(&kit).unwrap();
        assert!((100_000..20_000_000).contains(&bytes), "{bytes}");
    }

    #[test]
    fn a_suite_that_must_be_there_is_missed() {
        assert!(OPTIONAL.len() < super::FOLDERS.len());
        let kit = empty_folder("missing");
        let error = copy_sources(Path::new("no-such-workspace"), &kit).unwrap_err();
        let _ = fs::remove_dir_all(&kit);
        assert!(error.to_string().contains("examples"), "{error}");
    }
}
