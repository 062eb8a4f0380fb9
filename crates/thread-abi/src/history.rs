//! What a thread has accessed lately: where a race's earlier side was.
//!
//! A ring of entries of 16 bytes, and beside it the atomic accesses that are repeated. Only accesses that change what is known of a location are written down, so loops that
//! repeat themselves within an epoch take no room. The thread writes without a lock; another thread that has found a race
//! reads, and throws away what may have been overwritten meanwhile.

mod atomics;
mod lock_sets;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use warpsan_thread_detect::{Clock, EarlierAccess, Span};
use warpsan_thread_report::SideAccess;

use self::atomics::{AtomicEntry, RecentAtomics};
use self::lock_sets::LOCK;
use crate::context::Context;
use crate::function::LibraryFunction;
use crate::locks::{HeldLock, HeldLocks, LockSet};
use crate::storage::PageStorage;
use crate::system;

/// An access that was written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) sort: SideAccess,
    pub(crate) span: Span,
    /// Where it was made, as a return address.
    pub(crate) site: u64,
    /// The function of the C library that made it, if one did.
    pub(crate) function: LibraryFunction,
}

/// An access, and what was around it.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) access: Access,
    pub(crate) calls: Context,
    /// None: they were overwritten.
    pub(crate) locks: Option<Vec<HeldLock>>,
}

/// Under which circumstances accesses are made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Circumstances {
    pub(crate) clock: Clock,
    pub(crate) calls: Context,
    /// The locks that are held, which may still be unwritten.
    pub(crate) locks: LockSet,
}

/// The ring, which outlives its thread.
pub(crate) struct Ring {
    entries: *mut [AtomicU64; 2],
    capacity: u64,
    /// Entries that were ever written. An entry is written before it is counted.
    written: AtomicU64,
    atomics: RecentAtomics,
    storage: Arc<PageStorage>,
}

// SAFETY: entries are atomic.
unsafe impl Send for Ring {}
// SAFETY: as above.
unsafe impl Sync for Ring {}

/// The writing side.
pub(crate) struct History {
    ring: Arc<Ring>,
    /// Of the entries since the last one that says so.
    circumstances: Circumstances,
    /// The entry that says so. Those before it are of other circumstances, and may be overwritten by now.
    since: u64,
    /// By place in the code: entries that may still grow.
    runs: [Run; Self::RUNS],
}

/// An entry of a loop over an array.
#[derive(Clone, Copy, Default)]
struct Run {
    /// Its number in the ring, and its first word.
    entry: u64,
    first: u64,
    site: u64,
}

// An entry is an access: [4 bits of sort, 12 of size, 48 of address] [16 of function, 48 of site]; a size that does not fit:
// [SIZE] [size], before its access; what holds for those that follow: [CIRCUMSTANCES, 44 bits of clock] [locks, calls]; or a lock
// (`lock_sets.rs`).
const SORT_SHIFT: u32 = 60;
const SIZE_SHIFT: u32 = 48;
const LARGE: u64 = (1 << 12) - 1;
const ADDRESS: u64 = (1 << 48) - 1;
const SIZE: u64 = 14;
const CIRCUMSTANCES: u64 = 15;
/// Circumstances of the past, of an atomic access that others have displaced. Clocks do not fall otherwise.
const EVICTED: u64 = 1 << 59;
const PAGE: u64 = 4096;

const SORTS: [SideAccess; 7] = [
    SideAccess::Read,
    SideAccess::Write,
    SideAccess::AtomicRead,
    SideAccess::AtomicWrite,
    SideAccess::Free,
    SideAccess::VptrWrite,
    SideAccess::VptrRead,
];

/// Circumstances are repeated so often, so that what is left of an overwritten ring has some.
const REPEATED: u64 = 1 << 12;

impl Ring {
    fn new(capacity: u64, storage: Arc<PageStorage>) -> Option<Ring> {
        let bytes = capacity * 16;
        // Pages are taken as they are written, so the whole is charged in the end only if it is used; the budget counts it at once.
        let entries = storage.charge(bytes).then(|| system::map(bytes as usize)).flatten();
        let entries = entries?;
        let (written, atomics) = (AtomicU64::new(0), RecentAtomics::default());
        Some(Ring { entries: entries.cast(), capacity, written, atomics, storage })
    }

    /// What the ring holds, in as little memory as that takes, when its thread has ended. None: it is as small as can be.
    pub(crate) fn compacted(&self) -> Option<Ring> {
        let written = self.written.load(Ordering::Acquire);
        let capacity = written.next_power_of_two().max(PAGE / 16);
        if capacity >= self.capacity {
            return None;
        }
        let mut ring = Ring::new(capacity, Arc::clone(&self.storage))?;
        for index in 0..written {
            let (first, second) = self.read(index);
            let [to_first, to_second] = ring.entry(index);
            to_first.store(first, Ordering::Relaxed);
            to_second.store(second, Ordering::Relaxed);
        }
        ring.written = AtomicU64::new(written);
        ring.atomics = self.atomics.copy();
        Some(ring)
    }

