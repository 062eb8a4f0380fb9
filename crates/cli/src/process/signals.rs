//! Signals to warpsan while a program runs.
//!
//! What is typed at a terminal reaches the program by itself, which belongs to the same process
//! group; what somebody sends to warpsan is passed on. Either way warpsan stays until the program
//! has ended, so that it can report.

use std::mem::MaybeUninit;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The signals that ask for an end.
const SIGNALS: [libc::c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// The program that signals go to; 0 while there is none.
static PROGRAM: AtomicI32 = AtomicI32::new(0);
/// A signal that came before the program was started; 0 when none did.
static EARLY_SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Signals of a process can go to one program only, so that one runs at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Signals are passed on while this lives.
pub(crate) struct ForwardedSignals {
    _only: MutexGuard<'static, ()>,
    previous: Vec<(libc::c_int, libc::sigaction)>,
}

impl ForwardedSignals {
    /// Takes over the signals that are not ignored; those stay ignored here and in the program.
    pub(crate) fn install() -> ForwardedSignals {
        let only = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let mut previous = Vec::new();
        for signal in SIGNALS {
            let Some(action) = current_action(signal) else { continue };
            if action.sa_sigaction != libc::SIG_IGN && set_action(signal, &forwarding_action()) {
                previous.push((signal, action));
            }
        }
        ForwardedSignals { _only: only, previous }
    }

    /// Names the program, and passes on what has already come.
    pub(crate) fn forward_to(&self, program: u32) {
        let Ok(program) = i32::try_from(program) else { return };
        PROGRAM.store(program, Ordering::SeqCst);
        let early = EARLY_SIGNAL.swap(0, Ordering::SeqCst);
        if early != 0 {
            // SAFETY: sending a signal touches no memory of this process.
            unsafe { libc::kill(program, early) };
        }
    }
}

/// Whoever started warpsan may have told the system not to keep the ends of children, and then nobody could wait for the
/// program. The program itself gets what warpsan got.
pub(crate) fn keep_ends_of_children(program: &mut Command) {
    let Some(before) = current_action(libc::SIGCHLD) else { return };
    if before.sa_sigaction != libc::SIG_IGN && before.sa_flags & libc::SA_NOCLDWAIT == 0 {
        return;
    }
    // SAFETY: `sigaction` consists of numbers and an optional function, for which zero is a value: the system's own way.
    set_action(libc::SIGCHLD, &unsafe { std::mem::zeroed() });
    let as_before = move || {
        set_action(libc::SIGCHLD, &before);
        Ok(())
    };
    // SAFETY: setting an action is allowed between `fork` and `exec`, and nothing else is done.
    unsafe { program.pre_exec(as_before) };
}

impl Drop for ForwardedSignals {
    fn drop(&mut self) {
        PROGRAM.store(0, Ordering::SeqCst);
        for (signal, action) in &self.previous {
            set_action(*signal, action);
        }
    }
}

/// Runs at a signal: only atomics and `kill`, which are allowed there.
extern "C" fn forward(
    signal: libc::c_int,
    information: *mut libc::siginfo_t,
    _: *mut libc::c_void,
) {
    let program = PROGRAM.load(Ordering::SeqCst);
    if program == 0 {
        EARLY_SIGNAL.store(signal, Ordering::SeqCst);
        return;
    }
    // A positive code means that the kernel sent it, as it does for a terminal: to the whole group.
    // SAFETY: the system passes the description of the signal.
    let was_sent_by_a_process = unsafe { (*information).si_code } <= 0;
    if was_sent_by_a_process {
        // SAFETY: sending a signal touches no memory of this process.
        unsafe { libc::kill(program, signal) };
    }
}

fn forwarding_action() -> libc::sigaction {
    // SAFETY: `sigaction` consists of numbers and an optional function, for which zero is a value.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = forward as *const () as libc::sighandler_t;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    action
}

fn current_action(signal: libc::c_int) -> Option<libc::sigaction> {
    let mut action = MaybeUninit::uninit();
    // SAFETY: nothing is set, and `action` is a place for the answer.
    let result = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: a call that succeeds has written the answer.
    (result == 0).then(|| unsafe { action.assume_init() })
}

fn set_action(signal: libc::c_int, action: &libc::sigaction) -> bool {
    // SAFETY: the action is either what was there before or our own function, which is allowed to
    // run at a signal.
    unsafe { libc::sigaction(signal, action, std::ptr::null_mut()) == 0 }
}
