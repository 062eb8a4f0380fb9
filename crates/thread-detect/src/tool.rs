//! What a detector of this crate is.

use crate::conflict::Halt;
use crate::counters::Counters;
use crate::metadata::Memory;
use crate::rules::Rules;
use crate::slot::Slot;
use crate::thread_state::ThreadState;

/// An algorithm: what is kept of a location, and when two accesses to it race.
///
/// The order of threads is the same for all tools, and is kept by [`ThreadState`] and the clocks of `order`. Calls are
/// monomorphised; any number of threads may call at once, each with its own state.
///
/// # Safety of the calls
///
/// The state and the slot have been used with this tool only, which still lives. [`Checker`](crate::Checker) sees to it.
pub trait Tool: Sized + Send + Sync + 'static {
    /// Which rules are in force: all but in tests.
    type Rules: Rules;
    /// What a thread has of its own.
    type Local: Send;

    /// Its name, for users.
    const NAME: &'static str;

    /// What a new thread has of its own.
    fn local(&self) -> Self::Local;

    /// Whether a plain read repeats one of the same epoch, as far as one look can tell.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn repeats_read(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> bool;

    /// Whether a plain write repeats one of the same epoch, as far as one look can tell.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn repeats_write(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> bool;

    /// A plain read.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn read(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt>;

    /// A plain write.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn write(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt>;

    /// An atomic read.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn atomic_read(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt>;

    /// An atomic write, or an atomic read and write.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn atomic_write(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt>;

    /// The location's memory was freed or given out: nobody has accessed it. A divided slot stays divided.
    ///
    /// # Safety
    ///
    /// See the trait.
    unsafe fn reset(&self, thread: &mut ThreadState<Self>, slot: &Slot);

    /// Gives each of `parts`, which are empty and nobody else's, the metadata of `slot`, and then `slot` the word of
    /// the parts. False: it was divided by another thread, or there is no memory (then `slot` is still whole).
    ///
    /// # Safety
    ///
    /// See the trait; `divided` is a word whose parts live as long as the slot.
    unsafe fn divide(
        &self,
        thread: &mut ThreadState<Self>,
        slot: &Slot,
        parts: &[Slot],
        divided: DividedWord,
    ) -> bool;

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

    /// Bytes of metadata.
    fn memory(&self) -> Memory;
}

/// The word of a slot whose location was divided.
#[derive(Clone, Copy, Debug)]
pub struct DividedWord(pub(crate) crate::slot::Word);
