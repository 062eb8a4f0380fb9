//! Many checks at once.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// One thing that was checked, and the outcome.
#[derive(Clone, Debug)]
pub struct Checked<T, V> {
    /// What was checked.
    pub item: T,
    /// The outcome; nothing if the time was up before it began.
    pub verdict: Option<V>,
}

/// Checks all items on some threads and calls `observe` for each as it is done. The result has the order of
/// the items. After the deadline nothing new begins.
pub fn in_parallel<T: Sync + Clone, V: Send>(
    items: &[T],
    threads: usize,
    deadline: Option<Instant>,
    check: impl Fn(&T) -> V + Sync,
    observe: impl Fn(&T, &V) + Sync,
) -> Vec<Checked<T, V>> {
    let next = AtomicUsize::new(0);
    let verdicts: Vec<Mutex<Option<V>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(item), Some(place)) = (items.get(index), verdicts.get(index)) else {
                        return;
                    };
                    if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                        return;
                    }
                    let verdict = check(item);
                    observe(item, &verdict);
                    *place.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(verdict);
                }
            });
        }
    });
    let verdicts = verdicts
        .into_iter()
        .map(|place| place.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()));
    items.iter().cloned().zip(verdicts).map(|(item, verdict)| Checked { item, verdict }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_item_is_checked_once_and_keeps_its_place() {
        let items: Vec<u32> = (0..100).collect();
        let observed = AtomicUsize::new(0);
        let count = |_: &u32, _: &u32| {
            observed.fetch_add(1, Ordering::Relaxed);
        };
        let checked = in_parallel(&items, 4, None, |item| item * 2, count);
        assert_eq!(observed.into_inner(), 100);
        assert!(checked.iter().all(|checked| checked.verdict == Some(checked.item * 2)));
        assert_eq!(checked.len(), 100);
    }

    #[test]
    fn nothing_begins_after_the_deadline() {
        let past = Instant::now() - Duration::from_secs(1);
        let checked = in_parallel(&[1, 2, 3], 2, Some(past), |item| *item, |_, _| {});
        assert!(checked.iter().all(|checked| checked.verdict.is_none()));
    }
}
