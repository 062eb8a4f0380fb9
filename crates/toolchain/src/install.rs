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
use crate::wheels::{COMPILER, Collection};
use crate::{Environment, Error, Origin, Progress, ProgressEvent, Toolkit};

/// Where the compiler's wheels put the toolkit, below the folder they are installed into.
const TOOLKIT_FOLDER: &str = "nvidia/cu13";

const MARKER: &str = "complete.txt";
const STAGING_PREFIX: &str = "staging-";

/// Installs wheels into the cache, once per user and set of wheels: the compiler, unless said otherwise.
#[derive(Clone, Debug)]
pub struct Installer {
    environment: Environment,
    python: Option<PathBuf>,
    offer: Offer,
    shelf: PathBuf,
}

impl Installer {
    /// An installer of the compiler into the cache that the environment names.
    pub fn new(environment: &Environment) -> Result<Self, Error> {
        Self::of(&COMPILER, environment)
    }

    /// An installer of any of our collections.
    pub(crate) fn of(
        collection: &'static Collection,
        environment: &Environment,
    ) -> Result<Self, Error> {
        let wheels = collection.for_this_machine()?;
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
        toolkit_in(&self.installed_folder()?)
    }

    /// The folder of a whole installation.
    pub(crate) fn installed_folder(&self) -> Option<PathBuf> {
        let marker = fs::read_to_string(self.offer.destination.join(MARKER)).ok()?;
        if marker != self.offer.wheels.marker_text() {
            tracing::warn!(folder = %self.offer.destination.display(), "invalid marker, not used");
            return None;
        }
        Some(self.offer.destination.clone())
    }

    /// Installs the compiler, unless it is there already or another process is just doing it.
    pub fn install(&self, consent: Consent, progress: &mut dyn Progress) -> Result<Toolkit, Error> {
        let folder = self.install_folder(consent, progress)?;
        toolkit_in(&folder).ok_or(Error::FetchIncomplete { missing: TOOLKIT_FOLDER })
    }

    /// Installs the wheels, whatever they are, and returns their folder.
    pub(crate) fn install_folder(
        &self,
        consent: Consent,
        progress: &mut dyn Progress,
    ) -> Result<PathBuf, Error> {
        if let Some(folder) = self.installed_folder() {
            return Ok(folder);
        }
        fs::create_dir_all(&self.shelf).map_err(Error::io("create", &self.shelf))?;
        let _lock = self.lock(progress)?;
        if let Some(folder) = self.installed_folder() {
            return Ok(folder);
        }
        self.remove_stale_staging();
        tracing::info!(consent = ?consent.source(), folder = %self.offer.destination.display(), "installing");
        let staging = self.new_staging()?;
        let result = self.install_through(&staging, progress);
        if let Err(error) = fs::remove_dir_all(&staging) {
            tracing::warn!(folder = %staging.display(), %error, "staging folder stays behind");
        }
        result?;
        let folder = self.installed_folder().ok_or(Error::FetchIncomplete { missing: MARKER })?;
        progress.report(ProgressEvent::Finished { root: &folder });
        Ok(folder)
    }

    fn install_through(&self, staging: &Path, progress: &mut dyn Progress) -> Result<(), Error> {
        let wheels = self.offer.wheels;
        let pip = Pip::find(self.python.as_deref(), &self.environment, wheels)?;
        progress.report(ProgressEvent::Started { offer: &self.offer });
        let tree = pip.install(staging, wheels, progress)?;
        complete(&tree, wheels.collection)?;
        write_marker(&tree, &wheels.marker_text())?;
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

fn toolkit_in(folder: &Path) -> Option<Toolkit> {
    Toolkit::at(&folder.join(TOOLKIT_FOLDER), Origin::Cache)
}

/// Checks what pip unpacked, and adds the links that the wheels lack.
fn complete(tree: &Path, collection: &Collection) -> Result<(), Error> {
    if let Some(missing) = collection.needed_files.iter().find(|name| !tree.join(name).is_file()) {
        return Err(Error::FetchIncomplete { missing });
    }
    for (name, target) in collection.links {
        let link = tree.join(name);
        if link.symlink_metadata().is_err() {
            symlink(target, &link).map_err(Error::io("create", &link))?;
        }
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
