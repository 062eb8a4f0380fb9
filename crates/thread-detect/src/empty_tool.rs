//! The tool that keeps nothing and reports nothing: what all others cost is compared with it.

use std::marker::PhantomData;

use crate::conflict::Halt;
use crate::counters::Counters;
use crate::metadata::Memory;
use crate::rules::AllRules;
use crate::slot::{Kind, Slot};
use crate::thread_state::ThreadState;
use crate::tool::{DividedWord, Tool};

/// Looks slots up, and nothing else.
#[derive(Debug, Default)]
pub struct EmptyTool(PhantomData<()>);

impl Tool for EmptyTool {
    type Rules = AllRules;
    type Local = ();

    const NAME: &'static str = "empty";

    fn local(&self) {}

    #[inline]
    unsafe fn repeats_read(&self, _thread: &mut ThreadState<Self>, _slot: &Slot) -> bool {
        true
    }

    #[inline]
    unsafe fn repeats_write(&self, _thread: &mut ThreadState<Self>, _slot: &Slot) -> bool {
        true
    }

    #[inline]
    unsafe fn read(&self, _thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        if slot.load().kind() == Kind::Divided { Err(Halt::Divided) } else { Ok(()) }
    }

    #[inline]
    unsafe fn write(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        // SAFETY: the caller's promise.
        unsafe { self.read(thread, slot) }
    }

    unsafe fn atomic_read(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        // SAFETY: the caller's promise.
        unsafe { self.read(thread, slot) }
    }

    unsafe fn atomic_write(&self, thread: &mut ThreadState<Self>, slot: &Slot) -> Result<(), Halt> {
        // SAFETY: the caller's promise.
        unsafe { self.read(thread, slot) }
    }

    unsafe fn reset(&self, _thread: &mut ThreadState<Self>, _slot: &Slot) {}

    unsafe fn divide(
        &self,
        _thread: &mut ThreadState<Self>,
        slot: &Slot,
        _parts: &[Slot],
        divided: DividedWord,
    ) -> bool {
        let word = slot.load();
        word.kind() != Kind::Divided && slot.exchange(word, divided.0)
    }

    unsafe fn settle(&self, _thread: &mut ThreadState<Self>) {}

    unsafe fn leave(&self, thread: &mut ThreadState<Self>) -> Counters {
        thread.counters
    }

    fn memory(&self) -> Memory {
        Memory::default()
    }
}
