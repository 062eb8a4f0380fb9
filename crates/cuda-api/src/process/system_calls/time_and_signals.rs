//! Clocks, timers, and waiting for signals.

use super::{Int, Long, Pointer, system_calls};

/// Bytes of what is passed.
/// A `timespec` or a `timeval`.
const TIME: usize = 16;
/// How often a timer goes off, and when the next time.
const TIMER: usize = 32;
/// What the system knows of a set of signals.
const SIGNALS: usize = 8;
const SIGNAL_INFORMATION: usize = 128;
const STACK: usize = 24;

system_calls! {
    clock_gettime(clock: Int, to: Pointer) -> Int { writes(to, TIME) }
    clock_getres(clock: Int, to: Pointer) -> Int { writes(to, TIME) }
    clock_settime(clock: Int, from: Pointer) -> Int { reads(from, TIME) }
    clock_nanosleep(clock: Int, flags: Int, time: Pointer, rest: Pointer) -> Int {
        reads(time, TIME), writes(rest, TIME)
    }
    nanosleep(time: Pointer, rest: Pointer) -> Int { reads(time, TIME), writes(rest, TIME) }
    gettimeofday(to: Pointer, zone: Pointer) -> Int { writes(to, TIME), writes(zone, 8) }
    settimeofday(from: Pointer, zone: Pointer) -> Int { reads(from, TIME), reads(zone, 8) }
    time(to: Pointer) -> Long { writes(to, 8) }
    times(to: Pointer) -> Long { writes(to, 32) }
    adjtime(from: Pointer, old: Pointer) -> Int { reads(from, TIME), writes(old, TIME) }
    adjtimex(both: Pointer) -> Int { writes(both, 208) }
    getitimer(which: Int, to: Pointer) -> Int { writes(to, TIMER) }
    setitimer(which: Int, from: Pointer, old: Pointer) -> Int { reads(from, TIMER), writes(old, TIMER) }
    timer_create(clock: Int, event: Pointer, to: Pointer) -> Int { reads(event, 64), writes(to, 8) }
    timer_settime(timer: Pointer, flags: Int, from: Pointer, old: Pointer) -> Int {
        reads(from, TIMER), writes(old, TIMER)
    }
    timer_gettime(timer: Pointer, to: Pointer) -> Int { writes(to, TIMER) }
    timerfd_settime(file: Int, flags: Int, from: Pointer, old: Pointer) -> Int {
        reads(from, TIMER), writes(old, TIMER)
    }
    timerfd_gettime(file: Int, to: Pointer) -> Int { writes(to, TIMER) }
    sigpending(to: Pointer) -> Int { writes(to, SIGNALS) }
    sigsuspend(set: Pointer) -> Int { reads(set, SIGNALS) }
    sigwait(set: Pointer, to: Pointer) -> Int { reads(set, SIGNALS), writes(to, 4) }
    sigwaitinfo(set: Pointer, to: Pointer) -> Int { reads(set, SIGNALS), writes(to, SIGNAL_INFORMATION) }
    sigtimedwait(set: Pointer, to: Pointer, time: Pointer) -> Int {
        reads(set, SIGNALS), writes(to, SIGNAL_INFORMATION), reads(time, TIME)
    }
    signalfd(file: Int, set: Pointer, flags: Int) -> Int { reads(set, SIGNALS) }
    sigaltstack(from: Pointer, old: Pointer) -> Int { reads(from, STACK), writes(old, STACK) }
}
