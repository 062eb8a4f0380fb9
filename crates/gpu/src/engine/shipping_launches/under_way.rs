//! Launches that are shipping their operations right now.
//!
//! Events are handed on in batches, and some are known only when nothing more comes. So whoever ends the process
//! because a launch does not end says so here first: what its records say so far becomes events, barriers that can never
//! complete among it.

use crate::shipping::{LaunchEnd, LaunchWatch};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How a launch ends that does not end.
const STOPPED: LaunchEnd = LaunchEnd { counts: Vec::new(), stopped: true };

/// The launches that are shipping.
#[derive(Debug, Default)]
pub(in super::super) struct UnderWay {
    launches: Mutex<Launches>,
    one_has_ended: Condvar,
}

#[derive(Debug, Default)]
struct Launches {
    next: u64,
    /// None counts as running any more.
    are_stopped: bool,
    watched: Vec<(u64, LaunchWatch)>,
}

impl UnderWay {
    /// Follows a launch by `ship_it`, which ends when the watch says that the launch has ended.
    pub(in super::super) fn follow(&self, watch: &LaunchWatch, ship_it: impl FnOnce()) {
        let mut launches = self.lock();
        let number = launches.next;
        launches.next += 1;
        launches.watched.push((number, watch.clone()));
        if launches.are_stopped {
            watch.ended(STOPPED);
        }
        drop(launches);
        ship_it();
        self.lock().watched.retain(|(other, _)| *other != number);
        self.one_has_ended.notify_all();
    }

    /// No launch counts as running any more: waits until what is known of them has become events, but not for ever.
    pub(in super::super) fn stop(&self, most: Duration) {
        let mut launches = self.lock();
        launches.are_stopped = true;
        launches.watched.iter().for_each(|(_, watch)| watch.ended(STOPPED));
        let some_are_left = |launches: &mut Launches| !launches.watched.is_empty();
        let waited = self.one_has_ended.wait_timeout_while(launches, most, some_are_left);
        if waited.unwrap_or_else(PoisonError::into_inner).1.timed_out() {
            tracing::warn!("not all of a launch that was given up could be shipped");
        }
    }

    fn lock(&self) -> MutexGuard<'_, Launches> {
        self.launches.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shipping::{Reader, ShippedLaunch, ShippingError, ShippingOptions, Writer, ship};
    use std::sync::Arc;
    use warpsan_event::{Batch, Event, EventSink};
    use warpsan_instrument::record::{Header, RecordKind, SiteInfo, Slot};
    use warpsan_model::{Dim3, Geometry, LaunchId, SiteId};

    /// Keeps where the lanes of a warp have diverged.
    #[derive(Default)]
    struct Divergences(Vec<(SiteId, SiteId, bool)>);

    impl EventSink for Divergences {
        fn batch(&mut self, batch: &Batch<'_>) {
            self.0.extend(batch.events().filter_map(|event| match event {
                Event::BarrierDivergence { site, other_site, completes, .. } => {
                    Some((site, other_site, completes))
                }
                _ => None,
            }));
        }
    }

    #[test]
    fn lanes_that_hang_at_two_barriers_are_reported_when_the_launch_is_given_up() {
        let launch = ShippedLaunch {
            launch: LaunchId(0),
            facts: Arc::default(),
            sites: Arc::default(),
            infos: Arc::from([SiteInfo::BlockBarrier { aligned: true }; 2]),
            paths: Arc::default(),
            geometry: Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(32, 1, 1) },
            cluster: None,
            turn_bits: 1,
            shared_base: 0,
        };
        let queue = Writer::with_capacity(64);
        let arrive = |mask: u32, site: u32| {
            let kind = RecordKind::BlockBarrierArrive.with_parts(0);
            let header = Header { kind, mask, site, ..Header::default() };
            queue.write(&[Slot { header, lanes: [0; 32] }]);
        };
        let (under_way, watch) = (UnderWay::default(), LaunchWatch::new());
        let mut divergences = Divergences::default();
        let result = std::thread::scope(|scope| {
            let shipping = scope.spawn(|| {
                let mut result = None;
                under_way.follow(&watch, || {
                    let readers = vec![Reader::new(queue.memory())];
                    let options = ShippingOptions::default();
                    result = Some(ship(&launch, readers, &watch, &mut divergences, options));
                });
                result
            });
            // Half of the warp waits at one barrier, and half of it at another one; a GPU lets neither go on.
            arrive(0x0000_FFFF, 0);
            arrive(0xFFFF_0000, 1);
            while under_way.lock().watched.is_empty() {
                std::thread::yield_now();
            }
            under_way.stop(Duration::from_secs(60));
            assert!(under_way.lock().watched.is_empty());
            shipping.join().expect("it is shipped")
        });
        assert_eq!(result, Some(Err(ShippingError::Stopped)));
        assert_eq!(divergences.0, [(SiteId(0), SiteId(1), false)]);
    }

    #[test]
    fn nobody_waits_for_ever_for_what_cannot_be_shipped() {
        let (under_way, watch) = (UnderWay::default(), LaunchWatch::new());
        under_way.follow(&watch, || under_way.stop(Duration::from_millis(1)));
        assert_eq!(watch.end(), Some(&STOPPED));
        let later = LaunchWatch::new();
        under_way
            .follow(&later, || assert_eq!(later.end(), Some(&STOPPED), "one that comes later"));
    }
}
