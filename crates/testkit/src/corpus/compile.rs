//! CUDA source to PTX: by nvcc, or by the library of CUDA 12.9 for architectures that CUDA 13 dropped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use warpsan_toolchain::{OlderCompiler, Toolchain, Toolkit};

use super::store::{Key, Store};
use super::{CorpusError, Mode, Unit};

/// The compilers, and what they compiled before.
#[derive(Debug)]
pub struct Compilers {
    toolchain: Toolchain,
    /// Not there if nobody asks for an architecture that needs it.
    older: Option<OlderCompiler>,
    pub(crate) store: Store,
    /// Every file beside the sources that they may include.
    shared_text: Vec<u8>,
    /// Distinguishes one installation of the compilers from another.
    identity: String,
}

/// Why there is no PTX.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CompileFailure {
    /// The compiler refused the source; its messages.
    #[error("{0}")]
    Refused(String),
    /// The compiler could not be used.
    #[error("{0}")]
    Broken(String),
}

impl Compilers {
    /// `folder` is the folder of the sources.
    pub fn new(
        toolchain: Toolchain,
        older: Option<OlderCompiler>,
        store: Store,
        folder: &Path,
    ) -> Result<Self, CorpusError> {
        let version =
            toolchain.toolkit().version().map_err(|error| CorpusError::new(error.to_string()))?;
        let root = toolchain.toolkit().root().display().to_string();
        let identity = format!("{version} in {root}, {}", OlderCompiler::CUDA_VERSION);
        let mut shared_text = include_bytes!("../../nvrtc-headers/cstdint").to_vec();
        add_headers(folder, &mut shared_text)?;
        Ok(Self { toolchain, older, store, shared_text, identity })
    }

    /// The PTX of a unit.
    pub fn ptx(&self, unit: &Unit) -> Result<String, CompileFailure> {
        let options = if unit.architecture.needs_older_compiler() {
            self.nvrtc_options(unit)
        } else {
            nvcc_options(unit)
        };
        let key = self.key("ptx", unit, &options);
        self.kept_or_made(&key, true, || {
            if unit.architecture.needs_older_compiler() {
                self.by_nvrtc(unit, &options)
            } else {
                nvcc_ptx(self.toolchain.toolkit(), &unit.source.path, &options)
            }
        })
    }

    /// The PTX of a source that is not one of the corpus, for sm_90.
    pub fn ptx_of_file(
        &self,
        source: &Path,
        mode: Mode,
        flags: &[String],
    ) -> Result<String, CompileFailure> {
        let broken = |message: String| CompileFailure::Broken(message);
        let text = fs::read(source)
            .map_err(|error| broken(format!("cannot read {}: {error}", source.display())))?;
        let mut headers = Vec::new();
        if let Some(folder) = source.parent() {
            add_headers(folder, &mut headers).map_err(|error| broken(error.to_string()))?;
        }
        let mut options = vec!["-ptx".to_owned(), "-arch=sm_90".to_owned()];
        options.extend(mode.nvcc_flags().iter().map(ToString::to_string));
        options.extend(flags.iter().cloned());
        let path = source.as_os_str().as_encoded_bytes();
        let fixed = [self.identity.as_bytes(), path, &text, &headers];
        let parts = fixed.into_iter().chain(options.iter().map(String::as_bytes));
        let key = Key::new("ptx of a file", parts);
        // Files of other suites are meant to compile: if one does not, that will change.
        self.kept_or_made(&key, false, || nvcc_ptx(self.toolchain.toolkit(), source, &options))
    }

    /// What was compiled before, or is compiled now and kept.
    fn kept_or_made(
        &self,
        key: &Key,
        refusals_too: bool,
        make: impl FnOnce() -> Result<String, CompileFailure>,
    ) -> Result<String, CompileFailure> {
        if let Some(stored) = self.store.get(key).and_then(|bytes| String::from_utf8(bytes).ok()) {
            return match stored.strip_prefix(REFUSED) {
                Some(log) => Err(CompileFailure::Refused(log.to_owned())),
                None => Ok(stored),
            };
        }
        let result = make();
        let stored = match &result {
            Err(CompileFailure::Refused(_)) if !refusals_too => return result,
            Ok(ptx) => ptx.clone(),
            Err(CompileFailure::Refused(log)) => format!("{REFUSED}{log}"),
            Err(CompileFailure::Broken(_)) => return result,
        };
        self.store
            .put(key, stored.as_bytes())
            .map_err(|error| CompileFailure::Broken(format!("cannot keep the PTX: {error}")))?;
        result
    }

    /// The toolkit's nvcc and its libraries.
    pub(crate) fn toolchain(&self) -> &Toolchain {
        &self.toolchain
    }

