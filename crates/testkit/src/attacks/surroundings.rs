//! Attacks on the command itself: the system that it is started on has no room, no descriptors, no rights.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use anyhow::Context;

use super::programs::Wanted;

/// What the command has to put up with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hindrance {
    /// There is no folder for temporary files.
    NoTemporaryFolder,
    /// A file is where the folder for temporary files should be.
    TemporaryFile,
    /// Its disk has no room.
    FullTemporaryFolder,
    /// Nobody can write files in it.
    ReadOnlyTemporaryFolder,
    /// The name of the folder has characters that the dynamic linker does not take.
    OddTemporaryFolder,
    /// The libraries cannot be kept.
    NoCache,
    /// There is no environment but the folder for temporary files.
    NoEnvironment,
    /// A library of the user's that is not there.
    MissingPreload,
    /// Standard input, output and errors are closed.
    NothingOpen,
    /// Files have no permissions.
    Umask,
    /// A limit that a shell sets: which, and to what.
    Limit(&'static str, libc::__rlimit_resource_t, u64),
    /// All signals are blocked.
    BlockedSignals,
    /// The ends of children are not kept.
    IgnoredChildren,
    /// Writing to a closed pipe is no signal.
    IgnoredPipes,
    /// Another user.
    Nobody,
}

/// All of them, with what has to come of each.
pub(super) fn hindrances() -> Vec<(Hindrance, Wanted)> {
    use Hindrance as H;
    use Wanted::{Checked, CheckedOrRefused, Named};
    vec![
        (H::NoTemporaryFolder, CheckedOrRefused),
        (H::TemporaryFile, CheckedOrRefused),
        (H::FullTemporaryFolder, CheckedOrRefused),
        (H::ReadOnlyTemporaryFolder, CheckedOrRefused),
        (H::OddTemporaryFolder, Checked),
        (H::NoCache, Checked),
        (H::NoEnvironment, CheckedOrRefused),
        (H::MissingPreload, Checked),
        (H::NothingOpen, Checked),
        (H::Umask, Checked),
        (H::Limit("files-8", libc::RLIMIT_NOFILE, 8), CheckedOrRefused),
        (H::Limit("files-16", libc::RLIMIT_NOFILE, 16), CheckedOrRefused),
        (H::Limit("file-size-64k", libc::RLIMIT_FSIZE, 64 << 10), CheckedOrRefused),
        (H::Limit("file-size-1m", libc::RLIMIT_FSIZE, 1 << 20), Checked),
        (H::Limit("addresses-4g", libc::RLIMIT_AS, 4 << 30), Named),
        (H::Limit("core-0", libc::RLIMIT_CORE, 0), Checked),
        (H::Limit("stack-1m", libc::RLIMIT_STACK, 1 << 20), Checked),
        (H::BlockedSignals, Checked),
        (H::IgnoredChildren, Checked),
        (H::IgnoredPipes, Checked),
        (H::Nobody, Checked),
    ]
}

impl Hindrance {
    /// Its name for readers.
    pub(super) fn name(&self) -> String {
        match self {
            Hindrance::Limit(name, ..) => format!("limit-{name}"),
            other => {
                let name = format!("{other:?}");
                let dashed = name.char_indices().map(|(at, c)| match c.is_uppercase() && at > 0 {
                    true => format!("-{}", c.to_lowercase()),
                    false => c.to_lowercase().to_string(),
                });
                dashed.collect()
            }
        }
    }