    /// Bytes that it may take.
    pub(crate) fn bytes(&self) -> u64 {
        self.capacity * 16
    }

    fn entry(&self, index: u64) -> &[AtomicU64; 2] {
        // SAFETY: the index is taken modulo the capacity, which is a power of two.
        unsafe { &*self.entries.add((index & (self.capacity - 1)) as usize) }
    }

    fn read(&self, index: u64) -> (u64, u64) {
        let [first, second] = self.entry(index);
        (first.load(Ordering::Relaxed), second.load(Ordering::Relaxed))
    }

    /// The last access of this sort to one of these bytes at this clock. None: it was overwritten.
    pub(crate) fn find(&self, span: Span, sort: EarlierAccess, clock: Clock) -> Option<Found> {
        let is_wanted = |access: &Access| is_of(access.sort, sort) && overlap(access.span, span);
        if matches!(sort, EarlierAccess::AtomicRead | EarlierAccess::AtomicWrite)
            && let Some((access, around)) = self.atomics.find(clock, is_wanted)
        {
            return Some(self.with_circumstances(access, around));
        }
        let end = self.written.load(Ordering::Acquire);
        let oldest = end.saturating_sub(self.capacity);
        let mut candidate: Option<(u64, Access)> = None;
        for index in (oldest..end).rev() {
            let (first, second) = self.read(index);
            match first >> SORT_SHIFT {
                CIRCUMSTANCES => {
                    let now = first & Clock::LAST.number();
                    if now < clock.number() && first & EVICTED == 0 {
                        return None;
                    }
                    if let Some((place, access)) = candidate.take_if(|_| now == clock.number()) {
                        let found = self.with_circumstances(access, second);
                        return self.is_still_there(place.min(index)).then_some(found);
                    }
                    candidate = None;
                }
                SIZE | LOCK => {}
                _ if candidate.is_some() => {}
                _ => {
                    let access = self.access(index, first, second);
                    candidate = access.filter(is_wanted).map(|access| (index, access));
                }
            }
        }
        None
    }

    /// An access, and what an entry says of the circumstances.
    fn with_circumstances(&self, access: Access, around: u64) -> Found {
        let calls = Context::from_number(around as u32);
        let locks = self.locks(LockSet::from_number((around >> 32) as u32));
        Found { access, calls, locks }
    }

    /// Whether an entry that was read has not been overwritten since.
    fn is_still_there(&self, index: u64) -> bool {
        std::sync::atomic::fence(Ordering::Acquire);
        // The thread may be writing the next one.
        self.written.load(Ordering::Relaxed) < index + self.capacity
    }

    fn access(&self, index: u64, first: u64, second: u64) -> Option<Access> {
        let mut access = Access::unpack(first, second)?;
        if access.span.size == LARGE {
            access.span.size = self.read(index.checked_sub(1)?).1;
        }
        Some(access)
    }
}

impl Access {
    /// A size that does not fit is [`LARGE`], and in an entry of its own.
    fn pack(&self) -> (u64, u64) {
        let size = self.span.size.min(LARGE);
        let first = ((self.sort as u64) << SORT_SHIFT)
            | (size << SIZE_SHIFT)
            | (self.span.address & ADDRESS);
        (first, (u64::from(self.function.number()) << 48) | (self.site & ADDRESS))
    }

    fn unpack(first: u64, second: u64) -> Option<Access> {
        Some(Access {
            sort: *SORTS.get((first >> SORT_SHIFT) as usize)?,
            span: Span { address: first & ADDRESS, size: (first >> SIZE_SHIFT) & LARGE },
            site: second & ADDRESS,
            function: LibraryFunction::from_number((second >> 48) as u16),
        })
    }
}

impl Circumstances {
    /// Before every thread's start: those of no access.
    const NONE: Circumstances =
        Circumstances { clock: Clock::ZERO, calls: Context::EMPTY, locks: LockSet::EMPTY };

    fn pack(&self) -> u64 {
        (u64::from(self.locks.number()) << 32) | u64::from(self.calls.number())
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        let bytes = self.capacity * 16;
        // SAFETY: `new` has mapped it, and nobody else has it.
        unsafe { system::unmap(self.entries.cast(), bytes as usize) };
        self.storage.refund(bytes);
    }
}