    /// The assembler that belongs to the compiler of a unit.
    pub(crate) fn ptxas(&self, unit: &Unit) -> Option<PathBuf> {
        if unit.architecture.needs_older_compiler() {
            self.older.as_ref().map(OlderCompiler::ptxas)
        } else {
            self.toolchain.toolkit().ptxas()
        }
    }

    /// A key of everything that compiling a source depends on.
    pub(crate) fn key(&self, kind: &str, unit: &Unit, options: &[String]) -> Key {
        let fixed = [
            self.identity.as_bytes(),
            &self.shared_text,
            unit.source.path.as_os_str().as_encoded_bytes(),
            unit.source.text.as_bytes(),
        ];
        Key::new(kind, fixed.into_iter().chain(options.iter().map(String::as_bytes)))
    }

    /// What assembling depends on, beside the text and the flags.
    pub(crate) fn identity(&self) -> &str {
        &self.identity
    }

    fn nvrtc_options(&self, unit: &Unit) -> Vec<String> {
        let mut options = vec![format!("-arch={}", unit.architecture.compute())];
        options.extend(unit.mode.nvrtc_flags().iter().map(ToString::to_string));
        if !unit.source.flags.iter().any(|flag| flag.starts_with("-std")) {
            options.push("-std=c++17".to_owned());
        }
        // What nvcc takes without a flag: 128-bit integers, and functions that belong to the host, which are
        // of no interest but must not be errors.
        options.extend(["-device-int128", "-default-device"].map(str::to_owned));
        let flags = unit.source.flags.iter().filter(|flag| !is_for_nvcc_only(flag));
        options.extend(flags.cloned());
        // CUB includes a few headers of the C library, which NVRTC does not have.
        let stand_ins = Path::new(env!("CARGO_MANIFEST_DIR")).join("nvrtc-headers");
        for folder in unit.source.path.parent().into_iter().chain([stand_ins.as_path()]) {
            options.push(format!("-I{}", folder.display()));
        }
        options
    }

    fn by_nvrtc(&self, unit: &Unit, options: &[String]) -> Result<String, CompileFailure> {
        let source = &unit.source;
        let missing = || CompileFailure::Broken("the compiler of CUDA 12.9 is not there".into());
        let older = self.older.as_ref().ok_or_else(missing)?;
        older.compile(&source.path, &source.text, options).map_err(|error| match error {
            warpsan_toolchain::Error::DoesNotCompile { log, .. } => CompileFailure::Refused(log),
            other => CompileFailure::Broken(other.to_string()),
        })
    }
}

/// Flags that allow device code what NVRTC allows anyway.
fn is_for_nvcc_only(flag: &str) -> bool {
    let name = flag.trim_start_matches('-');
    ["extended-lambda", "expt-extended-lambda", "expt-relaxed-constexpr"].contains(&name)
}

/// How a stored refusal begins; no PTX begins so.
const REFUSED: &str = "refused\n";

fn nvcc_options(unit: &Unit) -> Vec<String> {
    let mut options = vec!["-ptx".to_owned(), format!("-arch={}", unit.architecture.compute())];
    options.extend(unit.mode.nvcc_flags().iter().map(ToString::to_string));
    options.extend(unit.source.flags.iter().cloned());
    options
}

/// The PTX that nvcc makes of a file; the options say for what.
pub fn nvcc_ptx(
    toolkit: &Toolkit,
    source: &Path,
    options: &[String],
) -> Result<String, CompileFailure> {
    let broken = |what: &str| {
        let what = what.to_owned();
        move |error: std::io::Error| CompileFailure::Broken(format!("{what}: {error}"))
    };
    let folder = tempfile::tempdir().map_err(broken("no temporary folder"))?;
    let output_file = folder.path().join("unit.ptx");
    let output = Command::new(toolkit.nvcc())
        .args(options)
        .arg(source)
        .arg("-o")
        .arg(&output_file)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .map_err(broken("nvcc could not be started"))?;
    if !output.status.success() {
        return Err(CompileFailure::Refused(all_text(&output)));
    }
    fs::read_to_string(&output_file).map_err(broken("nvcc's output cannot be read"))
}

/// What a program said on both of its streams.
pub(crate) fn all_text(output: &std::process::Output) -> String {
    let texts = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    texts.concat().trim().to_owned()
}

/// Adds names and contents of the headers below a folder.
fn add_headers(folder: &Path, all: &mut Vec<u8>) -> Result<(), CorpusError> {
    let unreadable = |path: &Path, error: std::io::Error| {
        CorpusError::new(format!("cannot read {}: {error}", path.display()))
    };
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add_headers(&path, all)?;
        } else if path.extension().is_some_and(|e| e == "cuh" || e == "h" || e == "hpp") {
            all.extend_from_slice(path.as_os_str().as_encoded_bytes());
            all.extend(fs::read(&path).map_err(|error| unreadable(&path, error))?);
        }
    }
    Ok(())
}
