//! Where the accesses of races were. A tool remembers of an earlier access only whose it was and when; who goes through the
//! trace a second time can look for it.

use std::collections::{BTreeMap, HashMap, HashSet};

use warpsan_thread_detect::{Checker, EarlierAccess, EmptyTool, Epoch, Span};

use crate::event::{Action, Event, Lock, Site, TraceThread};
use crate::replay::{Race, Replay, ReplayError};

/// An access, and what held when it was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accessed {
    /// Which event, from zero.
    pub index: usize,
    /// Who, where and what.
    pub event: Event,
    /// The locks that the thread held, the one that it took last at the end.
    pub locks: Vec<HeldLock>,
}

/// A lock that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldLock {
    /// Which.
    pub lock: Lock,
    /// Whether no other thread could hold it.
    pub exclusive: bool,
    /// Where it was taken.
    pub site: Site,
}

/// A piece of memory that was given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocated {
    /// Where it is.
    pub span: Span,
    /// Who asked for it.
    pub thread: TraceThread,
    /// Where.
    pub site: Site,
    /// It was given back since.
    pub is_freed: bool,
}

/// How a thread came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartOf {
    /// Who started it.
    pub by: TraceThread,
    /// Where.
    pub site: Site,
}

/// A race, with its accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witnessed {
    /// As the tool has reported it.
    pub race: Race,
    /// The last access of that sort in the epoch that the tool has named.
    pub earlier: Option<Accessed>,
    /// The access that was seen to race.
    pub later: Option<Accessed>,
    /// The memory, where it was given out in the trace.
    pub memory: Option<Allocated>,
}

/// Looks for the accesses of races while the events of a trace go by once more.
pub struct Witness<'c> {
    replay: Replay<'c, EmptyTool>,
    index: usize,
    races: Vec<Witnessed>,
    /// Races by the epoch of their earlier access.
    by_epoch: HashMap<Epoch, Vec<usize>>,
    /// Races by the event of their later one.
    by_event: HashMap<usize, Vec<usize>>,
    locks: HashMap<TraceThread, Vec<HeldLock>>,
    /// By their first address.
    blocks: BTreeMap<u64, Allocated>,
    starts: HashMap<TraceThread, StartOf>,
    ended: HashSet<TraceThread>,
}

impl<'c> Witness<'c> {
    /// A witness of these races. The checker is used for the order of threads only.
    pub fn new(checker: &'c Checker<EmptyTool>, races: Vec<Race>) -> Self {
        let mut by_epoch: HashMap<_, Vec<usize>> = HashMap::new();
        let mut by_event: HashMap<_, Vec<usize>> = HashMap::new();
        for (number, race) in races.iter().enumerate() {
            by_epoch.entry(race.conflict.earlier).or_default().push(number);
            by_event.entry(race.event).or_default().push(number);
        }
        let unseen = |race| Witnessed { race, earlier: None, later: None, memory: None };
        Self {
            replay: Replay::new(checker),
            index: 0,
            races: races.into_iter().map(unseen).collect(),
            by_epoch,
            by_event,
            locks: HashMap::new(),
            blocks: BTreeMap::new(),
            starts: HashMap::new(),
            ended: HashSet::new(),
        }
    }

    /// The next event of the trace.
    pub fn event(&mut self, event: &Event) -> Result<(), ReplayError> {
        let is_plain = matches!(event.action, Action::Read(_) | Action::Write(_));
        // Plain accesses order nothing; the thread of the first event may have begun with it.
        if !is_plain || self.replay.epoch_of(event.thread).is_none() {
            self.replay.event(&ordering_of(event), &mut |_| {})?;
        }
        if let Some((span, sort)) = access_of(event.action) {
            self.look_at(event, span, sort);
        }
        self.follow(event);
        self.index += 1;
        Ok(())
    }

    /// What was found, and how the threads came to be.
    pub fn finish(self) -> (Vec<Witnessed>, HashMap<TraceThread, StartOf>, HashSet<TraceThread>) {
        (self.races, self.starts, self.ended)
    }

    fn look_at(&mut self, event: &Event, span: Span, sort: EarlierAccess) {
        let of_event = self.by_event.remove(&self.index).unwrap_or_default();
        let epoch = self.epoch_at(event);
        let of_epoch = epoch.and_then(|epoch| self.by_epoch.get(&epoch));
        let is_earlier = |number: &&usize| {
            let race = &self.races[**number].race;
            race.event > self.index && race.conflict.access == sort && overlap(race.span, span)
        };
        let earlier: Vec<usize> =
            of_epoch.into_iter().flatten().filter(is_earlier).copied().collect();
        if of_event.is_empty() && earlier.is_empty() {
            return;
        }
        let locks = self.locks.get(&event.thread).cloned().unwrap_or_default();
        let accessed = Accessed { index: self.index, event: *event, locks };
        for number in earlier {
            self.races[number].earlier = Some(accessed.clone());
        }
        for number in of_event {
            let memory = self.block_at(self.races[number].race.span.address);
            self.races[number].later = Some(accessed.clone());
            self.races[number].memory = memory;
        }
    }

    /// The epoch that the access of an event belongs to. An atomic one that releases has ended it when the event is over.
    fn epoch_at(&self, event: &Event) -> Option<Epoch> {
        let epoch = self.replay.epoch_of(event.thread)?;
        let releases = match event.action {
            Action::AtomicWrite(_, order) | Action::AtomicUpdate(_, order) => order.releases(),
            _ => false,
        };
        match releases {
            true => Some(Epoch::new(epoch.clock().previous()?, epoch.thread())),
            false => Some(epoch),
        }
    }

