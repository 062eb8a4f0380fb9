//! What a detector of this crate is.

use crate::access::{Access, Deed};
use crate::bytes::Bytes;
use crate::conflict::Findings;
use crate::counters::Counters;
use crate::metadata::Memory;
use crate::rules::Rules;
use crate::slot::Slot;
use crate::thread_state::ThreadState;

/// An algorithm: what is kept of a location, and when two accesses to it race.
///
/// A tool gets the slot of an aligned word of eight bytes, and which of its bytes are meant. How it keeps apart what it knows
/// of them is its own business. The order of threads is the same for all tools, and is kept by [`ThreadState`] and the clocks of
/// `order`. Calls are monomorphised; any number of threads may call at once, each with its own state.
///
/// # Safety of the calls
///
/// The state and the slot have been used with this tool only, which still lives. [`Checker`](crate::Checker) sees to it.
pub trait Tool: Sized + Send + Sync + 'static {
    /// Which rules are in force: all but in tests.
    type Rules: Rules;
    /// What a thread has of its own.
    type Local: Send;

    /// A change that is known at once.
    type Step: Copy;

    /// Its name, for users.
    const NAME: &'static str;

    /// What a new thread has of its own.
    fn local(&self) -> Self::Local;

    /// Whether the thread has made this access in this epoch already, as far as one look can tell: what is asked first of nearly
    /// every access. It is counted then, and nothing else is to be done. Callers know the sort of access when they are compiled.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn repeats(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        access: Access,
    ) -> bool;

    /// As [`Tool::repeats`]; and if the access repeats nothing, whether it is known at once what it changes.
    ///
    /// # Safety
    ///
    /// See the trait.
    #[inline(always)]
    unsafe fn look(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        access: Access,
    ) -> Look<Self::Step> {
        // SAFETY: the caller's promise.
        if unsafe { self.repeats(thread, slot, bytes, access) } { Look::Repeats } else { Look::New }
    }

    /// As [`Tool::look`], but [`Look::New`] is also said of what takes more than a few loads to find out: who asks looks then.
    ///
    /// # Safety
    ///
    /// See the trait.
    #[inline(always)]
    unsafe fn glance(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        access: Access,
    ) -> Look<Self::Step> {
        // SAFETY: the caller's promise.
        unsafe { self.look(thread, slot, bytes, access) }
    }

    /// As [`Tool::glance`], for an access to the two words of a pair whose slots have the same metadata.
    ///
    /// # Safety
    ///
    /// See the trait.
    #[inline(always)]
    unsafe fn glance_at_pair(
        &self,
        _thread: &mut ThreadState<Self>,
        _pair: &[Slot; 2],
        _access: Access,
    ) -> Look<Self::Step> {
        Look::New
    }

    /// Slots that may be asked about soon, `sooner` before `later`, which will be `sooner` by then: what they name can be fetched
    /// from memory already.
    ///
    /// # Safety
    ///
    /// See the trait.
    #[inline(always)]
    unsafe fn expect(&self, _later: &Slot, _sooner: &Slot) {}

    /// Makes a change that was known at once. False: the slot has changed meanwhile, and nothing was done.
    ///
    /// # Safety
    ///
    /// See the trait; the step is of this slot and this thread, which has done nothing since but look, follow others and forget steps.
    unsafe fn follow(
        &self,
        _thread: &mut ThreadState<Self>,
        _slot: &Slot,
        _step: Self::Step,
    ) -> bool {
        false
    }

    /// The same for both words of a pair. False: it was done for one of them at most.
    ///
    /// # Safety
    ///
    /// As for [`Tool::follow`].
    unsafe fn follow_for_pair(
        &self,
        _thread: &mut ThreadState<Self>,
        _pair: &[Slot; 2],
        _step: Self::Step,
    ) -> bool {
        false
    }

    /// The thread has done something between a look and what follows it: no step that was found before is followed any more.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn forget_steps(&self, _thread: &mut ThreadState<Self>) {}

    /// Does what was not found to repeat. `findings` gets the bytes that race.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn apply(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        bytes: Bytes,
        deed: Deed,
        findings: &mut Findings<'_>,
    );

    /// Gives back what the thread has put off, so that [`Tool::memory`] is exact as far as it is concerned.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn settle(&self, thread: &mut ThreadState<Self>);

    /// The thread ends: takes back all that it has.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn leave(&self, thread: &mut ThreadState<Self>) -> Counters;

    /// The slot with what is known of these bytes, if a word that is accessed in parts has several.
    fn part_of<'a>(&'a self, slot: &'a Slot, _bytes: Bytes) -> &'a Slot {
        slot
    }

    /// Bytes of metadata.
    fn memory(&self) -> Memory;

    /// Bytes of slots that the tool has made for parts of words.
    fn slot_bytes(&self) -> u64 {
        0
    }
}

/// What one look at an access says.
#[derive(Clone, Copy, Debug)]
pub enum Look<S> {
    /// It repeats one of the same epoch.
    Repeats,
    /// It changes what is known of its location, and the change is known: [`Tool::follow`].
    Known(S),
    /// It has to be found out.
    New,
}

impl<S> Look<S> {
    /// The same with another word for the change.
    #[inline(always)]
    pub(crate) fn map<N>(self, name: impl FnOnce(S) -> N) -> Look<N> {
        match self {
            Look::Repeats => Look::Repeats,
            Look::Known(step) => Look::Known(name(step)),
            Look::New => Look::New,
        }
    }
}
