//! A tool, the shadow memory that it works on, and the threads that use both.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use warpsan_thread_clock::NoMoreThreads;

use crate::access::{Access, Deed};
use crate::bytes::Bytes;
use crate::conflict::Conflict;
use crate::counters::Counters;
use crate::metadata::{Description, Memory, describe};
use crate::order::{FinishedThread, NewThread, Threads};
use crate::rules::{Rule, Rules};
use crate::shadow::Shadow;
use crate::slot::Slot;
use crate::span::Span;
use crate::spin::SpinLock;
use crate::storage::Storage;
use crate::thread_state::ThreadState;
use crate::tool::{Look, Tool};

/// Checks the accesses of a process. Any number of threads may call at once, each with its own [`ThreadState`].
pub struct Checker<T: Tool> {
    tool: T,
    shadow: Shadow,
    threads: Threads,
    /// Of all checkers of the process, so that no thread is used with another one.
    number: u64,
    ended: SpinLock<Counters>,
}

/// A change of what is known of a location, which one look has found. `S` is the location's slot, or its slots.
pub struct KnownChange<'a, T: Tool, S> {
    at: &'a S,
    step: T::Step,
}

/// A change of one word.
pub type Known<'a, T> = KnownChange<'a, T, Slot>;

/// The same change of two words that lie side by side.
pub type KnownPair<'a, T> = KnownChange<'a, T, [Slot; 2]>;

impl<'a, T: Tool, S> KnownChange<'a, T, S> {
    #[inline(always)]
    fn new((at, step): (&'a S, T::Step)) -> Self {
        Self { at, step }
    }
}

impl<T: Tool, S> Clone for KnownChange<'_, T, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Tool, S> Copy for KnownChange<'_, T, S> {}

/// There is no memory for the first level of shadow memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoShadow;

impl std::fmt::Display for NoShadow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no memory for the first level of shadow memory")
    }
}

impl std::error::Error for NoShadow {}

/// Larger pieces of memory that are freed are only looked at where they were accessed.
const FREED_WHOLE: u64 = 64 << 10;

static CHECKERS: AtomicU64 = AtomicU64::new(0);

impl<T: Tool> Checker<T> {
    /// A checker with this tool, whose shadow memory comes from `storage`.
    pub fn new(tool: T, storage: Arc<dyn Storage>) -> Result<Self, NoShadow> {
        let shadow = Shadow::new(storage).ok_or(NoShadow)?;
        let number = CHECKERS.fetch_add(1, Ordering::Relaxed);
        let ended = SpinLock::new(Counters::default());
        Ok(Self { tool, shadow, threads: Threads::default(), number, ended })
    }

    /// Who gives threads their ids: for [`ThreadState::fork`] and [`ThreadState::join`].
    pub fn threads(&self) -> &Threads {
        &self.threads
    }

    /// The first thread, or one that was not seen to start.
    pub fn root(&self) -> Result<ThreadState<T>, NoMoreThreads> {
        Ok(self.begin(self.threads.root()?))
    }

    /// A thread begins.
    pub fn begin(&self, thread: NewThread) -> ThreadState<T> {
        ThreadState::new(&self.tool, thread.id, thread.clock, self.number)
    }

    /// A thread ends.
    pub fn finish(&self, mut thread: ThreadState<T>) -> FinishedThread {
        self.expect_own(&thread);
        // SAFETY: the thread is of this checker.
        let counters = unsafe { self.tool.leave(&mut thread) };
        self.ended.lock().merge(&counters);
        FinishedThread { id: thread.id(), clock: thread.clock }
    }

    /// Whether a plain read repeats one of the same epoch, as far as one look can tell: it is counted then, and nothing is
    /// left to do. Otherwise [`Checker::read_new`] is, so that a caller can prepare only for what will be recorded.
    #[inline]
    pub fn repeats_read(&self, thread: &mut ThreadState<T>, span: Span) -> bool {
        self.repeats(thread, span, Access::Read)
    }

    /// The same for a plain write and [`Checker::write_new`].
    #[inline]
    pub fn repeats_write(&self, thread: &mut ThreadState<T>, span: Span) -> bool {
        self.repeats(thread, span, Access::Write)
    }

