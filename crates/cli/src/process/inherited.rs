//! What a program inherits from whoever starts it, and would lose on the way through warpsan: which signals are ignored and
//! which are blocked. Rust's start of a process ignores `SIGPIPE`, its start of a child sets that back and blocks nothing,
//! and warpsan itself ignores `SIGXFSZ`: a file that gets too long (`ulimit -f`) is an error of its own and no end.

use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::OnceLock;

/// What this process was started with.
struct Inherited {
    ignores: [bool; SIGNALS.len()],
    blocked: libc::sigset_t,
}

const SIGNALS: [libc::c_int; 2] = [libc::SIGPIPE, libc::SIGXFSZ];

static INHERITED: OnceLock<Inherited> = OnceLock::new();

// Runs before Rust's own start.
#[used]
// SAFETY: `.init_array` holds pointers to functions, whose arguments may be ignored.
#[unsafe(link_section = ".init_array")]
static REMEMBER: extern "C" fn() = remember;

extern "C" fn remember() {
    let mut blocked = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: nothing is set, and it is a place for the answer, for which zeros are a value.
    let blocked = unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), blocked.as_mut_ptr());
        blocked.assume_init()
    };
    INHERITED.get_or_init(|| Inherited { ignores: SIGNALS.map(is_ignored), blocked });
    // SAFETY: no function of ours is called by this.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

fn is_ignored(signal: libc::c_int) -> bool {
    let mut action = MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: nothing is set, and it is a place for the answer, for which zeros are a value.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr());
        action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// Hands it on to a program that is started.
pub(super) fn hand_on(command: &mut Command) {
    let Some(inherited) = INHERITED.get() else { return };
    // SAFETY: between fork and exec the closure calls two functions that are allowed there, with values that stay.
    unsafe {
        command.pre_exec(move || {
            for (signal, is_ignored) in SIGNALS.into_iter().zip(inherited.ignores) {
                libc::signal(signal, if is_ignored { libc::SIG_IGN } else { libc::SIG_DFL });
            }
            libc::pthread_sigmask(libc::SIG_SETMASK, &inherited.blocked, std::ptr::null_mut());
            Ok(())
        });
    }
}
