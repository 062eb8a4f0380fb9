//! System calls by their numbers.

use super::Uses;
use std::ffi::c_int;
use warpsan_runtime::{has_shared_memory, is_device_address};

/// Calls that only read what they are passed; any other may write.
const READING: [i64; 13] = [
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_pwritev,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_open,
    libc::SYS_openat,
    libc::SYS_execve,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_setsockopt,
    libc::SYS_futex,
];

/// Which arguments are addresses of memory, and the calls of which that is so. What stands in the registers of other
/// arguments is nobody's: a call with two arguments comes with four more that the program has left there.
#[rustfmt::skip]
const ADDRESSES: &[(&[usize], &[i64])] = &[
    (&[0], &[
        libc::SYS_pipe, libc::SYS_pipe2, libc::SYS_time, libc::SYS_chdir, libc::SYS_rmdir, libc::SYS_unlink,
        libc::SYS_chroot, libc::SYS_acct, libc::SYS_swapon, libc::SYS_swapoff, libc::SYS_umount2,
        libc::SYS_uname, libc::SYS_sysinfo, libc::SYS_times, libc::SYS_adjtimex, libc::SYS_open,
        libc::SYS_access, libc::SYS_truncate, libc::SYS_mkdir, libc::SYS_creat, libc::SYS_chmod,
        libc::SYS_chown, libc::SYS_lchown, libc::SYS_mknod, libc::SYS_getcwd, libc::SYS_rt_sigpending,
        libc::SYS_rt_sigsuspend, libc::SYS_poll, libc::SYS_getrandom, libc::SYS_memfd_create,
        libc::SYS_mq_unlink, libc::SYS_sethostname, libc::SYS_setdomainname, libc::SYS_perf_event_open,
        libc::SYS_clone3, libc::SYS_uselib,
    ]),
    (&[1], &[
        libc::SYS_read, libc::SYS_write, libc::SYS_fstat, libc::SYS_pread64, libc::SYS_pwrite64,
        libc::SYS_readv, libc::SYS_writev, libc::SYS_connect, libc::SYS_sendmsg, libc::SYS_recvmsg,
        libc::SYS_bind, libc::SYS_semop, libc::SYS_msgsnd, libc::SYS_msgrcv, libc::SYS_getdents,
        libc::SYS_getdents64, libc::SYS_getrlimit, libc::SYS_setrlimit, libc::SYS_getrusage, libc::SYS_syslog,
        libc::SYS_getgroups, libc::SYS_setgroups, libc::SYS_ustat, libc::SYS_fstatfs, libc::SYS_sched_setparam,
        libc::SYS_sched_getparam, libc::SYS_sched_rr_get_interval, libc::SYS_modify_ldt, libc::SYS_arch_prctl,
        libc::SYS_getitimer, libc::SYS_fremovexattr, libc::SYS_flistxattr, libc::SYS_io_setup,
        libc::SYS_timer_gettime, libc::SYS_clock_settime, libc::SYS_clock_gettime, libc::SYS_clock_getres,
        libc::SYS_clock_adjtime, libc::SYS_epoll_wait, libc::SYS_set_mempolicy, libc::SYS_mq_notify,
        libc::SYS_inotify_add_watch, libc::SYS_openat, libc::SYS_mkdirat, libc::SYS_mknodat, libc::SYS_fchownat,
        libc::SYS_unlinkat, libc::SYS_fchmodat, libc::SYS_faccessat, libc::SYS_faccessat2, libc::SYS_vmsplice,
        libc::SYS_signalfd, libc::SYS_signalfd4, libc::SYS_timerfd_gettime, libc::SYS_preadv, libc::SYS_pwritev,
        libc::SYS_preadv2, libc::SYS_pwritev2, libc::SYS_sendmmsg, libc::SYS_sched_setattr,
        libc::SYS_sched_getattr, libc::SYS_io_uring_setup, libc::SYS_open_tree, libc::SYS_open_by_handle_at,
        libc::SYS_bpf, libc::SYS_process_madvise, libc::SYS_finit_module,
    ]),
    (&[2], &[
        libc::SYS_mincore, libc::SYS_sendfile, libc::SYS_shmctl, libc::SYS_msgctl, libc::SYS_sched_setscheduler,
        libc::SYS_rt_sigqueueinfo, libc::SYS_sched_setaffinity, libc::SYS_sched_getaffinity, libc::SYS_seccomp,
        libc::SYS_io_submit, libc::SYS_io_uring_register, libc::SYS_pidfd_send_signal,
    ]),
    (&[3], &[
        libc::SYS_socketpair, libc::SYS_setsockopt, libc::SYS_mbind, libc::SYS_epoll_ctl,
        libc::SYS_rt_tgsigqueueinfo,
    ]),
    (&[4], &[libc::SYS_fanotify_mark, libc::SYS_io_uring_enter]),
    (&[0, 1], &[
        libc::SYS_stat, libc::SYS_lstat, libc::SYS_rename, libc::SYS_link, libc::SYS_symlink,
        libc::SYS_readlink, libc::SYS_gettimeofday, libc::SYS_settimeofday, libc::SYS_nanosleep,
        libc::SYS_sigaltstack, libc::SYS_utime, libc::SYS_utimes, libc::SYS_statfs, libc::SYS_capget,
        libc::SYS_capset, libc::SYS_pivot_root, libc::SYS_listxattr, libc::SYS_llistxattr,
        libc::SYS_removexattr, libc::SYS_lremovexattr, libc::SYS_get_mempolicy, libc::SYS_getcpu,
    ]),
    (&[0, 2], &[libc::SYS_symlinkat]),
    (&[0, 3], &[libc::SYS_mq_open, libc::SYS_futex_waitv]),
    (&[1, 2], &[
        libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask, libc::SYS_accept, libc::SYS_accept4,
        libc::SYS_getsockname, libc::SYS_getpeername, libc::SYS_setitimer, libc::SYS_fsetxattr,
        libc::SYS_fgetxattr, libc::SYS_io_cancel, libc::SYS_timer_create, libc::SYS_mq_getsetattr,
        libc::SYS_futimesat, libc::SYS_newfstatat, libc::SYS_readlinkat, libc::SYS_utimensat,
        libc::SYS_get_robust_list, libc::SYS_openat2,
    ]),
    (&[1, 3], &[
        libc::SYS_wait4, libc::SYS_semtimedop, libc::SYS_quotactl, libc::SYS_renameat, libc::SYS_renameat2,
        libc::SYS_linkat, libc::SYS_splice, libc::SYS_copy_file_range, libc::SYS_move_mount,
        libc::SYS_mount_setattr, libc::SYS_process_vm_readv, libc::SYS_process_vm_writev,
    ]),
    (&[1, 4], &[
        libc::SYS_sendto, libc::SYS_mq_timedsend, libc::SYS_epoll_pwait, libc::SYS_recvmmsg, libc::SYS_statx,
    ]),
    (&[2, 3], &[
        libc::SYS_timer_settime, libc::SYS_timerfd_settime, libc::SYS_clock_nanosleep, libc::SYS_prlimit64,
        libc::SYS_migrate_pages, libc::SYS_fsconfig,
    ]),
    (&[2, 4], &[libc::SYS_waitid]),
    (&[3, 4], &[libc::SYS_getsockopt, libc::SYS_io_getevents]),
    (&[0, 1, 2], &[
        libc::SYS_execve, libc::SYS_getresuid, libc::SYS_getresgid, libc::SYS_rt_sigtimedwait,
        libc::SYS_setxattr, libc::SYS_lsetxattr, libc::SYS_getxattr, libc::SYS_lgetxattr, libc::SYS_add_key,
        libc::SYS_request_key,
    ]),
    (&[0, 2, 3], &[libc::SYS_ppoll]),
    (&[1, 2, 3], &[libc::SYS_execveat, libc::SYS_name_to_handle_at]),
    (&[1, 3, 4], &[libc::SYS_mq_timedreceive, libc::SYS_epoll_pwait2]),
    (&[1, 4, 5], &[libc::SYS_recvfrom]),
    (&[2, 3, 4], &[libc::SYS_move_pages]),
    (&[0, 1, 2, 4], &[libc::SYS_mount]),
    (&[1, 2, 3, 4], &[libc::SYS_select, libc::SYS_keyctl]),
    (&[1, 2, 3, 4, 5], &[libc::SYS_pselect6]),
];

