//! The command's side of a log. It reads and writes the file and touches no memory that is mapped: a program may make the
//! file shorter, and whoever touches what is gone then is ended by a signal.

use crate::Log;
use crate::layout::{CHUNK, HeaderInFile, IS_FULL, MAGIC, STORED, offset};
use crate::reading::{self, Evidence};
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Chunks that have storage ahead of those that are claimed.
const AHEAD: u64 = 1024;
/// How often the keeper looks whether more is needed.
const INTERVAL: Duration = Duration::from_millis(5);

/// Where a log lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// In a file, which is still there when the command is killed.
    File,
    /// In memory of the command, because the disk is full.
    Memory,
}

/// Makes a log, keeps storage ahead of its writers while this lives, and reads it.
#[derive(Debug)]
pub struct LogKeeper {
    /// Mapped as processes have it.
    log: Log,
    path: PathBuf,
    home: Home,
    /// Open as long as this lives: a process finds a log in memory by it.
    file: Arc<File>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl LogKeeper {
    /// Makes a log in a file that is not there yet, or in memory where the file's disk has no room.
    pub fn create(path: &Path) -> io::Result<LogKeeper> {
        let made = File::options().read(true).write(true).create_new(true).mode(0o600).open(path);
        // Whatever the umask is, its owner can use it.
        let private = |file: File| {
            file.set_permissions(Permissions::from_mode(0o600))?;
            provide(&file, first_chunks())?;
            Ok(file)
        };
        match made.and_then(private) {
            Ok(file) => Self::keep(file, path.to_path_buf(), Home::File),
            Err(error) if is_lack_of_room(&error) => {
                // What there is of it would only take room.
                let _ = std::fs::remove_file(path);
                Self::in_memory()
            }
            Err(error) => Err(error),
        }
    }

    /// Makes a log in memory, which processes of the same user find by the number of this one.
    pub fn in_memory() -> io::Result<LogKeeper> {
        // SAFETY: the name is a C string, and the descriptor is new.
        let file = unsafe {
            let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
            let descriptor = libc::memfd_create(c"warpsan-log".as_ptr(), flags);
            if descriptor < 0 {
                return Err(io::Error::last_os_error());
            }
            // Nobody can make it shorter. Without that it is as good as a file.
            libc::fcntl(descriptor, libc::F_ADD_SEALS, libc::F_SEAL_SHRINK);
            File::from_raw_fd(descriptor)
        };
        provide(&file, first_chunks())?;
        let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
        Self::keep(file, path.into(), Home::Memory)
    }

    fn keep(file: File, path: PathBuf, home: Home) -> io::Result<LogKeeper> {
        let log = Log::map(&file)?;
        let file = Arc::new(file);
        let header = log.header();
        header.stored.store(first_chunks(), Ordering::Release);
        header.magic.store(MAGIC, Ordering::Release);
        let stop = Arc::new(AtomicBool::new(false));
        let thread = {
            let (file, reach, stop) = (file.clone(), log.reach(), stop.clone());
            std::thread::Builder::new().name("warpsan log".into()).spawn(move || {
                let mut stored = AHEAD;
                while !stop.load(Ordering::Acquire) {
                    keep_ahead(&file, reach, &mut stored);
                    std::thread::park_timeout(INTERVAL);
                }
            })?
        };
        Ok(LogKeeper { log, path, home, file, stop, thread: Some(thread) })
    }

    /// By what a process finds the log.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it lies.
    pub fn home(&self) -> Home {
        self.home
    }

    /// The log itself, for what the command has to say before the program starts.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// How many streams were begun until now.
    pub fn streams_begun(&self) -> u64 {
        HeaderInFile::of(&self.file).map_or(0, |header| header.streams)
    }

    /// What it holds now.
    pub fn evidence(&self) -> Evidence {
        reading::read(&self.file)
    }
}

impl Drop for LogKeeper {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It cannot panic, and nobody would be the wiser.
            let _ = thread.join();
        }
        // A process that is left behind must not wait for more.
        let _ = self.file.write_all_at(&1_u32.to_ne_bytes(), IS_FULL);
        give_back_rest(&self.file);
    }
}

/// How many chunks a log begins with: fewer where files may not be that long (`ulimit -f`).
fn first_chunks() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: a place for the answer.
    unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) };
    (limit.rlim_cur / CHUNK as u64).saturating_sub(1).clamp(1, AHEAD)
}

/// Gives storage back that nobody has used. The file stays as long as it is: somebody may have it mapped.
fn give_back_rest(file: &File) {
    let (Some(header), Ok(found)) = (HeaderInFile::of(file), file.metadata()) else { return };
    let start = offset(header.claimed.min(header.stored)) as u64;
    let bytes = found.len().saturating_sub(start) as libc::off_t;
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // A file system that cannot do it keeps the storage until the file goes.
    // SAFETY: the descriptor is open.
    unsafe { libc::fallocate(file.as_raw_fd(), mode, start as libc::off_t, bytes) };
}

/// Gets more storage when little is left. `stored` is what there is: what the file says about it may be the program's
/// work. What the program has cut off or written over is not mended, since the reader has to see it.
fn keep_ahead(file: &File, reach: u64, stored: &mut u64) {
    let Some(header) = HeaderInFile::of(file) else { return };
    let is_enough = header.claimed.saturating_add(AHEAD / 2) < *stored || *stored >= reach;
    if is_enough || header.claimed > *stored {
        return;
    }
    let wanted = (*stored + AHEAD).min(reach);
    // Whoever cannot write a number to a file that has storage for it cannot help its writers either.
    let _ = match provide(file, wanted) {
        Ok(()) => {
            *stored = wanted;
            file.write_all_at(&wanted.to_ne_bytes(), STORED)
        }
        Err(_) => file.write_all_at(&1_u32.to_ne_bytes(), IS_FULL),
    };
}

/// Gives a file storage for so many chunks. Writing to mapped memory cannot fail then, whatever becomes of the disk.
fn provide(file: &File, chunks: u64) -> io::Result<()> {
    debug_assert!(offset(chunks).is_multiple_of(CHUNK));
    let length = offset(chunks) as libc::off_t;
    loop {
        // SAFETY: the descriptor is open.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) } {
            0 => return Ok(()),
            libc::EINTR => {}
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

fn is_lack_of_room(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT | libc::EFBIG))
}