    fn block_at(&self, address: u64) -> Option<Allocated> {
        let (_, block) = self.blocks.range(..=address).next_back()?;
        let end = block.span.address.saturating_add(block.span.size.max(1));
        (address < end).then_some(*block)
    }

    /// Locks that are held, memory that is given out, threads that begin and end.
    fn follow(&mut self, event: &Event) {
        let Event { thread, site, action } = *event;
        let held = self.locks.entry(thread).or_default();
        match action {
            Action::Acquire(lock) | Action::AcquireForWriting(lock) => {
                held.push(HeldLock { lock, exclusive: true, site });
            }
            Action::AcquireForReading(lock) => {
                held.push(HeldLock { lock, exclusive: false, site });
            }
            Action::Release(lock)
            | Action::Post(lock)
            | Action::ReleaseFromReading(lock)
            | Action::ReleaseFromWriting(lock) => {
                if let Some(place) = held.iter().rposition(|one| one.lock == lock) {
                    held.remove(place);
                }
            }
            Action::Allocate(span) => {
                let end = span.address.saturating_add(span.size);
                let first = |blocks: &BTreeMap<u64, _>| {
                    blocks.range(span.address..end).next().map(|(start, _)| *start)
                };
                while let Some(start) = first(&self.blocks) {
                    self.blocks.remove(&start);
                }
                // Stacks and mappings have no site: they are no blocks of the program.
                if site != Site::default() {
                    let block = Allocated { span, thread, site, is_freed: false };
                    self.blocks.insert(span.address, block);
                }
            }
            Action::Free(span) => {
                if let Some(block) = self.blocks.get_mut(&span.address) {
                    block.is_freed = true;
                }
            }
            Action::Fork(child) => {
                self.starts.insert(child, StartOf { by: thread, site });
            }
            Action::Join(child) | Action::Abandon(child) => {
                self.ended.insert(child);
                self.locks.remove(&child);
            }
            _ => {}
        }
    }
}

/// The event, as far as it orders something: accesses are none of the witness' business.
fn ordering_of(event: &Event) -> Event {
    let action = match event.action {
        Action::Read(_) | Action::Write(_) => Action::Begin,
        Action::Allocate(span) | Action::Free(span) => Action::Destroy(span),
        other => other,
    };
    Event { action, ..*event }
}

fn access_of(action: Action) -> Option<(Span, EarlierAccess)> {
    match action {
        Action::Read(span) => Some((span, EarlierAccess::Read)),
        Action::Write(span) | Action::Free(span) => Some((span, EarlierAccess::Write)),
        Action::AtomicRead(span, _) => Some((span, EarlierAccess::AtomicRead)),
        Action::AtomicWrite(span, _) | Action::AtomicUpdate(span, _) => {
            Some((span, EarlierAccess::AtomicWrite))
        }
        _ => None,
    }
}

fn overlap(one: Span, other: Span) -> bool {
    let end = |span: Span| span.address.saturating_add(span.size);
    one.address < end(other) && other.address < end(one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Trace;
    use crate::replay::replay;
    use std::sync::Arc;
    use warpsan_thread_detect::{
        AllRules, MemoryOrder, RustAllocation, SlimFast, SlimFastSettings,
    };

    const X: Span = Span { address: 0x1000, size: 4 };

    fn event(thread: u32, site: u32, action: Action) -> Event {
        Event { thread: TraceThread(thread), site: Site(site), action }
    }

    fn witnessed(events: &[Event]) -> Vec<Witnessed> {
        let storage = || Arc::new(RustAllocation);
        let tool = SlimFast::<AllRules>::new(storage(), SlimFastSettings::default());
        let checker = Checker::new(tool, storage()).expect("shadow memory");
        let trace = Trace { events: events.to_vec() };
        let races = replay(&checker, &trace).expect("a trace").races;
        let order = Checker::new(EmptyTool::default(), storage()).expect("shadow memory");
        let mut witness = Witness::new(&order, races);
        for event in events {
            witness.event(event).expect("the same trace");
        }
        witness.finish().0
    }

    #[test]
    fn both_accesses_the_locks_and_the_memory_are_found() {
        let one = TraceThread(1);
        let block = Span { address: 0xff0, size: 0x40 };
        let races = witnessed(&[
            event(0, 1, Action::Allocate(block)),
            event(0, 2, Action::Fork(one)),
            event(0, 3, Action::Acquire(Lock(7))),
            event(0, 4, Action::Write(X)),
            event(0, 5, Action::Release(Lock(7))),
            event(0, 6, Action::Read(X)),
            event(1, 8, Action::Write(X)),
        ]);
        assert_eq!(races.len(), 1, "{races:?}");
        let race = &races[0];
        let [earlier, later] =
            [&race.earlier, &race.later].map(|side| side.as_ref().expect("a side"));
        assert_eq!((earlier.index, later.index), (3, 6), "the read of a later epoch is not meant");
        assert_eq!(earlier.locks.iter().map(|held| held.site).collect::<Vec<_>>(), [Site(3)]);
        assert!(later.locks.is_empty());
        assert_eq!(race.memory.map(|memory| (memory.span, memory.site)), Some((block, Site(1))));
    }

    #[test]
    fn an_atomic_access_that_releases_belongs_to_the_epoch_that_it_ends() {
        let one = TraceThread(1);
        let races = witnessed(&[
            event(0, 1, Action::Fork(one)),
            event(0, 2, Action::AtomicWrite(X, MemoryOrder::Release)),
            event(1, 3, Action::Read(X)),
        ]);
        assert_eq!(races.len(), 1, "{races:?}");
        assert_eq!(races[0].earlier.as_ref().map(|side| side.index), Some(1));
        assert_eq!(races[0].memory, None);
    }
}
