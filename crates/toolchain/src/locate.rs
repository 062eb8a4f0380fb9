//! Where a compiler is looked for, in which order.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{
    Decision, Environment, Error, Installer, Offer, Origin, Progress, Toolchain, Toolkit,
    consent::Consent,
};

/// What the search is given: the user's flag, if any, and the environment.
#[derive(Clone, Debug)]
pub struct Search {
    /// The value of `--cuda-path`.
    pub cuda_path: Option<PathBuf>,
    /// Variables and the usual folder.
    pub environment: Environment,
}

impl Search {
    /// A search in the environment of this process.
    pub fn new(cuda_path: Option<PathBuf>) -> Self {
        Self { cuda_path, environment: Environment::of_process() }
    }

    /// The first toolkit of: `--cuda-path`, `CUDA_HOME`, `CUDA_PATH`, `PATH`, the usual folder, the
    /// private cache. A place that the user named and that has no compiler is an error: going on
    /// silently would use another compiler than the one they chose.
    pub fn find(&self) -> Result<Option<Toolchain>, Error> {
        let found = match self.find_outside_the_cache()? {
            Some(toolkit) => Some(toolkit),
            None => self.find_in_the_cache(),
        };
        Ok(found.map(|toolkit| {
            tracing::debug!(root = %toolkit.root().display(), origin = %toolkit.origin(), "toolkit");
            Toolchain::new(toolkit, self.environment.clone())
        }))
    }

    /// [`Search::find`], and where nothing is found, an installation if `ask` agrees to it.
    pub fn find_or_install(
        &self,
        ask: &mut dyn FnMut(&Offer) -> Decision,
        progress: &mut dyn Progress,
    ) -> Result<Toolchain, Error> {
        if let Some(found) = self.find()? {
            return Ok(found);
        }
        let installer = Installer::new(&self.environment)?;
        let consent = ask(installer.offer()).into_consent()?;
        self.install(&installer, consent, progress)
    }

    /// Installs the pinned wheels, or uses them if they are there already.
    pub fn install(
        &self,
        installer: &Installer,
        consent: Consent,
        progress: &mut dyn Progress,
    ) -> Result<Toolchain, Error> {
        let toolkit = installer.install(consent, progress)?;
        Ok(Toolchain::new(toolkit, self.environment.clone()))
    }

    fn find_outside_the_cache(&self) -> Result<Option<Toolkit>, Error> {
        let variable = |name| self.environment.get(name).map(PathBuf::from);
        let named = [
            ("--cuda-path", Origin::Flag, self.cuda_path.clone()),
            ("CUDA_HOME", Origin::CudaHome, variable("CUDA_HOME")),
            ("CUDA_PATH", Origin::CudaPath, variable("CUDA_PATH")),
        ];
        for (given_by, origin, folder) in named {
            let Some(folder) = folder else { continue };
            let folder =
                std::path::absolute(&folder).map_err(Error::io("make absolute", &folder))?;
            return Toolkit::at(&folder, origin).map(Some).ok_or_else(|| Error::NoToolkitThere {
                given_by,
                missing: folder.join("bin/nvcc"),
                folder,
            });
        }
        if let Some(nvcc) = self.environment.find_program(OsStr::new("nvcc")) {
            return toolkit_of(&nvcc, &self.environment).map(Some);
        }
        Ok(Toolkit::at(self.environment.usual_folder(), Origin::UsualFolder))
    }

    /// Problems with the cache (no home folder, no wheels for this machine) are not an error here: they
    /// become one when something is to be installed.
    fn find_in_the_cache(&self) -> Option<Toolkit> {
        Installer::new(&self.environment).ok()?.installed()
    }
}

/// The toolkit that an nvcc on `PATH` belongs to. It may be a link or a wrapper script, so the
/// neighbourhood is looked at first, and then nvcc itself is asked.
fn toolkit_of(nvcc: &Path, environment: &Environment) -> Result<Toolkit, Error> {
    let real = nvcc.canonicalize().unwrap_or_else(|_| nvcc.to_path_buf());
    let neighbours = [nvcc, &real].map(|path| Some(path.parent()?.parent()?.to_path_buf()));
    for root in neighbours.into_iter().flatten() {
        if let Some(toolkit) = Toolkit::at(&root, Origin::Path).filter(has_headers) {
            return Ok(toolkit);
        }
    }
    let top = ask_for_top(nvcc, environment)?;
    Toolkit::at(&top, Origin::Path)
        .ok_or_else(|| unusable(nvcc, format!("it says {}, where bin/nvcc is not", top.display())))
}

/// The nvcc on `PATH` is of no use, and why.
fn unusable(nvcc: &Path, detail: String) -> Error {
    Error::PathCompilerUnusable { nvcc: nvcc.to_path_buf(), detail }
}

fn has_headers(toolkit: &Toolkit) -> bool {
    toolkit.include_folders().iter().any(|folder| folder.join("cuda_runtime.h").is_file())
}

/// A dry run prints the variables of nvcc's profile, `TOP` among them, and needs no source.
fn ask_for_top(nvcc: &Path, environment: &Environment) -> Result<PathBuf, Error> {
    let output = Command::new(nvcc)
        .args(["--dryrun", "source.cu"])
        .env_clear()
        .envs(environment.variables())
        .stdin(Stdio::null())
        .output()
        .map_err(|error| unusable(nvcc, format!("it could not be started ({error})")))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let top = text.lines().find_map(|line| line.strip_prefix("#$ TOP="));
    let silent = || unusable(nvcc, "`nvcc --dryrun` does not say where it is".to_owned());
    let top = top.ok_or_else(silent)?;
    Path::new(top.trim()).canonicalize().map_err(|error| unusable(nvcc, format!("{top}: {error}")))
}
