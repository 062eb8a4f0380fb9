//! A thread that synchronises unseen is waited for, but not for ever. Threads take turns in a whole process, so this test has one of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use warpsan_runtime::host_threads::{
    NewThread, Operation, Turn, cuda_is_near, end_thread, take_turn,
};

fn turn() -> Turn {
    take_turn(Operation::Synchronise).expect("threads take turns")
}

#[test]
fn a_thread_that_wants_no_turn_is_not_waited_for_for_ever() {
    cuda_is_near();
    NewThread::before_turns();
    let is_over = Arc::new(AtomicBool::new(false));
    let turn_of_main = turn();
    let new = turn_of_main.make_thread();
    let waits = Arc::clone(&is_over);
    let thread = std::thread::spawn(move || {
        new.begin();
        while !waits.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        end_thread();
    });
    turn_of_main.thread_made(new, Some(1));
    drop(turn_of_main);
    // Each of these would wait for the other thread, which waits for this one.
    for _ in 0..3 {
        drop(turn());
    }
    is_over.store(true, Ordering::SeqCst);
    thread.join().expect("it ends well");
}
