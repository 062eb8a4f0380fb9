//! The installation of the pinned wheels into the private cache.
//!
//! **Invariant:** the final folder appears by one rename and only with its marker inside; without a
//! valid marker it is never used. Whoever installs holds the lock, so every staging folder that the
//! holder of the lock finds is the rest of an interrupted run, and is removed.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::consent::{Consent, Offer};
use crate::pip::Pip;
use crate::wheels::{NEEDED_FILES, TOOLKIT_FOLDER};
use crate::{Environment, Error, Origin, Progress, ProgressEvent, Toolkit, WheelSet};

const MARKER: &str = "complete.txt";
const STAGING_PREFIX: &str = "staging-";

/// Installs the compiler into the cache, once per user and set of wheels.
#[derive(Clone, Debug)]
pub struct Installer {
    environment: Environment,
    python: Option<PathBuf>,
    offer: Offer,
    shelf: PathBuf,
}

impl Installer {
    /// An installer into the cache that the environment names.
    pub fn new(environment: &Environment) -> Result<Self, Error> {
        let wheels = WheelSet::for_this_machine()?;
        let shelf = environment.cache_root()?.join("toolchain");
        let destination = shelf.join(wheels.folder_name());
        let offer = Offer { wheels, destination };
        Ok(Self { environment: environment.clone(), python: None, offer, shelf })
    }

    /// Uses this Python in place of the one on `PATH`.
    #[must_use]
    pub fn with_python(mut self, python: PathBuf) -> Self {
        self.python = Some(python);
        self
    }

    /// What would be installed, and where.
    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    /// The installed compiler, if it is whole.
    pub fn installed(&self) -> Option<Toolkit> {
        let marker = fs::read_to_string(self.offer.destination.join(MARKER)).ok()?;
        if marker != self.offer.wheels.marker_text() {
            tracing::warn!(folder = %self.offer.destination.display(), "invalid marker, not used");
            return None;
        }
        Toolkit::at(&self.offer.destination.join(TOOLKIT_FOLDER), Origin::Cache)
    }

    /// Installs the compiler, unless it is there already or another process is just doing it.
    pub fn install(&self, consent: Consent, progress: &mut dyn Progress) -> Result<Toolkit, Error> {
        if let Some(toolkit) = self.installed() {
            return Ok(toolkit);
        }
        fs::create_dir_all(&self.shelf).map_err(Error::io("create", &self.shelf))?;
        let _lock = self.lock(progress)?;
        if let Some(toolkit) = self.installed() {
            return Ok(toolkit);
        }
        self.remove_stale_staging();
        tracing::info!(consent = ?consent.source(), folder = %self.offer.destination.display(), "installing");
        let staging = self.new_staging()?;
        let result = self.install_through(&staging, progress);
        if let Err(error) = fs::remove_dir_all(&staging) {
            tracing::warn!(folder = %staging.display(), %error, "staging folder stays behind");
        }
        result?;
        let toolkit = self.installed().ok_or(Error::FetchIncomplete { missing: MARKER })?;
        progress.report(ProgressEvent::Finished { root: toolkit.root() });
        Ok(toolkit)
    }

    fn install_through(&self, staging: &Path, progress: &mut dyn Progress) -> Result<(), Error> {
        let pip = Pip::find(self.python.as_deref(), &self.environment)?;
        progress.report(ProgressEvent::Started { offer: &self.offer });
        let tree = pip.install(staging, self.offer.wheels, progress)?;
        complete_toolkit(&tree.join(TOOLKIT_FOLDER))?;
        write_marker(&tree, &self.offer.wheels.marker_text())?;
        self.move_into_place(&tree, staging)
    }

    /// Under the lock. What stands in the way has no valid marker, so nobody uses it.
    fn move_into_place(&self, tree: &Path, staging: &Path) -> Result<(), Error> {
        let destination = &self.offer.destination;
        if destination.symlink_metadata().is_ok() {
            let invalid = staging.join("invalid");
            fs::rename(destination, &invalid).map_err(Error::io("replace", destination))?;
        }
        fs::rename(tree, destination).map_err(Error::io("put the compiler into", destination))
    }

    /// The lock belongs to the open file, so the system releases it also when a process is killed.
    fn lock(&self, progress: &mut dyn Progress) -> Result<File, Error> {
        let path = self.shelf.join("lock");
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(Error::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                progress.report(ProgressEvent::WaitingForOther { lock: &path });
                file.lock().map_err(Error::io("lock", &path))?;
            }
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path)(error)),
        }
        Ok(file)
    }

    fn new_staging(&self) -> Result<PathBuf, Error> {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let unique = format!(
            "{STAGING_PREFIX}{}-{:x}",
            std::process::id(),
            now.unwrap_or_default().as_nanos()
        );
        let folder = self.shelf.join(unique);
        fs::create_dir(&folder).map_err(Error::io("create", &folder))?;
        Ok(folder)
    }

    fn remove_stale_staging(&self) {
        let Ok(entries) = self.shelf.read_dir() else { return };
        for entry in entries.flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.starts_with(STAGING_PREFIX)) {
                tracing::info!(folder = %entry.path().display(), "removing an interrupted fetch");
                if let Err(error) = fs::remove_dir_all(entry.path()) {
                    tracing::warn!(folder = %entry.path().display(), %error, "cannot remove");
                }
            }
        }
    }
}

/// Checks what pip unpacked, and adds the link name that the wheels lack: `-cudart shared` makes the
/// linker look for `libcudart.so`.
fn complete_toolkit(root: &Path) -> Result<(), Error> {
    if let Some(missing) = NEEDED_FILES.into_iter().find(|name| !root.join(name).is_file()) {
        return Err(Error::FetchIncomplete { missing });
    }
    let link = root.join("lib/libcudart.so");
    if link.symlink_metadata().is_err() {
        symlink("libcudart.so.13", &link).map_err(Error::io("create", &link))?;
    }
    Ok(())
}

/// The marker must not survive a power cut that the files did not survive, so they go to the disk first.
fn write_marker(tree: &Path, text: &str) -> Result<(), Error> {
    let path = tree.join(MARKER);
    let mut file = File::create(&path).map_err(Error::io("create", &path))?;
    // SAFETY: the descriptor is open for as long as `file` lives; syncfs touches no memory.
    if unsafe { libc::syncfs(file.as_raw_fd()) } != 0 {
        return Err(Error::io("write out", tree)(std::io::Error::last_os_error()));
    }
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    written.map_err(Error::io("write", &path))
}
