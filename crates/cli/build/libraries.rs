//! The nested cargo that builds the libraries of the checked process.

use super::{Failure, rerun_if_changed, variable};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The libraries that cargo has built.
pub(crate) struct BuiltLibraries {
    pub(crate) runtime: PathBuf,
    pub(crate) audit: PathBuf,
}

/// The nested cargo.
pub(crate) struct Nested {
    crates: PathBuf,
    target_folder: PathBuf,
}

impl Nested {
    pub(crate) fn new(out: &Path, crates: &Path) -> Result<Nested, Failure> {
        let target_folder = nested_target_folder(out)?;
        Ok(Nested { crates: crates.to_owned(), target_folder })
    }

    /// Builds what the arguments name, and has this script run again when one of the sources changes that the files of
    /// dependencies list. The folder with what was built.
    pub(crate) fn build(
        &self,
        arguments: &[&str],
        dependencies: &[&str],
    ) -> Result<PathBuf, Failure> {
        let (host, target) = (variable("HOST")?, variable("TARGET")?);
        let mut command = Command::new(variable("CARGO")?);
        command.current_dir(&self.crates);
        // The outer cargo has just checked the lock file, and has fetched what the libraries need, since
        // the command uses the same crates: nothing is left for the network.
        command.args(["build", "--release", "--locked"]).args(arguments);
        command.arg("--target-dir").arg(&self.target_folder);
        let mut libraries = self.target_folder.clone();
        if host != target {
            command.args(["--target", &target]);
            libraries.push(&target);
        }
        libraries.push("release");
        let is_debug = variable("PROFILE")? == "debug";
        clean_environment(&mut command);
        // Those of a debug build are as fast without the last passes over all crates, which take a minute.
        if is_debug {
            command.env("CARGO_PROFILE_RELEASE_LTO", "off");
        }
        let output = command.output().map_err(|error| format!("cannot start cargo: {error}"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("{command:?} failed:\n{said}"));
        }
        let mut sources = BTreeSet::new();
        for name in dependencies {
            collect_sources(&libraries.join(name), &mut sources)?;
        }
        sources.insert(self.crates.join("../Cargo.toml"));
        sources.insert(self.crates.join("../Cargo.lock"));
        sources.iter().for_each(|source| rerun_if_changed(source));
        Ok(libraries)
    }
}

/// Builds the libraries for CUDA.
pub(crate) fn build(nested: &Nested) -> Result<BuiltLibraries, Failure> {
    let packages = ["--package", "warpsan-cuda-api", "--package", "warpsan-audit"];
    let libraries = nested.build(&packages, &["libwarpsan_rt.d", "libwarpsan_audit.d"])?;
    Ok(BuiltLibraries {
        runtime: libraries.join("libwarpsan_rt.so"),
        audit: libraries.join("libwarpsan_audit.so"),
    })
}

/// The C compiler, which links what is not Rust.
pub(crate) fn c_compiler() -> Command {
    println!("cargo::rerun-if-env-changed=CC");
    let compiler = std::env::var_os("CC").filter(|name| !name.is_empty());
    Command::new(compiler.unwrap_or_else(|| "cc".into()))
}

/// Has it link a library.
pub(crate) fn run_compiler(command: &mut Command, library: &str) -> Result<(), Failure> {
    let output = command.output().map_err(|error| {
        let compiler = command.get_program().to_string_lossy();
        format!(
            "cannot start the C compiler `{compiler}`, which links {library}: {error}\n\
             Install gcc or clang, or set CC to the compiler to use."
        )
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{command:?} failed:\n{said}"));
    }
    Ok(())
}

/// A folder beside the outer cargo's: that one is locked while this script runs. All profiles share
/// it, so that a debug build, clippy and a release build do not compile the libraries anew.
fn nested_target_folder(out: &Path) -> Result<PathBuf, Failure> {
    let target = variable("TARGET")?;
    let mut profile = out.ancestors().skip_while(|folder| !folder.ends_with("build")).skip(1);
    let folder = profile.next().and_then(Path::parent);
    let folder = folder.ok_or_else(|| format!("unexpected OUT_DIR {}", out.display()))?;
    let folder = if folder.ends_with(&target) { folder.parent().unwrap_or(folder) } else { folder };
    Ok(folder.join("embedded"))
}

/// Takes away what the outer cargo set for its own build: the wrappers of clippy, flags, profiles
/// and folders. What says how to reach a registry stays.
fn clean_environment(command: &mut Command) {
    const KEPT: [&str; 8] = [
        "CARGO_HOME",
        "CARGO_NET_",
        "CARGO_HTTP_",
        "CARGO_REGISTR",
        "CARGO_SOURCE_",
        "CARGO_CREDENTIAL_",
        "CARGO_TERM_",
        "CARGO_BUILD_JOBS",
    ];
    const REMOVED: [&str; 12] = [
        "RUSTC",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_LINKER",
        "RUSTDOC",
        "RUSTFLAGS",
        "RUSTDOCFLAGS",
        "CLIPPY_ARGS",
        "OUT_DIR",
        "TARGET",
        "HOST",
        "PROFILE",
    ];
    for (name, _) in std::env::vars_os() {
        let Some(text) = name.to_str() else { continue };
        let of_cargo = text.starts_with("CARGO") && !KEPT.iter().any(|kept| text.starts_with(kept));
        if of_cargo || REMOVED.contains(&text) {
            command.env_remove(&name);
        }
    }
    // Debug information would make up most of what the binary carries.
    command.env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    command.env("CARGO_PROFILE_RELEASE_STRIP", "debuginfo");
}

/// Reads which files a library was made from, and adds the manifests of their crates.
fn collect_sources(dependencies: &Path, sources: &mut BTreeSet<PathBuf>) -> Result<(), Failure> {
    let text = std::fs::read_to_string(dependencies)
        .map_err(|error| format!("cannot read {}: {error}", dependencies.display()))?;
    let files = text.lines().filter_map(|line| line.split_once(": ")).map(|(_, files)| files);
    for file in files.flat_map(split_escaped) {
        let mut folders = file.ancestors().skip(1).map(|folder| folder.join("Cargo.toml"));
        sources.extend(folders.find(|manifest| manifest.is_file()));
        sources.insert(file);
    }
    Ok(())
}

/// Splits a list of files at spaces, but not where a backslash stands before one.
fn split_escaped(files: &str) -> Vec<PathBuf> {
    let mut names = vec![String::new()];
    let mut characters = files.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => names.last_mut().into_iter().for_each(|name| name.extend(characters.next())),
            ' ' => names.push(String::new()),
            other => names.last_mut().into_iter().for_each(|name| name.push(other)),
        }
    }
    names.into_iter().filter(|name| !name.is_empty()).map(PathBuf::from).collect()
}