/// Calls of higher numbers are younger than the table.
const LAST_KNOWN: i64 = 450;

/// The operation of a futex, without the flags for clocks and private memory.
pub(crate) const FUTEX_OPERATION: usize = 0x7f;

/// Opens the memory of a system call until the answer is dropped. How long the memory is behind an address is not known
/// here: it is taken for as many bytes as the next argument says, if that can be, and for the rest of its page else.
pub(crate) fn open_for_raw_call(number: i64, arguments: &[usize; 6]) -> Uses {
    const PAGE: usize = 4096;
    let mut uses = Uses::new();
    if !has_shared_memory() || !arguments.iter().any(|argument| is_device_address(*argument as u64))
    {
        return uses;
    }
    let pointer = |index: usize| std::ptr::without_provenance_mut(arguments[index]);
    match number {
        libc::SYS_ioctl => uses.device_request(arguments[1] as isize, pointer(2)),
        libc::SYS_fcntl => uses.lock_request(arguments[1] as c_int, pointer(2)),
        libc::SYS_prctl => uses.process_request(arguments[0] as c_int, pointer(1)),
        libc::SYS_semctl => uses.semaphore_request(arguments[2] as c_int, pointer(3)),
        _ => {}
    }
    for index in addresses_of(number, arguments) {
        let argument = arguments[*index];
        if !is_device_address(argument as u64) {
            continue;
        }
        let next = arguments.get(index + 1).copied().unwrap_or(0);
        let end = argument.saturating_add(next);
        let is_length = next > 0 && is_device_address(end as u64 - 1);
        let bytes = if is_length { next } else { PAGE - argument % PAGE };
        uses.open(argument, bytes, !READING.contains(&number));
    }
    uses
}

