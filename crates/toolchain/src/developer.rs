//! Tools that the work on warpsan itself needs, beside the compiler that users have.
//!
//! NVIDIA's wheels of CUDA 12.9 have ptxas, the headers and NVRTC, but neither nvcc nor the compilers that
//! nvcc starts. So code for architectures that CUDA 13 no longer knows is made by NVRTC 12.9, which
//! compiles kernels and device functions and no host code.

use std::ffi::CString;
use std::path::{Path, PathBuf};

use crate::install::Installer;
use crate::kernels::on_large_stack;
use crate::nvrtc::Nvrtc;
use crate::wheels::DEVELOPER_TOOLS;
use crate::{Consent, Decision, Environment, Error, Offer, Progress};

/// The developers' tools, in the private cache.
#[derive(Clone, Debug)]
pub struct DeveloperTools {
    folder: PathBuf,
}

/// The parts of CUDA 12.9 that exist as wheels: NVRTC, ptxas and the headers.
#[derive(Clone, Debug)]
pub struct OlderCompiler {
    folder: PathBuf,
}

impl DeveloperTools {
    /// The tools, if they were fetched before.
    pub fn find(environment: &Environment) -> Option<Self> {
        let folder = Installer::of(&DEVELOPER_TOOLS, environment).ok()?.installed_folder()?;
        Some(Self { folder })
    }

    /// The tools, fetched now if they are not there and `ask` agrees.
    pub fn find_or_install(
        environment: &Environment,
        ask: &mut dyn FnMut(&Offer) -> Decision,
        progress: &mut dyn Progress,
    ) -> Result<Self, Error> {
        if let Some(found) = Self::find(environment) {
            return Ok(found);
        }
        let installer = Installer::of(&DEVELOPER_TOOLS, environment)?;
        let consent: Consent = match ask(installer.offer()) {
            Decision::Granted(consent) => consent,
            Decision::Refused | Decision::NobodyToAsk => {
                return Err(Error::developer_tools_unavailable());
            }
        };
        let folder = installer.install_folder(consent, progress)?;
        Ok(Self { folder })
    }

    /// The program that shows what fat binaries contain.
    pub fn cuobjdump(&self) -> PathBuf {
        self.folder.join("nvidia/cu13/bin/cuobjdump")
    }

    /// CUDA 12.9.
    pub fn older_compiler(&self) -> OlderCompiler {
        OlderCompiler { folder: self.folder.join("nvidia") }
    }
}

impl OlderCompiler {
    /// Its version of CUDA.
    pub const CUDA_VERSION: &'static str = "12.9";

    /// The assembler for PTX.
    pub fn ptxas(&self) -> PathBuf {
        self.folder.join("cuda_nvcc/bin/ptxas")
    }

    /// The folders of its headers.
    pub fn include_folders(&self) -> Vec<PathBuf> {
        let names = ["cuda_cccl/include", "cuda_runtime/include", "cuda_nvcc/include"];
        names.iter().map(|name| self.folder.join(name)).collect()
    }

    /// Compiles device code to PTX. `options` are NVRTC's, each as one word; the folders of the headers are
    /// added. Errors in the source are [`Error::DoesNotCompile`].
    pub fn compile(&self, source: &Path, text: &str, options: &[String]) -> Result<String, Error> {
        let unusable = |detail| Error::UnusableSource { path: source.to_path_buf(), detail };
        let with_zero = |_| unusable("the text or an option contains a zero byte");
        let text = CString::new(text).map_err(with_zero)?;
        let name = crate::nvrtc::path_text(source)?;
        let mut words: Vec<CString> = Vec::new();
        for option in options {
            words.push(CString::new(option.as_str()).map_err(with_zero)?);
        }
        for folder in self.include_folders() {
            let folder = crate::nvrtc::path_text(&folder)?;
            words.push(CString::new([b"-I", folder.as_bytes()].concat()).map_err(with_zero)?);
        }
        let library = self.folder.join("cuda_nvrtc/lib/libnvrtc.so.12");
        let outcome = on_large_stack(|| Nvrtc::load(&library)?.compile(&text, &name, &words))?;
        outcome.ptx.ok_or_else(|| Error::DoesNotCompile {
            source_file: source.to_path_buf(),
            log: outcome.log,
        })
    }
}
