//! Threads that read queues, so that the device has room, whatever the host does with what it wrote.

use super::queue::{FinalCounts, Reader};
use super::ship::LaunchWatch;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use warpsan_instrument::record::Slot;

/// Slots that are taken from a queue at a time.
const CHUNK: usize = 256;
/// Slots that wait here for the merger, for each queue. The queue itself holds what comes after.
const MOST_WAITING: usize = 4096;
/// Looks at empty queues before a thread begins to sleep between them, and how long it sleeps at most.
const EAGER_LOOKS: u32 = 200;
const LONGEST_SLEEP: Duration = Duration::from_micros(200);

/// Slots on their way from the readers to the merger.
#[derive(Debug)]
pub(super) struct Deliveries {
    inboxes: Vec<Mutex<Vec<Slot>>>,
    /// Threads that still read.
    reading: AtomicUsize,
    news: Mutex<bool>,
    has_news: Condvar,
    /// What was lost, by queue: how many slots were read where more had been reserved.
    lost: Mutex<Vec<(usize, FinalCounts, u64)>>,
    /// Nobody puts anything in order any more.
    abandoned: AtomicBool,
}

/// A thread that panics holds no lock of these while it can.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Deliveries {
    pub(super) fn new(queues: usize, readers: usize) -> Deliveries {
        Deliveries {
            inboxes: (0..queues).map(|_| Mutex::default()).collect(),
            reading: AtomicUsize::new(readers),
            news: Mutex::new(false),
            has_news: Condvar::new(),
            lost: Mutex::default(),
            abandoned: AtomicBool::new(false),
        }
    }

    /// Exchanges what has come from a queue with an empty list.
    pub(super) fn take(&self, queue: usize, empty: &mut Vec<Slot>) {
        std::mem::swap(&mut *locked(&self.inboxes[queue]), empty);
    }

    /// Whether nothing will come any more, but what is here.
    pub(super) fn are_complete(&self) -> bool {
        self.reading.load(Ordering::Acquire) == 0
    }

    /// Waits until something may have come.
    pub(super) fn wait(&self, most: Duration) {
        let news = locked(&self.news);
        let waited = self.has_news.wait_timeout_while(news, most, |news| !*news);
        let (mut news, _) = waited.unwrap_or_else(PoisonError::into_inner);
        *news = false;
    }

    /// From now on slots are only read to make room.
    pub(super) fn abandon(&self) {
        self.abandoned.store(true, Ordering::Relaxed);
    }

    pub(super) fn first_loss(&self) -> Option<(usize, FinalCounts, u64)> {
        locked(&self.lost).iter().min_by_key(|lost| lost.0).copied()
    }

    fn notify(&self) {
        *locked(&self.news) = true;
        self.has_news.notify_one();
    }

    /// Reads some queues, given with their numbers, until the launch has ended and all is read.
    pub(super) fn read(&self, mut queues: Vec<(usize, Reader)>, watch: &LaunchWatch) {
        let mut taken = Vec::with_capacity(CHUNK);
        let mut looks = 0;
        while !queues.is_empty() {
            // Asked before the look at the queues: what was committed by then is seen.
            let end = watch.end();
            let mut any = false;
            queues.retain_mut(|(number, reader)| {
                let is_empty = match self.has_room(*number) {
                    true => {
                        taken.clear();
                        let count = reader.take(CHUNK, &mut taken);
                        self.deliver(*number, &taken);
                        any |= count > 0;
                        count == 0
                    }
                    false => false,
                };
                let is_over = is_empty && end.is_some();
                if let Some(counts) =
                    end.as_ref().filter(|_| is_over).and_then(|end| end.counts(*number))
                    && (counts.reserved, counts.committed)
                        != (reader.next_index(), reader.next_index())
                {
                    locked(&self.lost).push((*number, counts, reader.next_index()));
                }
                !is_over
            });
            if any {
                self.notify();
                looks = 0;
            } else {
                rest(looks);
                looks = looks.saturating_add(1);
            }
        }
        self.reading.fetch_sub(1, Ordering::Release);
        self.notify();
    }

    fn has_room(&self, queue: usize) -> bool {
        locked(&self.inboxes[queue]).len() < MOST_WAITING
    }

    fn deliver(&self, queue: usize, slots: &[Slot]) {
        if !self.abandoned.load(Ordering::Relaxed) && !slots.is_empty() {
            locked(&self.inboxes[queue]).extend_from_slice(slots);
        }
    }
}

/// Lets others go, for longer the longer nothing came.
fn rest(looks: u32) {
    if looks < EAGER_LOOKS {
        std::thread::yield_now();
    } else {
        let longer = Duration::from_micros(u64::from(looks - EAGER_LOOKS) + 1);
        std::thread::sleep(longer.min(LONGEST_SLEEP));
    }
}
