//! Waiting for a program to end, or for its time to be over.

use crate::process::tree::{Tree, kill_tree};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Waits until the first process of a program has ended, which stays to be collected, so that its number
/// is not given to another process. Says whether the program had to be ended.
pub(crate) fn wait_for_end(tree: Tree<'_>, timeout: Option<Duration>) -> bool {
    let Some(limit) = timeout else {
        wait_without_collecting(tree.root);
        return false;
    };
    std::thread::scope(|scope| {
        let (ended, end) = channel::<()>();
        let watcher = scope.spawn(move || {
            let is_over = end.recv_timeout(limit) == Err(RecvTimeoutError::Timeout);
            if is_over {
                kill_tree(tree);
            }
            is_over
        });
        wait_without_collecting(tree.root);
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
