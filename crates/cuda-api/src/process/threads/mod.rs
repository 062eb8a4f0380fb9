//! Functions by which threads of the host synchronise come here first: pthreads, C11, and what C++ is made of.
//!
//! Where threads take turns ([`warpsan_runtime::host_threads`]), each of these functions is a turn. It never waits inside of the C library: it
//! tries, and where it would have to wait, others have their turns until one of them wakes it. So who gets a lock next does
//! not depend on time. Everywhere else they go straight to the C library.

mod barrier;
mod c11;
mod condition;
mod futex;
mod locks;
mod once;
mod real;
mod semaphore;
mod thread;

use std::ffi::c_int;
use std::time::Duration;

/// How often a thread that waits looks whether something has happened unseen: another process may have a lock, too.
const LOOK: Duration = Duration::from_millis(20);
/// What is only ever done in turns need not be looked at.
const NEVER: Duration = Duration::from_secs(3600);

/// Until when somebody waits.
#[derive(Clone, Copy)]
struct Deadline {
    clock: libc::clockid_t,
    time: libc::timespec,
}

impl Deadline {
    /// # Safety
    /// `time` points to a time.
    unsafe fn new(clock: libc::clockid_t, time: *const libc::timespec) -> Deadline {
        // SAFETY: passed on.
        Deadline { clock, time: unsafe { *time } }
    }

    /// How long to wait at most before the next look: until the time is over. An error's number if it is over, or none.
    fn look(deadline: Option<Deadline>, longest: Duration) -> Result<Duration, c_int> {
        let Some(deadline) = deadline else { return Ok(longest) };
        if !(0..1_000_000_000).contains(&deadline.time.tv_nsec) {
            return Err(libc::EINVAL);
        }
        deadline.left().map(|left| left.min(longest)).ok_or(libc::ETIMEDOUT)
    }

    /// How long that is from now. Nothing if it is over.
    fn left(&self) -> Option<Duration> {
        // SAFETY: zeros are a time, and the place is our own.
        let now = unsafe {
            let mut now: libc::timespec = std::mem::zeroed();
            libc::clock_gettime(self.clock, &mut now);
            now
        };
        let of = |time: &libc::timespec| {
            Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
        };
        of(&self.time).checked_sub(of(&now)).filter(|left| !left.is_zero())
    }
}