/// Which arguments of a call are addresses of memory.
fn addresses_of(number: i64, arguments: &[usize; 6]) -> &'static [usize] {
    if number == libc::SYS_futex {
        return match arguments[1] & FUTEX_OPERATION {
            // Waits and locks, with a time.
            0 | 6 | 9 | 13 => &[0, 3],
            // Those who wait go on at a second futex.
            3 | 4 | 5 | 12 => &[0, 4],
            11 => &[0, 3, 4],
            _ => &[0],
        };
    }
    match ADDRESSES.iter().find(|(_, calls)| calls.contains(&number)) {
        Some((places, _)) => places,
        None if number > LAST_KNOWN => &[0, 1, 2, 3, 4, 5],
        None => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_call_stands_in_one_row() {
        let all: Vec<i64> = ADDRESSES.iter().flat_map(|(_, calls)| *calls).copied().collect();
        let different: BTreeSet<i64> = all.iter().copied().collect();
        assert_eq!(different.len(), all.len());
        assert!(all.len() > 200, "{}", all.len());
        assert!(all.iter().all(|call| *call <= LAST_KNOWN));
    }

    #[test]
    fn what_is_left_in_registers_is_no_argument() {
        let wake = [1, 129, 1, 7, 7, 7];
        assert_eq!(addresses_of(libc::SYS_futex, &wake), [0]);
        let wait = [1, 128, 1, 7, 7, 7];
        assert_eq!(addresses_of(libc::SYS_futex, &wait), [0, 3]);
        assert_eq!(addresses_of(libc::SYS_read, &wake), [1]);
        assert!(addresses_of(libc::SYS_getpid, &wake).is_empty());
        assert_eq!(addresses_of(LAST_KNOWN + 1, &wake).len(), 6);
    }
}
