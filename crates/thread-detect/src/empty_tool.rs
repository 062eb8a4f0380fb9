//! The tool that keeps nothing and reports nothing: what all others cost is compared with it.

use std::hint::black_box;
use std::marker::PhantomData;

use crate::access::{Access, Deed};
use crate::bytes::Bytes;
use crate::conflict::Findings;
use crate::counters::Counters;
use crate::metadata::Memory;
use crate::rules::AllRules;
use crate::slot::Slot;
use crate::thread_state::ThreadState;
use crate::tool::Tool;

/// Looks slots up, and nothing else.
#[derive(Debug, Default)]
pub struct EmptyTool(PhantomData<()>);

impl Tool for EmptyTool {
    type Rules = AllRules;
    type Local = ();
    type Step = ();

    const NAME: &'static str = "empty";

    fn local(&self) {}

    #[inline(always)]
    unsafe fn repeats(
        &self,
        _thread: &mut ThreadState<Self>,
        slot: &Slot,
        _bytes: Bytes,
        _access: Access,
    ) -> bool {
        // All other tools load it, so that is not what they are compared for.
        black_box(slot.load());
        true
    }

    unsafe fn apply(
        &self,
        _thread: &mut ThreadState<Self>,
        _slot: &Slot,
        _bytes: Bytes,
        _deed: Deed,
        _findings: &mut Findings<'_>,
    ) {
    }

    unsafe fn settle(&self, _thread: &mut ThreadState<Self>) {}

    unsafe fn leave(&self, thread: &mut ThreadState<Self>) -> Counters {
        thread.counters
    }

    fn memory(&self) -> Memory {
        Memory::default()
    }
}