    /// Hinders a command that is about to be started, and that has this folder for itself.
    pub(super) fn hinder(&self, command: &mut Command, folder: &Path) -> anyhow::Result<()> {
        let temporary = folder.join("temporary");
        let made = |path: &Path| std::fs::create_dir(path).context("cannot make a folder");
        match *self {
            Hindrance::NoTemporaryFolder => {
                command.env("TMPDIR", temporary);
            }
            Hindrance::TemporaryFile => {
                std::fs::write(&temporary, "").context("cannot make a file")?;
                command.env("TMPDIR", temporary);
            }
            Hindrance::FullTemporaryFolder => {
                made(&temporary)?;
                command.env("TMPDIR", &temporary);
                let place = c_string(&temporary)?;
                before(command, move || mount_without_room(&place));
            }
            Hindrance::ReadOnlyTemporaryFolder => {
                command.env("TMPDIR", "/proc/self");
            }
            Hindrance::OddTemporaryFolder => {
                let odd = folder.join("a b:c$d");
                made(&odd)?;
                command.env("TMPDIR", odd);
            }
            Hindrance::NoCache => {
                command.env("WARPSAN_CACHE_DIR", "/proc/self/nowhere");
            }
            Hindrance::NoEnvironment => {
                command.env_clear();
            }
            Hindrance::MissingPreload => {
                command.env("LD_PRELOAD", "/does/not/exist.so");
            }
            Hindrance::NothingOpen => before(command, || {
                for descriptor in 0..3 {
                    // SAFETY: the process is about to become another program.
                    unsafe { libc::close(descriptor) };
                }
                Ok(())
            }),
            Hindrance::Umask => before(command, || {
                // SAFETY: touches no memory.
                unsafe { libc::umask(0o777) };
                Ok(())
            }),
            Hindrance::Limit(_, resource, to) => before(command, move || {
                let limit = libc::rlimit { rlim_cur: to, rlim_max: to };
                // SAFETY: the limit is read only.
                check(unsafe { libc::setrlimit(resource, &raw const limit) })
            }),
            Hindrance::BlockedSignals => before(command, || {
                // SAFETY: a set of zeros is one, and both places are our own.
                unsafe {
                    let mut all: libc::sigset_t = std::mem::zeroed();
                    libc::sigfillset(&raw mut all);
                    check(libc::sigprocmask(libc::SIG_BLOCK, &raw const all, std::ptr::null_mut()))
                }
            }),
            Hindrance::IgnoredChildren => before(command, || ignore(libc::SIGCHLD)),
            Hindrance::IgnoredPipes => before(command, || ignore(libc::SIGPIPE)),
            Hindrance::Nobody => {
                // What this user has made is not for others.
                let open = PermissionsExt::from_mode(0o777);
                std::fs::set_permissions(folder, open).context("cannot open the folder")?;
                command.env("TMPDIR", folder).env("WARPSAN_CACHE_DIR", folder.join("cache"));
                before(command, || {
                    // SAFETY: touches no memory but the list, which is empty.
                    unsafe {
                        check(libc::setgroups(0, std::ptr::null()))?;
                        check(libc::setgid(65534))?;
                        check(libc::setuid(65534))
                    }
                });
            }
        }
        Ok(())
    }

    /// Whether the command can be run so at all: nobody cannot enter the folders of some users.
    pub(crate) fn can_be_tried(&self, command: &Path) -> bool {
        let others_can_enter = |path: &Path| {
            let mode = path.metadata().map(|data| data.permissions().mode());
            mode.is_ok_and(|mode| mode & 0o001 != 0)
        };
        !matches!(self, Hindrance::Nobody)
            || command.canonicalize().is_ok_and(|path| path.ancestors().all(others_can_enter))
    }
}

/// Does something in the process that is about to become the command.
fn before(command: &mut Command, deed: impl FnMut() -> io::Result<()> + Send + Sync + 'static) {
    // SAFETY: what is done here are system calls alone.
    unsafe { command.pre_exec(deed) };
}

fn check(answer: libc::c_int) -> io::Result<()> {
    match answer {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn ignore(signal: libc::c_int) -> io::Result<()> {
    // SAFETY: no function of ours is named.
    match unsafe { libc::signal(signal, libc::SIG_IGN) } {
        libc::SIG_ERR => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn c_string(path: &Path) -> anyhow::Result<std::ffi::CString> {
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
    std::ffi::CString::new(bytes).context("a path with a zero")
}

/// A disk of one page in place of a folder, which only this process and its children see.
fn mount_without_room(place: &std::ffi::CStr) -> io::Result<()> {
    let none = c"none".as_ptr();
    // SAFETY: all texts are C strings, and the system reads them only.
    unsafe {
        check(libc::unshare(libc::CLONE_NEWNS))?;
        let private = libc::MS_REC | libc::MS_PRIVATE;
        check(libc::mount(none, c"/".as_ptr(), std::ptr::null(), private, std::ptr::null()))?;
        let size = c"size=4096,nr_inodes=16".as_ptr().cast();
        check(libc::mount(none, place.as_ptr(), c"tmpfs".as_ptr(), 0, size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn hindrances_have_names_of_their_own() {
        let all = hindrances();
        let names: BTreeSet<_> = all.iter().map(|(hindrance, _)| hindrance.name()).collect();
        assert_eq!(names.len(), all.len());
        assert!(names.contains("no-temporary-folder") && names.contains("limit-files-8"));
    }

    #[test]
    fn a_command_is_hindered() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -c; umask"]);
        for hindrance in [Hindrance::Umask, Hindrance::Limit("core", libc::RLIMIT_CORE, 0)] {
            hindrance.hinder(&mut command, folder.path()).expect("it is hindered");
        }
        let output = command.output().expect("a shell");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "0\n0777\n");
    }
}
