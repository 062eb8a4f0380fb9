//! Files that the user asked for: they are written beside and renamed, so that an earlier one is whole or replaced, and
//! never half of each; and no input is overwritten.

use anyhow::{Context, bail};
use std::fs::{Metadata, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Finds out whether a file can be written, before anything runs. What is there stays as it is.
pub(crate) fn check(what: &str, path: &Path, inputs: &[&Path]) -> anyhow::Result<()> {
    refuse_inputs(path, inputs)?;
    let failed = || format!("cannot write {what} to {}", path.display());
    match Beside::new(path).with_context(failed)? {
        Beside::InPlace(path) => std::fs::File::options().write(true).open(path).map(drop),
        Beside::File { .. } => Ok(()),
    }
    .with_context(failed)
}

/// Refuses to replace a file that is read.
pub(crate) fn refuse_inputs(path: &Path, inputs: &[&Path]) -> anyhow::Result<()> {
    let Ok(found) = path.metadata() else { return Ok(()) };
    let identity = |file: &Metadata| (file.dev(), file.ino());
    let is_it =
        |input: &&&Path| input.metadata().is_ok_and(|input| identity(&input) == identity(&found));
    if found.is_file() && inputs.iter().any(|input| is_it(&input)) {
        bail!(
            "{} is an input, and would be overwritten; name another file for the output",
            path.display()
        );
    }
    Ok(())
}

/// A file that is written little by little, beside the one that was asked for.
pub(crate) enum Beside {
    /// It replaces the other one when it is complete; it goes if that does not happen.
    File { file: tempfile::NamedTempFile, path: PathBuf },
    /// A terminal, a pipe or the like; or a file in a folder where no other can be made.
    InPlace(PathBuf),
}

impl Beside {
    /// A new file in the place of one.
    pub(crate) fn new(path: &Path) -> io::Result<Beside> {
        Ok(match Target::of(path)? {
            Target::Device => Beside::InPlace(path.to_path_buf()),
            Target::File { folder, path, permissions } => {
                let mut builder = tempfile::Builder::new();
                match builder.prefix(".warpsan-").permissions(permissions).tempfile_in(folder) {
                    Ok(file) => Beside::File { file, path },
                    Err(error) if is_denied(&error) && path.exists() => Beside::InPlace(path),
                    Err(error) => return Err(error),
                }
            }
        })
    }

    /// Where to write.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Beside::File { file, .. } => file.path(),
            Beside::InPlace(path) => path,
        }
    }

    /// It is complete.
    pub(crate) fn keep(self) -> io::Result<()> {
        match self {
            Beside::File { file, path } => {
                file.persist(path).map(drop).map_err(|error| error.error)
            }
            Beside::InPlace(_) => Ok(()),
        }
    }
}

/// Writes a file as a whole.
pub(crate) fn write(what: &str, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    try_write(path, bytes).with_context(|| format!("cannot write {what} to {}", path.display()))
}

fn try_write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = Beside::new(path)?;
    std::fs::File::options().write(true).truncate(true).open(beside.path())?.write_all(bytes)?;
    beside.keep()
}

/// What a path stands for.
enum Target {
    /// A terminal, a pipe or the like, which is written to as it is.
    Device,
    /// A file, which is there or is not.
    File { folder: PathBuf, path: PathBuf, permissions: Permissions },
}

impl Target {
    fn of(path: &Path) -> io::Result<Target> {
        let (path, permissions) = match path.metadata() {
            Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(found) if is_device(&found) => return Ok(Target::Device),
            // A link stays one.
            Ok(found) => (path.canonicalize()?, found.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                (path.to_path_buf(), Permissions::from_mode(0o666))
            }
            Err(error) => return Err(error),
        };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).to_path_buf();
        Ok(Target::File { folder, path, permissions })
    }
}

fn is_denied(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

fn is_device(found: &Metadata) -> bool {
    let kind = found.file_type();
    kind.is_char_device() || kind.is_fifo() || kind.is_socket() || kind.is_block_device()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_keeps_its_rights_and_its_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        write("it", &file, b"one").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write("it", &link, b"two").unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"two");
        assert!(link.is_symlink());
        drop(Beside::new(&file).unwrap());
        assert_eq!(std::fs::read(&file).unwrap(), b"two", "what is not complete replaces nothing");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing stays behind");
    }

    #[test]
    fn to_check_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        check("it", &file, &[]).unwrap();
        assert!(!file.exists());
        std::fs::write(&file, "old").unwrap();
        check("it", &file, &[]).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"old");
        assert!(check("it", &folder.path().join("missing/file"), &[]).is_err());
        assert!(check("it", folder.path(), &[]).is_err());
        check("it", Path::new("/dev/null"), &[]).unwrap();
        write("it", Path::new("/dev/null"), b"x").unwrap();
    }

    #[test]
    fn an_input_is_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let (input, link) = (folder.path().join("kernels.cu"), folder.path().join("link"));
        std::fs::write(&input, "code").unwrap();
        std::os::unix::fs::symlink(&input, &link).unwrap();
        for output in [&input, &link] {
            let error = check("it", output, &[&input]).unwrap_err().to_string();
            assert!(error.contains("is an input"), "{error}");
        }
        check("it", &folder.path().join("report"), &[&input]).unwrap();
        check("it", Path::new("/dev/null"), &[Path::new("/dev/null")]).unwrap();
    }
}