fn is_of(sort: SideAccess, earlier: EarlierAccess) -> bool {
    match earlier {
        EarlierAccess::Read => matches!(sort, SideAccess::Read | SideAccess::VptrRead),
        EarlierAccess::Write => {
            matches!(sort, SideAccess::Write | SideAccess::Free | SideAccess::VptrWrite)
        }
        EarlierAccess::AtomicRead => sort == SideAccess::AtomicRead,
        EarlierAccess::AtomicWrite => sort == SideAccess::AtomicWrite,
    }
}

fn overlap(one: Span, other: Span) -> bool {
    one.address < other.address.saturating_add(other.size)
        && other.address < one.address.saturating_add(one.size)
}

impl History {
    const RUNS: usize = 16;

    /// None: there is no memory for one. The capacity is a power of two.
    pub(crate) fn new(capacity: u64, storage: &Arc<PageStorage>) -> Option<History> {
        let ring = Arc::new(Ring::new(capacity, Arc::clone(storage))?);
        let runs = [Run::default(); Self::RUNS];
        Some(History { ring, circumstances: Circumstances::NONE, since: 0, runs })
    }

    pub(crate) fn ring(&self) -> &Arc<Ring> {
        &self.ring
    }

    /// Writes an access of the program itself down, which is the usual one: at most a word.
    ///
    /// A loop over an array is one entry that grows: the same place accesses what is right behind.
    #[inline(always)]
    pub(crate) fn push_word(
        &mut self,
        locks: &mut HeldLocks,
        now: Circumstances,
        sort: SideAccess,
        span: Span,
        site: u64,
    ) {
        let place = (site >> 1) as usize % Self::RUNS;
        let Run { entry, first, site: known } = self.runs[place];
        let size = (first >> SIZE_SHIFT) & LARGE;
        let goes_on = known == site
            && (first & ADDRESS) + size == span.address
            && first >> SORT_SHIFT == sort as u64
            && self.circumstances == now
            && entry >= self.since
            && size < LARGE - 16;
        if goes_on {
            let grown = first + (span.size << SIZE_SHIFT);
            self.runs[place].first = grown;
            self.ring.entry(entry)[0].store(grown, Ordering::Relaxed);
            return;
        }
        self.push_changed(locks, now);
        let first = ((sort as u64) << SORT_SHIFT) | (span.size << SIZE_SHIFT);
        let first = first | (span.address & ADDRESS);
        let entry = self.ring.written.load(Ordering::Relaxed);
        self.runs[place] = Run { entry, first, site };
        self.put(first, site & ADDRESS);
    }

    /// Writes down what holds now, if it is not what the entries before have.
    #[inline(always)]
    fn push_changed(&mut self, locks: &mut HeldLocks, now: Circumstances) {
        let written = self.ring.written.load(Ordering::Relaxed);
        if self.circumstances != now || written - self.since >= REPEATED {
            self.push_circumstances(locks, now);
        }
    }

    /// Writes an access down.
    pub(crate) fn push(&mut self, locks: &mut HeldLocks, now: Circumstances, access: &Access) {
        self.push_changed(locks, now);
        if access.span.size >= LARGE {
            self.put(SIZE << SORT_SHIFT, access.span.size);
        }
        let (first, second) = access.pack();
        self.put(first, second);
    }

    /// Writes an atomic access down. Threads wait and count by the same few over and over: those are kept beside the ring, which
    /// would hold nothing else soon.
    pub(crate) fn push_atomic(
        &mut self,
        locks: &mut HeldLocks,
        now: Circumstances,
        access: &Access,
    ) {
        let now = Circumstances { locks: self.written_locks(locks), ..now };
        let new = AtomicEntry::new(now, access);
        let Some(old) = self.ring.atomics.put(new) else { return };
        self.put((CIRCUMSTANCES << SORT_SHIFT) | EVICTED | old.last, old.around);
        self.put(old.first_word, old.second_word);
        self.circumstances = Circumstances::NONE;
    }

    #[inline(never)]
    fn push_circumstances(&mut self, locks: &mut HeldLocks, now: Circumstances) {
        let now = Circumstances { locks: self.written_locks(locks), ..now };
        self.since = self.ring.written.load(Ordering::Relaxed);
        self.put((CIRCUMSTANCES << SORT_SHIFT) | now.clock.number(), now.pack());
        self.circumstances = now;
    }

    #[inline]
    fn put(&mut self, first: u64, second: u64) {
        let written = self.ring.written.load(Ordering::Relaxed);
        let entry = self.ring.entry(written);
        entry[0].store(first, Ordering::Relaxed);
        entry[1].store(second, Ordering::Relaxed);
        self.ring.written.store(written + 1, Ordering::Release);
    }
}