    /// What one look says of a plain read. If it says [`Look::New`], [`Checker::read_new`] is left to do; if [`Look::Known`],
    /// [`Checker::follow`].
    #[inline(always)]
    pub fn look_read(&self, thread: &mut ThreadState<T>, span: Span) -> Look<Known<'_, T>> {
        self.look(thread, span, Access::Read)
    }

    /// The same for a plain write and [`Checker::write_new`].
    #[inline(always)]
    pub fn look_write(&self, thread: &mut ThreadState<T>, span: Span) -> Look<Known<'_, T>> {
        self.look(thread, span, Access::Write)
    }

    /// The same, but [`Look::New`] is also said of what takes more than a few loads to find out: [`Checker::look_read`] is left to do then.
    ///
    /// # Safety
    ///
    /// The thread is of this checker.
    #[inline(always)]
    pub unsafe fn glance_read(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
    ) -> Look<Known<'_, T>> {
        // SAFETY: the caller's promise.
        unsafe { self.glance(thread, span, Access::Read) }
    }

    /// The same for a plain write and [`Checker::look_write`].
    ///
    /// # Safety
    ///
    /// The thread is of this checker.
    #[inline(always)]
    pub unsafe fn glance_write(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
    ) -> Look<Known<'_, T>> {
        // SAFETY: the caller's promise.
        unsafe { self.glance(thread, span, Access::Write) }
    }

    /// A glance at an access to two words that lie side by side: a write, or a read.
    ///
    /// # Safety
    ///
    /// The thread is of this checker.
    #[inline(always)]
    pub unsafe fn glance_at_pair<const WRITES: bool>(
        &self,
        thread: &mut ThreadState<T>,
        address: u64,
    ) -> Look<KnownPair<'_, T>> {
        let access = if WRITES { Access::Write } else { Access::Read };
        // SAFETY: the caller's promise; the shadow is of this checker.
        let look = unsafe { self.shadow.glance_at_pair(&self.tool, thread, address, access) };
        look.map(KnownPair::new)
    }

    /// As [`Checker::follow`], for both words. False: the access is still to be made, for each word by itself.
    #[inline(always)]
    pub fn follow_for_pair(&self, thread: &mut ThreadState<T>, known: KnownPair<'_, T>) -> bool {
        self.expect_own(thread);
        // SAFETY: the thread is of this checker, and so are the slots.
        unsafe { self.tool.follow_for_pair(thread, known.at, known.step) }
    }

    /// The thread was interrupted, maybe between a look and [`Checker::follow`], and has done other things: what it has found before is
    /// not followed.
    pub fn forget_known(&self, thread: &mut ThreadState<T>) {
        self.expect_own(thread);
        // SAFETY: the thread is of this checker.
        unsafe { self.tool.forget_steps(thread) };
    }

    /// Makes a change that one look has found, and that is no race. False: another thread has come in between, and the access is still
    /// to be made.
    ///
    /// The thread has done nothing since it looked but look at other locations and follow what it found there; or it says so
    /// ([`Checker::forget_known`]).
    #[inline(always)]
    pub fn follow(&self, thread: &mut ThreadState<T>, known: Known<'_, T>) -> bool {
        self.expect_own(thread);
        // SAFETY: the thread is of this checker, and so is the slot.
        unsafe { self.tool.follow(thread, known.at, known.step) }
    }

    /// A plain read for which [`Checker::repeats_read`] said no. `found` gets the bytes that race.
    pub fn read_new(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        self.apply(thread, span, Deed::Access(Access::Read), found);
    }

    /// A plain write for which [`Checker::repeats_write`] said no.
    pub fn write_new(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        self.apply(thread, span, Deed::Access(Access::Write), found);
    }

    /// A plain read. `found` gets the bytes that race.
    #[inline]
    pub fn read(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        self.access(thread, span, Access::Read, found);
    }

    /// A plain write.
    #[inline]
    pub fn write(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        self.access(thread, span, Access::Write, found);
    }

    /// A plain access, a write or a read, by the steps that the calls of an instrumented program take: a glance, a look, and what is left to
    /// do then.
    pub fn access_by_steps<const WRITES: bool>(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        self.expect_own(thread);
        let word = Bytes::COUNT as u64;
        if span.size != 2 * word || !span.address.is_multiple_of(word) {
            return self.word_by_steps::<WRITES>(thread, span, found);
        }
        // SAFETY: the thread is of this checker.
        match unsafe { self.glance_at_pair::<WRITES>(thread, span.address) } {
            Look::Repeats => return,
            Look::Known(known) if self.follow_for_pair(thread, known) => return,
            Look::Known(_) | Look::New => {}
        }
        for address in [span.address, span.address + word] {
            self.word_by_steps::<WRITES>(thread, Span { address, size: word }, found);
        }
    }

    fn word_by_steps<const WRITES: bool>(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        let access = if WRITES { Access::Write } else { Access::Read };
        // SAFETY: the thread is of this checker.
        let look = match unsafe { self.glance(thread, span, access) } {
            Look::New => self.look(thread, span, access),
            glance => glance,
        };
        match look {
            Look::Repeats => {}
            Look::Known(known) if self.follow(thread, known) => {}
            Look::Known(_) | Look::New => self.apply(thread, span, Deed::Access(access), found),
        }
    }

    /// The access of an atomic load. What it acquires comes before it: [`crate::HeldClock`].
    pub fn atomic_read(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        self.access(thread, span, Access::AtomicRead, found);
    }

    /// The access of an atomic store or update. What it acquires comes before it, what it releases after it.
    pub fn atomic_write(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        self.access(thread, span, Access::AtomicWrite, found);
    }

    /// Memory was given out, or is a new part of a stack: nobody has accessed it, whatever was there before.
    pub fn reset(&self, thread: &mut ThreadState<T>, span: Span) {
        if T::Rules::has(Rule::AllocationForgets) {
            self.apply(thread, span, Deed::Reset, &mut |_, _| {});
        }
    }

    /// Memory is freed: that is a write to all of it, so that an access races with it that nothing orders, be it before or after. What is
    /// large is written to where it was accessed before: what nobody has accessed takes no shadow memory.
    pub fn free(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
        found: &mut impl FnMut(Span, Conflict),
    ) {
        if span.size <= FREED_WHOLE {
            return self.access(thread, span, Access::Write, found);
        }
        self.expect_own(thread);
        // SAFETY: the thread is of this checker, and so is the shadow.
        unsafe { self.shadow.write_known(&self.tool, thread, span, found) };
    }

    /// Gives back what the thread has put off, so that the figures are exact.
    pub fn settle(&self, thread: &mut ThreadState<T>) {
        self.expect_own(thread);
        // SAFETY: the thread is of this checker.
        unsafe { self.tool.settle(thread) };
    }

    /// What is known of the byte at this address, or of its word, and the bits of its slot: equal bits are one piece of metadata.
    pub fn describe(&self, address: u64) -> (Description, u64) {
        let Some(word) = self.shadow.existing(address) else { return (Description::Empty, 0) };
        let slot = self.tool.part_of(word, Bytes::new(address % 8, 1));
        // SAFETY: slots of the shadow are used with this tool only.
        (unsafe { describe(slot) }, slot.bits())
    }

    /// How many words of a piece of memory were accessed since it was given out.
    pub fn accessed_words(&self, span: Span) -> u64 {
        self.shadow.known_words(span)
    }

    /// The counters of all threads that have ended.
    pub fn counters(&self) -> Counters {
        *self.ended.lock()
    }

    /// Bytes of metadata.
    pub fn memory(&self) -> Memory {
        self.tool.memory()
    }

    /// Bytes of shadow memory.
    pub fn shadow_bytes(&self) -> u64 {
        self.shadow.bytes() + self.tool.slot_bytes()
    }

    #[inline(always)]
    fn repeats(&self, thread: &mut ThreadState<T>, span: Span, access: Access) -> bool {
        self.expect_own(thread);
        // SAFETY: the thread is of this checker, and so is the shadow.
        unsafe { self.shadow.repeats(&self.tool, thread, span, access) }
    }

    #[inline(always)]
    fn look(&self, thread: &mut ThreadState<T>, span: Span, access: Access) -> Look<Known<'_, T>> {
        self.expect_own(thread);
        // SAFETY: the thread is of this checker, and so is the shadow.
        unsafe { self.shadow.look(&self.tool, thread, span, access) }.map(Known::new)
    }

    /// # Safety
    ///
    /// The thread is of this checker.
    #[inline(always)]
    unsafe fn glance(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
        access: Access,
    ) -> Look<Known<'_, T>> {
        // SAFETY: the caller's promise; the shadow is of this checker.
        unsafe { self.shadow.glance(&self.tool, thread, span, access) }.map(Known::new)
    }

    #[inline(always)]
    fn access(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
        access: Access,
        found: &mut dyn FnMut(Span, Conflict),
    ) {
        self.expect_own(thread);
        // SAFETY: the thread is of this checker, and so is the shadow.
        unsafe { self.shadow.access(&self.tool, thread, span, access, found) };
    }

    fn apply(
        &self,
        thread: &mut ThreadState<T>,
        span: Span,
        deed: Deed,
        found: &mut dyn FnMut(Span, Conflict),
    ) {
        self.expect_own(thread);
        // SAFETY: the thread is of this checker, and so is the shadow.
        unsafe { self.shadow.apply(&self.tool, thread, span, deed, found) };
    }

    #[inline(always)]
    fn expect_own(&self, thread: &ThreadState<T>) {
        assert_eq!(thread.owner, self.number, "a thread was used with another checker");
    }
}
