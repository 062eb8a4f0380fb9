//! What warps, blocks and the host did, in the one vocabulary that all detectors read.
//!
//! One event is one instruction of one warp, not of one thread: an active mask, a program site and
//! the lanes' addresses in a compact form. An engine appends to an [`EventBuffer`] and hands it on
//! as a [`Batch`] of borrowed [`Event`]s; a sink never keeps one. At a launch the sink gets
//! [`KernelFacts`] and the [`SiteTable`], so that no detector needs the kernel's code.
//!
//! # Types and invariants
//!
//! - [`Event`] is the closed list of what can happen. An event borrows from its buffer; nobody keeps one.
//! - [`Access`] has the active lanes' addresses as [`LaneAddresses`]: uniform, strided, or one for each active lane.
//! - [`Site`] is an instruction with its source frames. Its [`SiteOrigin`] and its [`Operation`] follow from its text and its
//!   line, which is all that a trace file has, so a replayed launch has the sites of the original one.
//! - [`EventMask`] names classes of events. A sink's interest is asked for once, before a launch.
//! - [`trace`] reads every version that was ever written, and writes the newest.

mod buffer;
mod compact;
mod describe;
mod facts;
mod mask;
mod operation;
mod site;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod trace;
mod vocabulary;

pub use buffer::{Batch, EventBuffer};
pub use compact::{only_active, regular};
pub use describe::Narrator;
pub use facts::{KernelFacts, SharedVariable};
pub use mask::EventMask;
pub use operation::{AtomicKind, Operation, OperationKind};
pub use site::{Site, SiteOrigin, SiteTable};
pub use vocabulary::{
    Access, AccessKind, CopyBegin, CopyKind, CopySide, Event, LaneAddresses, MbarrierAccess,
    MbarrierStep, ProxyKind,
};

/// Takes what an engine produces.
pub trait EventSink {
    /// The events this sink needs; the engine may omit all others.
    fn interest(&self) -> EventMask {
        EventMask::ALL
    }

    /// Takes one batch. Events are in the order in which they happened.
    fn batch(&mut self, batch: &Batch<'_>);

    /// Takes what a buffer holds, and leaves it empty. Who wants to keep the events may keep the
    /// buffer.
    fn buffer(&mut self, buffer: &mut EventBuffer) {
        self.batch(&buffer.batch());
        buffer.clear();
    }
}
