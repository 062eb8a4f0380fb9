//! How many of FastTrack's pieces of metadata have the same value: the thesis, section 3.1 and figure 3.2.

use std::collections::HashSet;
use warpsan_thread_detect::{Checker, Description, Span, Tool};
use warpsan_thread_trace::{Action, Event};

/// Counts values of metadata, and those that differ.
#[derive(Debug, Default)]
pub(super) struct Redundancy {
    all: u64,
    unique: HashSet<Description>,
    before: Vec<(u64, Description)>,
}

/// Longer accesses are copies of memory: most of what they change is the same.
const LONGEST: u64 = 4096;

impl Redundancy {
    /// An event is about to come.
    pub(super) fn before<T: Tool>(&mut self, checker: &Checker<T>, event: &Event) {
        self.before.clear();
        let (Action::Read(span) | Action::Write(span)) = event.action else { return };
        let words = words(span).map(|word| (word, checker.describe(word).0));
        self.before.extend(words);
    }

    /// It has come by: what it has changed counts.
    pub(super) fn after<T: Tool>(&mut self, checker: &Checker<T>) {
        for (word, before) in self.before.drain(..) {
            let (after, _) = checker.describe(word);
            if after != before && after != Description::Divided {
                self.all += 1;
                self.unique.insert(after);
            }
        }
    }

    /// All pieces of metadata by those that differ; none where there were none.
    pub(super) fn ratio(&self) -> Option<f64> {
        (self.all > 0).then(|| self.all as f64 / self.unique.len() as f64)
    }
}

/// A byte of each word of an access: what is true of it is true of all of the word that are accessed.
fn words(span: Span) -> impl Iterator<Item = u64> {
    let end = span.address.saturating_add(span.size.min(LONGEST));
    let next = (span.address | 7).saturating_add(1);
    (span.address..end).take(1).chain((next..end).step_by(8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use warpsan_thread_detect::{FastTrack, RustAllocation};
    use warpsan_thread_trace::{Lock, Replay, Site, TraceThread};

    #[test]
    fn words_that_are_written_in_one_epoch_have_one_value() {
        let storage = || Arc::new(RustAllocation);
        let tool = FastTrack::<warpsan_thread_detect::AllRules>::new(storage());
        let checker = Checker::new(tool, storage()).expect("shadow memory");
        let mut replay = Replay::new(&checker);
        let mut redundancy = Redundancy::default();
        let write = |address| Action::Write(Span { address, size: 8 });
        let actions =
            [write(0x100), write(0x108), write(0x108), Action::Release(Lock(1)), write(0x100)];
        for action in actions {
            let event = Event { thread: TraceThread(0), site: Site(0), action };
            redundancy.before(&checker, &event);
            replay.event(&event, &mut |_| {}).expect("an event");
            redundancy.after(&checker);
        }
        assert_eq!(redundancy.ratio(), Some(1.5), "three values, of which two are the same");
        assert_eq!(Redundancy::default().ratio(), None);
    }
}
