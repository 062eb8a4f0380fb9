//! Files by their names, and what is known of them.

use super::{Int, Long, Pointer, system_calls};

/// Bytes of what is passed.
const STATUS: usize = 144;
const STATX: usize = 256;
const FILE_SYSTEM: usize = 120;
/// Two times, of any kind.
const TIMES: usize = 32;

system_calls! {
    open(path: Pointer, flags: Int, mode: Long) -> Int { reads_text(path) }
    open64(path: Pointer, flags: Int, mode: Long) -> Int { reads_text(path) }
    openat(folder: Int, path: Pointer, flags: Int, mode: Long) -> Int { reads_text(path) }
    openat64(folder: Int, path: Pointer, flags: Int, mode: Long) -> Int { reads_text(path) }
    __open_2(path: Pointer, flags: Int) -> Int { reads_text(path) }
    __open64_2(path: Pointer, flags: Int) -> Int { reads_text(path) }
    __openat_2(folder: Int, path: Pointer, flags: Int) -> Int { reads_text(path) }
    __openat64_2(folder: Int, path: Pointer, flags: Int) -> Int { reads_text(path) }
    creat(path: Pointer, mode: Int) -> Int { reads_text(path) }
    creat64(path: Pointer, mode: Int) -> Int { reads_text(path) }
    fopen(path: Pointer, mode: Pointer) -> Pointer { reads_text(path) }
    fopen64(path: Pointer, mode: Pointer) -> Pointer { reads_text(path) }
    freopen(path: Pointer, mode: Pointer, file: Pointer) -> Pointer { reads_text(path) }
    freopen64(path: Pointer, mode: Pointer, file: Pointer) -> Pointer { reads_text(path) }
    opendir(path: Pointer) -> Pointer { reads_text(path) }
    mkstemp(path: Pointer) -> Int { reads_text(path) }
    mkstemp64(path: Pointer) -> Int { reads_text(path) }
    mkostemp(path: Pointer, flags: Int) -> Int { reads_text(path) }
    mkostemp64(path: Pointer, flags: Int) -> Int { reads_text(path) }
    mkstemps(path: Pointer, suffix: Int) -> Int { reads_text(path) }
    mkstemps64(path: Pointer, suffix: Int) -> Int { reads_text(path) }
    mkostemps(path: Pointer, suffix: Int, flags: Int) -> Int { reads_text(path) }
    mkostemps64(path: Pointer, suffix: Int, flags: Int) -> Int { reads_text(path) }
    mkdtemp(path: Pointer) -> Pointer { reads_text(path) }
    memfd_create(name: Pointer, flags: Int) -> Int { reads_text(name) }

    stat(path: Pointer, to: Pointer) -> Int { reads_text(path), writes(to, STATUS) }
    stat64(path: Pointer, to: Pointer) -> Int { reads_text(path), writes(to, STATUS) }
    lstat(path: Pointer, to: Pointer) -> Int { reads_text(path), writes(to, STATUS) }
    lstat64(path: Pointer, to: Pointer) -> Int { reads_text(path), writes(to, STATUS) }
    fstat(file: Int, to: Pointer) -> Int { writes(to, STATUS) }
    fstat64(file: Int, to: Pointer) -> Int { writes(to, STATUS) }
    fstatat(folder: Int, path: Pointer, to: Pointer, flags: Int) -> Int { reads_text(path), writes(to, STATUS) }
    fstatat64(folder: Int, path: Pointer, to: Pointer, flags: Int) -> Int { reads_text(path), writes(to, STATUS) }
    __xstat(version: Int, path: Pointer, to: Pointer) -> Int { reads_text(path), writes(to, STATUS) }
    __xstat64(version: Int, path: Pointer, to: Pointer) -> Int { reads_text(path), writes(to, STATUS) }
    __lxstat(version: Int, path: Pointer, to: Pointer) -> Int { reads_text(path), writes(to, STATUS) }
    __lxstat64(version: Int, path: Pointer, to: Pointer) -> Int { reads_text(path), writes(to, STATUS) }
    __fxstat(version: Int, file: Int, to: Pointer) -> Int { writes(to, STATUS) }
    __fxstat64(version: Int, file: Int, to: Pointer) -> Int { writes(to, STATUS) }
    __fxstatat(version: Int, folder: Int, path: Pointer, to: Pointer, flags: Int) -> Int {
        reads_text(path), writes(to, STATUS)
    }
    __fxstatat64(version: Int, folder: Int, path: Pointer, to: Pointer, flags: Int) -> Int {
        reads_text(path), writes(to, STATUS)
    }
    statx(folder: Int, path: Pointer, flags: Int, mask: Int, to: Pointer) -> Int {
        reads_text(path), writes(to, STATX)
    }
    statfs(path: Pointer, to: Pointer) -> Int { reads_text(path), writes(to, FILE_SYSTEM) }
    statfs64(path: Pointer, to: Pointer) -> Int { reads_text(path), writes(to, FILE_SYSTEM) }
    fstatfs(file: Int, to: Pointer) -> Int { writes(to, FILE_SYSTEM) }
    fstatfs64(file: Int, to: Pointer) -> Int { writes(to, FILE_SYSTEM) }
    statvfs(path: Pointer, to: Pointer) -> Int { reads_text(path) }
    statvfs64(path: Pointer, to: Pointer) -> Int { reads_text(path) }
    access(path: Pointer, mode: Int) -> Int { reads_text(path) }
    faccessat(folder: Int, path: Pointer, mode: Int, flags: Int) -> Int { reads_text(path) }
    euidaccess(path: Pointer, mode: Int) -> Int { reads_text(path) }
    eaccess(path: Pointer, mode: Int) -> Int { reads_text(path) }
    pathconf(path: Pointer, name: Int) -> Long { reads_text(path) }
    readlink(path: Pointer, to: Pointer, bytes: usize) -> Long { reads_text(path), writes(to, bytes) }
    readlinkat(folder: Int, path: Pointer, to: Pointer, bytes: usize) -> Long { reads_text(path), writes(to, bytes) }
    __readlink_chk(path: Pointer, to: Pointer, bytes: usize, room: usize) -> Long {
        reads_text(path), writes(to, bytes)
    }
    __readlinkat_chk(folder: Int, path: Pointer, to: Pointer, bytes: usize, room: usize) -> Long {
        reads_text(path), writes(to, bytes)
    }
    getcwd(to: Pointer, bytes: usize) -> Pointer { writes(to, bytes) }
    __getcwd_chk(to: Pointer, bytes: usize, room: usize) -> Pointer { writes(to, bytes) }
    ttyname_r(file: Int, to: Pointer, bytes: usize) -> Int { writes(to, bytes) }
    inotify_add_watch(file: Int, path: Pointer, mask: Int) -> Int { reads_text(path) }

    unlink(path: Pointer) -> Int { reads_text(path) }
    unlinkat(folder: Int, path: Pointer, flags: Int) -> Int { reads_text(path) }
    remove(path: Pointer) -> Int { reads_text(path) }
    rmdir(path: Pointer) -> Int { reads_text(path) }
    mkdir(path: Pointer, mode: Int) -> Int { reads_text(path) }
    mkdirat(folder: Int, path: Pointer, mode: Int) -> Int { reads_text(path) }
    mkfifo(path: Pointer, mode: Int) -> Int { reads_text(path) }
    mkfifoat(folder: Int, path: Pointer, mode: Int) -> Int { reads_text(path) }
    mknod(path: Pointer, mode: Int, device: Long) -> Int { reads_text(path) }
    mknodat(folder: Int, path: Pointer, mode: Int, device: Long) -> Int { reads_text(path) }
    rename(from: Pointer, to: Pointer) -> Int { reads_text(from), reads_text(to) }
    renameat(from_folder: Int, from: Pointer, to_folder: Int, to: Pointer) -> Int { reads_text(from), reads_text(to) }
    renameat2(from_folder: Int, from: Pointer, to_folder: Int, to: Pointer, flags: Int) -> Int {
        reads_text(from), reads_text(to)
    }
    link(from: Pointer, to: Pointer) -> Int { reads_text(from), reads_text(to) }
    linkat(from_folder: Int, from: Pointer, to_folder: Int, to: Pointer, flags: Int) -> Int {
        reads_text(from), reads_text(to)
    }
    symlink(target: Pointer, path: Pointer) -> Int { reads_text(target), reads_text(path) }
    symlinkat(target: Pointer, folder: Int, path: Pointer) -> Int { reads_text(target), reads_text(path) }
    chdir(path: Pointer) -> Int { reads_text(path) }
    chroot(path: Pointer) -> Int { reads_text(path) }
    chmod(path: Pointer, mode: Int) -> Int { reads_text(path) }
    fchmodat(folder: Int, path: Pointer, mode: Int, flags: Int) -> Int { reads_text(path) }
    chown(path: Pointer, user: Int, group: Int) -> Int { reads_text(path) }
    lchown(path: Pointer, user: Int, group: Int) -> Int { reads_text(path) }
    fchownat(folder: Int, path: Pointer, user: Int, group: Int, flags: Int) -> Int { reads_text(path) }
    truncate(path: Pointer, bytes: Long) -> Int { reads_text(path) }
    truncate64(path: Pointer, bytes: Long) -> Int { reads_text(path) }
    utime(path: Pointer, times: Pointer) -> Int { reads_text(path), reads(times, TIMES / 2) }
    utimes(path: Pointer, times: Pointer) -> Int { reads_text(path), reads(times, TIMES) }
    lutimes(path: Pointer, times: Pointer) -> Int { reads_text(path), reads(times, TIMES) }
    futimes(file: Int, times: Pointer) -> Int { reads(times, TIMES) }
    futimesat(folder: Int, path: Pointer, times: Pointer) -> Int { reads_text(path), reads(times, TIMES) }
    futimens(file: Int, times: Pointer) -> Int { reads(times, TIMES) }
    utimensat(folder: Int, path: Pointer, times: Pointer, flags: Int) -> Int {
        reads_text(path), reads(times, TIMES)
    }
    mount(source: Pointer, path: Pointer, kind: Pointer, flags: Long, data: Pointer) -> Int {
        reads_text(source), reads_text(path), reads_text(kind), reads_text(data)
    }
    umount(path: Pointer) -> Int { reads_text(path) }
    umount2(path: Pointer, flags: Int) -> Int { reads_text(path) }

    getxattr(path: Pointer, name: Pointer, to: Pointer, bytes: usize) -> Long {
        reads_text(path), reads_text(name), writes(to, bytes)
    }
    lgetxattr(path: Pointer, name: Pointer, to: Pointer, bytes: usize) -> Long {
        reads_text(path), reads_text(name), writes(to, bytes)
    }
    fgetxattr(file: Int, name: Pointer, to: Pointer, bytes: usize) -> Long { reads_text(name), writes(to, bytes) }
    setxattr(path: Pointer, name: Pointer, from: Pointer, bytes: usize, flags: Int) -> Int {
        reads_text(path), reads_text(name), reads(from, bytes)
    }
    lsetxattr(path: Pointer, name: Pointer, from: Pointer, bytes: usize, flags: Int) -> Int {
        reads_text(path), reads_text(name), reads(from, bytes)
    }
    fsetxattr(file: Int, name: Pointer, from: Pointer, bytes: usize, flags: Int) -> Int {
        reads_text(name), reads(from, bytes)
    }
    listxattr(path: Pointer, to: Pointer, bytes: usize) -> Long { reads_text(path), writes(to, bytes) }
    llistxattr(path: Pointer, to: Pointer, bytes: usize) -> Long { reads_text(path), writes(to, bytes) }
    flistxattr(file: Int, to: Pointer, bytes: usize) -> Long { writes(to, bytes) }
    removexattr(path: Pointer, name: Pointer) -> Int { reads_text(path), reads_text(name) }
    lremovexattr(path: Pointer, name: Pointer) -> Int { reads_text(path), reads_text(name) }
    fremovexattr(file: Int, name: Pointer) -> Int { reads_text(name) }
}
