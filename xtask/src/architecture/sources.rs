//! What the sources of a crate must not contain, whatever its manifest says.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::rust_text::{Blank, blank, is_name};

/// The crates that talk to CUDA, or stand in its place.
pub(super) const MAY_HOLD_CUDA_FFI: &[&str] = &["gpu", "forward", "cuda-api", "audit"];

/// Packages whose purpose is to talk to CUDA.
pub(super) const CUDA_BINDINGS: &[&str] = &["cudarc", "cust", "cust_raw", "cuda-sys", "rustacuda"];

/// The commands: the only ones with a terminal and flags.
pub(super) const MAY_PRINT: &[&str] = &["cli", "testkit", "xtask"];

/// Packages whose purpose is a terminal or its flags.
pub(super) const TERMINAL_CRATES: &[&str] =
    &["clap", "indicatif", "console", "dialoguer", "colored"];

/// One finding: its line, from one, and what is wrong there.
type Finding = (usize, String);

/// Runs a check over the sources (not the tests) of all crates but the allowed ones.
pub(super) fn check_workspace(
    root: &Path,
    allowed: &[&str],
    check: fn(&str) -> Vec<Finding>,
) -> anyhow::Result<Vec<String>> {
    let mut violations = Vec::new();
    let mut files_read = 0;
    for (name, folder) in crate_folders(root)? {
        if allowed.contains(&name.as_str()) {
            continue;
        }
        for file in rust_files(&folder.join("src"))? {
            files_read += 1;
            let text = std::fs::read_to_string(&file)
                .with_context(|| format!("cannot read {}", file.display()))?;
            let shown = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            violations.extend(
                check(&text).into_iter().map(|(line, what)| format!("{shown}:{line}: {what}")),
            );
        }
    }
    ensure!(files_read > 0, "no source file was found under {}", root.display());
    Ok(violations)
}

/// The crates of the workspace: the names of their folders, and the folders.
pub(super) fn crate_folders(root: &Path) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let mut folders = vec![("xtask".to_owned(), root.join("xtask"))];
    for folder in entries(&root.join("crates"))? {
        let name = folder.file_name().context("a listed folder has a name")?;
        folders.push((name.to_string_lossy().into_owned(), folder));
    }
    Ok(folders)
}

/// Declarations of CUDA's functions, libraries to link for them, and their names for `dlsym`.
pub(super) fn cuda_ffi(source: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in blank(source, Blank::CommentsAndStrings).lines().enumerate() {
        let names = names(line);
        for pair in names.windows(2).filter(|pair| pair[0] == "fn" && is_cuda_function(pair[1])) {
            findings.push((index + 1, format!("declares CUDA's `{}`", pair[1])));
        }
    }
    for (index, line) in blank(source, Blank::Comments).lines().enumerate() {
        let compact: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        if compact.contains("link(name=\"cuda") {
            findings.push((index + 1, "links a CUDA library".to_owned()));
        }
        for prefix in ["b\"", "c\""] {
            for (at, _) in compact.match_indices(prefix) {
                let name = &compact[at + 2..];
                let end = name.find(|c| !is_name(c)).unwrap_or(name.len());
                if is_cuda_function(&name[..end]) {
                    findings.push((index + 1, format!("looks up CUDA's `{}`", &name[..end])));
                }
            }
        }
    }
    findings
}

/// `cuInit`, `cudaMalloc`, `__cudaRegisterFatBinary` and their like; no Rust function is called so.
fn is_cuda_function(name: &str) -> bool {
    let bare = name.strip_prefix("__").unwrap_or(name);
    ["cuda", "cu"].iter().any(|prefix| {
        bare.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase()))
    })
}

/// Printing macros, the standard streams and the command line.
pub(super) fn terminal_use(source: &str) -> Vec<Finding> {
    const MACROS: &[&str] = &["print!", "println!", "eprint!", "eprintln!", "dbg!"];
    const CALLS: &[&str] = &["stdout()", "stderr()", "env::args()", "env::args_os()"];
    let mut findings = Vec::new();
    for (index, line) in blank(source, Blank::CommentsAndStrings).lines().enumerate() {
        for what in MACROS.iter().chain(CALLS) {
            let found = line
                .match_indices(what)
                .any(|(at, _)| !line[..at].chars().next_back().is_some_and(is_name));
            if found {
                findings
                    .push((index + 1, format!("uses `{what}`; libraries log through `tracing`")));
            }
        }
    }
    findings
}

/// The words of a line, in order.
fn names(line: &str) -> Vec<&str> {
    line.split(|c| !is_name(c)).filter(|word| !word.is_empty()).collect()
}

fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let cannot_list = || format!("cannot list {}", folder.display());
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(cannot_list)? {
        paths.push(entry.with_context(cannot_list)?.path());
    }
    paths.sort();
    Ok(paths)
}

/// The Rust files in a folder and below, sorted.
pub(super) fn rust_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::{cuda_ffi, terminal_use};

    #[test]
    fn cuda_ffi_is_found_in_its_forms() {
        assert_eq!(cuda_ffi("unsafe extern \"C\" {\n    fn cuInit(flags: u32) -> i32;\n}")[0].0, 2);
        assert_eq!(cuda_ffi("pub extern \"C\" fn __cudaRegisterFatBinary() {}").len(), 1);
        assert_eq!(cuda_ffi("#[link(name = \"cudart\")]").len(), 1);
        assert_eq!(cuda_ffi("library.get(b\"cuLaunchKernel\\0\")").len(), 1);
        assert_eq!(cuda_ffi("dlsym(handle, c\"cudaMalloc\")").len(), 1);
    }

    #[test]
    fn speaking_about_cuda_is_no_ffi() {
        assert!(
            cuda_ffi("/// Answers `fn cudaMalloc(…)`.\nfn current() { log(\"cudaMalloc\") }")
                .is_empty()
        );
        assert!(
            cuda_ffi("let path = \"libcudart.so.13\"; fn cursor() {} fn cuda_version() {}")
                .is_empty()
        );
    }

    #[test]
    fn printing_and_flags_are_found() {
        assert_eq!(terminal_use("fn f() {\n    println!(\"x\");\n}")[0].0, 2);
        for source in ["eprint!(\"x\")", "std::io::stderr().lock()", "std::env::args().skip(1)"] {
            assert_eq!(terminal_use(source).len(), 1, "{source}");
        }
    }

    #[test]
    fn speaking_about_printing_is_no_printing() {
        let source =
            "// println! is for the command\nlet text = \"println!()\"; my_println!(text);";
        assert!(terminal_use(source).is_empty());
    }
}
