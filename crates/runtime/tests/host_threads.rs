//! Turns of the host's threads do not depend on time. Threads take turns in a whole process, so these tests have one of their own.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use warpsan_runtime::host_threads::{
    NewThread, Object, Operation, Turn, cuda_is_near, end_thread, take_turn,
};

const THREADS: usize = 8;
/// How often a thread that waits looks again.
const LOOK: Duration = Duration::from_millis(20);

/// One story at a time: there is one line of turns.
static STORY: Mutex<()> = Mutex::new(());

fn begin_story() -> MutexGuard<'static, ()> {
    let story = STORY.lock().unwrap_or_else(PoisonError::into_inner);
    cuda_is_near();
    NewThread::before_turns();
    story
}

fn turn() -> Turn {
    take_turn(Operation::Synchronise).expect("threads take turns")
}

/// Sleeps for a while that nobody can foresee.
fn dawdle() {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is later");
    std::thread::sleep(Duration::from_micros(u64::from(now.subsec_nanos()) % 700));
}

/// Runs the same on all threads, and waits for them as `pthread_join` does.
fn on_all_threads(body: impl Fn(usize) + Send + Sync + 'static) {
    let body = Arc::new(body);
    let mut threads = Vec::new();
    for number in 0..THREADS {
        let turn = turn();
        let new = turn.make_thread();
        let body = Arc::clone(&body);
        threads.push(std::thread::spawn(move || {
            new.begin();
            body(number);
            end_thread();
        }));
        turn.thread_made(new, Some(number));
    }
    for number in 0..THREADS {
        let mut turn = turn();
        let thread = turn.thread_called(number).expect("it was made");
        while !turn.has_ended(thread) {
            turn.block(Object::End(thread), LOOK);
        }
    }
    threads.into_iter().for_each(|thread| thread.join().expect("it ends well"));
}

/// Who came when.
type Log = Arc<Mutex<Vec<usize>>>;

fn note(log: &Log, number: usize) {
    log.lock().expect("nobody panics").push(number);
}

fn noted(log: &Log) -> Vec<usize> {
    log.lock().expect("nobody panics").clone()
}

#[test]
fn turns_come_in_the_same_order_however_long_threads_take() {
    let _story = begin_story();
    let story = || {
        let log = Log::default();
        let own = Arc::clone(&log);
        on_all_threads(move |number| {
            for _ in 0..5 + number % 3 {
                dawdle();
                let _turn = turn();
                note(&own, number);
            }
        });
        noted(&log)
    };
    let first = story();
    assert_eq!(first.len(), (0..THREADS).map(|number| 5 + number % 3).sum::<usize>());
    assert!(first.windows(2).any(|two| two[0] != two[1]), "threads take turns");
    for _ in 0..10 {
        assert_eq!(story(), first);
    }
}

#[test]
fn a_lock_goes_to_threads_in_the_same_order() {
    let _story = begin_story();
    let story = || {
        let log = Log::default();
        let own = Arc::clone(&log);
        let is_held = AtomicBool::new(false);
        let lock = Object::Lock(64);
        on_all_threads(move |number| {
            for _ in 0..4 {
                let mut held = turn();
                while is_held.swap(true, Ordering::SeqCst) {
                    held.block(lock, LOOK);
                }
                note(&own, number);
                drop(held);
                dawdle();
                let free = turn();
                is_held.store(false, Ordering::SeqCst);
                free.wake(lock, true);
            }
        });
        noted(&log)
    };
    let first = story();
    assert_eq!(first.len(), 4 * THREADS);
    for _ in 0..5 {
        assert_eq!(story(), first);
    }
}
