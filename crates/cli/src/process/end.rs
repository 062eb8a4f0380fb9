//! Waiting for a program to end, or for its time to be over.

use crate::process::tree::kill_tree;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Waits until the child has ended, which stays to be collected, so that its number is not given to
/// another process. Says whether the child had to be ended.
pub(crate) fn wait_for_end(child: u32, timeout: Option<Duration>) -> bool {
    let Some(limit) = timeout else {
        wait_without_collecting(child);
        return false;
    };
    std::thread::scope(|scope| {
        let (ended, end) = channel::<()>();
        let watcher = scope.spawn(move || {
            let is_over = end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            if is_over {
                kill_tree(child);
            }
            is_over
        });
        wait_without_collecting(child);
        drop(ended);
        watcher.join().unwrap_or(false)
    })
}

fn wait_without_collecting(child: u32) {
    loop {
        // SAFETY: `siginfo_t` consists of numbers and pointers, for which zero is a value.
        let mut information: libc::siginfo_t = unsafe { std::mem::zeroed() };
        // SAFETY: `information` is a place for the answer.
        let result = unsafe {
            libc::waitid(libc::P_PID, child, &raw mut information, libc::WEXITED | libc::WNOWAIT)
        };
        let is_interrupted = || std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR);
        if result == 0 || !is_interrupted() {
            return;
        }
    }
}
