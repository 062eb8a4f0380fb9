//! Processes: their ends, limits, rights and memory.

use super::{Int, Long, Pointer, system_calls};

/// Bytes of what is passed.
const STATUS: usize = 4;
const USAGE: usize = 144;
const LIMIT: usize = 16;
const SIGNAL_INFORMATION: usize = 128;
const TIME: usize = 16;
const ID: usize = 4;

system_calls! {
    wait(status: Pointer) -> Int { writes(status, STATUS) }
    waitpid(process: Int, status: Pointer, flags: Int) -> Int { writes(status, STATUS) }
    wait3(status: Pointer, flags: Int, usage: Pointer) -> Int { writes(status, STATUS), writes(usage, USAGE) }
    wait4(process: Int, status: Pointer, flags: Int, usage: Pointer) -> Int {
        writes(status, STATUS), writes(usage, USAGE)
    }
    waitid(kind: Int, id: Int, to: Pointer, flags: Int) -> Int { writes(to, SIGNAL_INFORMATION) }
    getrusage(who: Int, to: Pointer) -> Int { writes(to, USAGE) }
    getrlimit(what: Int, to: Pointer) -> Int { writes(to, LIMIT) }
    getrlimit64(what: Int, to: Pointer) -> Int { writes(to, LIMIT) }
    setrlimit(what: Int, from: Pointer) -> Int { reads(from, LIMIT) }
    setrlimit64(what: Int, from: Pointer) -> Int { reads(from, LIMIT) }
    prlimit(process: Int, what: Int, from: Pointer, old: Pointer) -> Int { reads(from, LIMIT), writes(old, LIMIT) }
    prlimit64(process: Int, what: Int, from: Pointer, old: Pointer) -> Int { reads(from, LIMIT), writes(old, LIMIT) }
    prctl(option: Int, first: Pointer, second: Pointer, third: Pointer, fourth: Pointer) -> Int {
        process_request(option, first)
    }
    sysinfo(to: Pointer) -> Int { writes(to, 112) }
    uname(to: Pointer) -> Int { writes(to, 390) }
    sethostname(name: Pointer, bytes: usize) -> Int { reads(name, bytes) }
    setdomainname(name: Pointer, bytes: usize) -> Int { reads(name, bytes) }
    getgroups(count: Int, to: Pointer) -> Int { writes_list(to, count as usize, ID) }
    __getgroups_chk(count: Int, to: Pointer, room: usize) -> Int { writes_list(to, count as usize, ID) }
    setgroups(count: usize, from: Pointer) -> Int { reads_list(from, count, ID) }
    getresuid(real: Pointer, effective: Pointer, saved: Pointer) -> Int {
        writes(real, ID), writes(effective, ID), writes(saved, ID)
    }
    getresgid(real: Pointer, effective: Pointer, saved: Pointer) -> Int {
        writes(real, ID), writes(effective, ID), writes(saved, ID)
    }
    sched_getaffinity(process: Int, bytes: usize, to: Pointer) -> Int { writes(to, bytes) }
    sched_setaffinity(process: Int, bytes: usize, from: Pointer) -> Int { reads(from, bytes) }
    pthread_getaffinity_np(thread: Long, bytes: usize, to: Pointer) -> Int { writes(to, bytes) }
    pthread_setaffinity_np(thread: Long, bytes: usize, from: Pointer) -> Int { reads(from, bytes) }
    sched_getparam(process: Int, to: Pointer) -> Int { writes(to, 4) }
    sched_setparam(process: Int, from: Pointer) -> Int { reads(from, 4) }
    sched_setscheduler(process: Int, policy: Int, from: Pointer) -> Int { reads(from, 4) }
    sched_rr_get_interval(process: Int, to: Pointer) -> Int { writes(to, TIME) }
    getcpu(cpu: Pointer, node: Pointer) -> Int { writes(cpu, 4), writes(node, 4) }
    mincore(address: Pointer, bytes: usize, to: Pointer) -> Int { writes(to, bytes.div_ceil(4096)) }
    process_vm_readv(process: Int, to: Pointer, count: usize, from: Pointer, others: usize, flags: Long) -> Long {
        writes_pieces(to, count), reads_pieces(from, own(process, others))
    }
    process_vm_writev(process: Int, from: Pointer, count: usize, to: Pointer, others: usize, flags: Long) -> Long {
        reads_pieces(from, count), writes_pieces(to, own(process, others))
    }
}

/// How many pieces are memory of this process.
fn own(process: Int, count: usize) -> usize {
    // SAFETY: the call has no precondition.
    if process == unsafe { libc::getpid() } { count } else { 0 }
}
