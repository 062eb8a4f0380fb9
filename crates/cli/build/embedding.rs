//! Builds the libraries that go into a checked process, and puts them into the `warpsan` binary.
//!
//! They are `libwarpsan_rt.so` and `libwarpsan_audit.so`, which a cargo of their own builds, always
//! optimised, because they run kernels; and `libcudart.so.12` and `.13`, `libcuda.so.1` and
//! `gpu/libcuda.so.1`, which are generated; and those for programs with threads.

#[path = "forwarder.rs"]
mod forwarder;
#[path = "jump_table.rs"]
mod jump_table;
#[path = "libraries.rs"]
mod libraries;
#[path = "thread_libraries.rs"]
mod thread_libraries;

use jump_table::Table;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A message for the person who builds.
type Failure = String;

/// The versions of cudart that a program may ask for.
const CUDART_VERSIONS: [&str; 2] = ["12", "13"];

/// Ends the build where that fails.
pub(crate) fn run() {
    if let Err(message) = build() {
        let _ = writeln!(std::io::stderr(), "{message}");
        println!("cargo::error=the libraries inside warpsan could not be built, see above");
        std::process::exit(1);
    }
}

fn build() -> Result<(), Failure> {
    let out = PathBuf::from(variable("OUT_DIR")?);
    // Clippy reads the code around the libraries, and needs none of them.
    println!("cargo::rerun-if-env-changed=CLIPPY_ARGS");
    if std::env::var_os("CLIPPY_ARGS").is_some() {
        return write_table(&out.join("embedded_libraries.rs"), &out, &[]);
    }
    let crates = crates_folder()?;
    let files =
        ["embedding.rs", "forwarder.rs", "jump_table.rs", "libraries.rs", "thread_libraries.rs"];
    for file in files {
        rerun_if_changed(&crates.join("cli/build").join(file));
    }
    let nested = libraries::Nested::new(&out, &crates)?;
    let built = libraries::build(&nested)?;
    let mut embedded = vec![
        keep(&built.runtime, &out.join("libwarpsan_rt.so"))?,
        keep(&built.audit, &out.join("libwarpsan_audit.so"))?,
    ];
    for version in CUDART_VERSIONS {
        let symbols = crates.join("cuda-api/symbols").join(format!("cudart-{version}.txt"));
        rerun_if_changed(&symbols);
        let library = format!("libcudart.so.{version}");
        let table = Table { library: &library, version, symbols: &symbols };
        embedded.push(jump_table::build(&table, &embedded[0], &out)?);
    }
    let symbols = crates.join("cuda-api/symbols/cuda-driver.txt");
    rerun_if_changed(&symbols);
    let table = Table { library: "libcuda.so.1", version: "", symbols: &symbols };
    embedded.push(jump_table::build(&table, &embedded[0], &out)?);
    let symbols = crates.join("forward/symbols/libcuda-580.txt");
    rerun_if_changed(&symbols);
    embedded.push(forwarder::build(&symbols, &embedded[0], &out)?);
    embedded.extend(thread_libraries::build(&nested, &out)?);
    write_table(&out.join("embedded_libraries.rs"), &out, &embedded)
}

/// Writes the Rust file that carries the libraries. A library's name is its path below `out`.
fn write_table(file: &Path, out: &Path, libraries: &[PathBuf]) -> Result<(), Failure> {
    let mut hash = Sha256::new();
    let mut text = String::from("static LIBRARIES: &[EmbeddedLibrary] = &[\n");
    for library in libraries {
        let bytes = read(library)?;
        hash.update(bytes.len().to_le_bytes());
        hash.update(&bytes);
        let name = library.strip_prefix(out).unwrap_or(library);
        let _ = writeln!(
            text,
            "    EmbeddedLibrary {{ name: {name:?}, bytes: include_bytes!({library:?}) }},"
        );
    }
    let digest = hash.finalize();
    let mut name = String::new();
    for byte in &digest[..16] {
        let _ = write!(name, "{byte:02x}");
    }
    let _ = write!(text, "];\n\nconst CONTENT_HASH: &str = {name:?};\n");
    write(file, &text)
}

/// Copies a library to where the next build of the nested cargo does not touch it.
fn keep(from: &Path, to: &Path) -> Result<PathBuf, Failure> {
    let copied = std::fs::copy(from, to);
    copied
        .map_err(|error| format!("cannot copy {} to {}: {error}", from.display(), to.display()))?;
    Ok(to.to_owned())
}

fn crates_folder() -> Result<PathBuf, Failure> {
    let own = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    own.parent().map(Path::to_owned).ok_or_else(|| "this crate has no parent folder".to_owned())
}

fn variable(name: &str) -> Result<String, Failure> {
    std::env::var(name).map_err(|error| format!("cargo should have set {name}: {error}"))
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))
}

fn rerun_if_changed(file: &Path) {
    println!("cargo::rerun-if-changed={}", file.display());
}
