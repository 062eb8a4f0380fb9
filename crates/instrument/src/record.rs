//! What an instrumented kernel ships to the host: records of warp operations in queues.
//!
//! This is the contract between the code on the device and `gpu::shipping` on the host. It follows the
//! queues of the thesis on Barracuda (section 5.5.2): a block writes to one queue, several blocks may
//! share one; a record is one operation of one warp; a queue has a write head, a commit index and a
//! read head, which count up for ever and lead to slots by their remainder.
//!
//! # Writing an operation
//!
//! An operation is a [`Slot`] and, for some kinds, further slots that belong to it ([`RecordKind::is_part`]).
//! The high byte of `kind` of the first slot says how many those are, and they lie behind it in the queue.
//! The lanes of the group that executes the instruction do this together; the lowest one leads:
//!
//! 1. **Reserve**: the leader adds the number of slots to the write head (an atomic addition at device
//!    scope) and gets the index of the first. All slots of an operation are reserved at once.
//! 2. **Wait for room**: until `index + slots <= read head + capacity`. The leader looks at
//!    [`DeviceHeads::known_read_head`] first, then at the read head itself (`ld.relaxed.sys` or volatile,
//!    then `fence.acq_rel.sys`; with `nanosleep` in between), and raises the known one (`red.max`).
//! 3. **Do it**: a strong operation (below), or nothing: weak accesses may be made before or after.
//! 4. **Fill in**: every lane writes its word of each slot, the leader the headers.
//! 5. **Commit**: the lanes meet (`bar.warp.sync` with the group's mask), the leader executes
//!    `fence.acq_rel.sys` and stores `index + 1` to the ready word of each slot (relaxed at system scope,
//!    or volatile), then adds the number of slots to the commit index.
//!
//! Whoever has reserved must commit without waiting for another warp in between. So whatever can wait
//! (block, warp and cluster barriers, `griddepcontrol.wait`, `cp.async.wait_*`, `mbarrier.try_wait`) is
//! shipped either before, with the record committed before the instruction, or after it, with the slot
//! reserved after it: the kinds say which.
//!
//! Ready words rather than a commit index that moves in order: a warp that commits never waits for
//! another one that has reserved before. The commit index counts slots that are committed. When a launch
//! has ended, write head, commit index and read head are equal, or records were lost; the host checks that.
//!
//! # Strong operations take turns
//!
//! Queues have no common order, so strong operations bring theirs. A table of words in device memory has
//! one for every location, which is where [`location`] leads; two locations may share a word. Atomics,
//! strong loads and stores, failed compare-and-swaps and the steps of `mbarrier` objects, and `fence.sc` if
//! its order is wanted, are made under the word's lock. Each active lane, one after the other:
//!
//! 1. locks the word (compare-and-swap with `.acquire` at device scope),
//! 2. makes its operation,
//! 3. counts the word up: the count is its **turn** at the location, 1 for the first of a launch,
//! 4. unlocks it (store with `.release` at device scope).
//!
//! A lane holds one lock at a time and never waits for anything else while it does. Turns count loads
//! as well as writes, since a load must be shipped before the write that it did not see. The slots were
//! reserved **before** the first lane locks and are committed after the last one has unlocked. So when
//! somebody sees a value, the record of who wrote it has its place in a queue already: the host finds it
//! among the next `capacity` slots, and may stop reading a queue that far behind an operation that has to
//! wait. That bounds its memory without a deadlock.
//!
//! # Total order
//!
//! A launch can be run with all its records in one order: every operation takes the next ticket of one
//! counter, from 1 on, in place of step 3 under one lock for all. Records without turns then suffice. All
//! operations of a launch have tickets, or none has.

pub(crate) mod location;
mod of_op;
mod paths;
mod queue;
mod site;

pub use location::{Place, fence_location, location};
pub use of_op::NotShipped;
pub use paths::Paths;
pub use queue::{DeviceHeads, Line, QueueDescriptor};
pub use site::{AccessInfo, SiteInfo};

/// Lanes of a slot.
pub const LANES: usize = 32;

/// The fixed part of a slot: 32 bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Header {
    /// The block's linear number in the grid, x fastest.
    pub block: u32,
    /// The warp's number in its block: the linear number of its threads divided by 32.
    pub warp: u16,
    /// A [`RecordKind`] in the low byte; in the high byte, how many further slots belong to the operation.
    pub kind: u16,
    /// The instruction: a number in the kernel's tables of sites.
    pub site: u32,
    /// The lanes that execute it.
    pub mask: u32,
    /// Of an access, the lanes that wrote; otherwise as the kind says.
    pub wrote: u32,
    /// As the kind says.
    pub extra: u32,
    /// The operation's place in the total order of the launch; 0 without one.
    pub ticket: u64,
}

/// A slot of a queue: 288 bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Slot {
    /// Who, what and where.
    pub header: Header,
    /// A word for each lane of the mask; the others mean nothing.
    pub lanes: [u64; LANES],
}

const _: () = assert!(size_of::<Header>() == 32 && size_of::<Slot>() == 288);

/// What a slot says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum RecordKind {
    /// A load, store, atomic or reduction. Lanes: addresses. `wrote`: the lanes that wrote. `extra`: a
    /// [`Place`], which has to be given where the instruction has generic addresses; lanes in different
    /// places are different operations, with masks of their own. Accesses to local, constant or parameter
    /// memory are not shipped. Parts: [`Turns`](Self::Turns) if it is strong, then [`Values`](Self::Values)
    /// where somebody asked.
    Access = 1,
    /// Part. Lanes: the turn of the lane's operation at its location.
    Turns = 2,
    /// Part. Lanes: what a store writes or a strong load reads; for an atomic what it read, and in the
    /// next such slot what it left. With several elements, or elements of 16 bytes, there are as many
    /// slots as a lane has words: element by element, low word first, what was read before what was left.
    Values = 3,
    /// Lanes are at a block barrier; committed before they wait. `extra`: the barrier's number, with
    /// [`ARRIVES_ONLY`] for `barrier.arrive`. Lane word 0, whatever the mask: the threads that are
    /// expected, 0 for all of the block. Arrivals at one barrier count in the order of their slots.
    BlockBarrierArrive = 4,
    /// Lanes went on behind a block barrier; reserved after it. May be left out: the host knows from the
    /// arrivals.
    BlockBarrierLeave = 5,
    /// Lanes are at `bar.warp.sync`; committed before they wait. `extra`: the lanes it is for.
    WarpBarrier = 6,
    /// A fence, before or after it is executed. A [`Turns`](Self::Turns) part, at [`fence_location`], where
    /// the order of `fence.sc` is wanted.
    Fence = 7,
    /// Lanes end; committed before they do. Every thread that ever ran ships this.
    Exit = 8,
    /// Lanes arrive at the barrier of their cluster; committed before they do.
    ClusterArrive = 9,
    /// Lanes have waited for it; reserved after they have.
    ClusterWait = 10,
    /// A proxy fence.
    ProxyFence = 11,
    /// A step of an `mbarrier` object, by the site's [`SiteInfo::Mbarrier`]. Lanes: the object's address.
    /// `extra`: a [`Place`]; above it, by [`arrivals_of`], the arrivals that an initialised object waits for or
    /// that an arrival is; [`UNKNOWN_PHASE`] where an object of another block cannot be asked. `wrote`: for
    /// each lane, whether the number of complete phases was odd before the step (that is, whether
    /// `test_wait.parity` of 0 says true and of 1 says false). A wait that says false is not shipped. Part:
    /// [`Turns`](Self::Turns).
    Mbarrier = 12,
    /// Asynchronous copies or stores begin. Lanes: where they write. `extra`: a [`Place`], with
    /// [`SAME_COPY`] for a further destination of the copies of the record before. `wrote`: bytes that
    /// each lane's copy writes; lanes that differ are different operations. Parts:
    /// [`CopySource`](Self::CopySource), and for those that complete on an `mbarrier`
    /// [`CopyObject`](Self::CopyObject) and [`Turns`](Self::Turns) at the object's location.
    CopyBegin = 13,
    /// Part. Lanes: where copies read. `extra`: a [`Place`]. `wrote`: bytes that each reads.
    CopySource = 14,
    /// Part. Lanes: the object they complete on. `extra`: a [`Place`]. `wrote`: as of
    /// [`Mbarrier`](Self::Mbarrier), under the lock of the object.
    CopyObject = 15,
    /// Lanes close a group of copies (`commit_group`).
    CopyCommit = 16,
    /// Lanes have waited for groups of copies; reserved after they have. `extra`: how many groups may
    /// still be under way, [`ALL_COPIES`] for `cp.async.wait_all`.
    CopyWait = 17,
    /// `cp.async.mbarrier.arrive`. Lanes, `extra`, `wrote` and parts as of [`Mbarrier`](Self::Mbarrier).
    CopyArrive = 18,
    /// Lanes have waited at `griddepcontrol.wait`; reserved after they have.
    PrerequisiteWait = 19,
}

/// In `extra` of a [`RecordKind::BlockBarrierArrive`]: the lanes do not wait.
pub const ARRIVES_ONLY: u32 = 0x100;
/// In `extra` of a [`RecordKind::CopyBegin`]: a further destination of the same copies.
pub const SAME_COPY: u32 = 0x100;
/// In `extra` of records about an `mbarrier` object: `wrote` does not say its phase.
pub const UNKNOWN_PHASE: u32 = 1 << 31;
/// In `extra` of a step of an `mbarrier` object: where the number of arrivals begins.
pub(crate) const ARRIVALS_SHIFT: u32 = 8;
/// In `extra` of a [`RecordKind::CopyWait`]: no copy of the lanes may be under way.
pub const ALL_COPIES: u32 = u32::MAX;

/// How many arrivals `extra` of a step of an `mbarrier` object stands for.
pub fn arrivals_of(extra: u32) -> u32 {
    (extra & !UNKNOWN_PHASE) >> ARRIVALS_SHIFT
}

impl RecordKind {
    pub(crate) const ALL: [RecordKind; 19] = [
        RecordKind::Access,
        RecordKind::Turns,
        RecordKind::Values,
        RecordKind::BlockBarrierArrive,
        RecordKind::BlockBarrierLeave,
        RecordKind::WarpBarrier,
        RecordKind::Fence,
        RecordKind::Exit,
        RecordKind::ClusterArrive,
        RecordKind::ClusterWait,
        RecordKind::ProxyFence,
        RecordKind::Mbarrier,
        RecordKind::CopyBegin,
        RecordKind::CopySource,
        RecordKind::CopyObject,
        RecordKind::CopyCommit,
        RecordKind::CopyWait,
        RecordKind::CopyArrive,
        RecordKind::PrerequisiteWait,
    ];

    /// The kind with this number.
    pub fn of_code(code: u8) -> Option<RecordKind> {
        RecordKind::ALL.get(usize::from(code).checked_sub(1)?).copied()
    }

    /// Whether it belongs to the operation in front of it.
    pub fn is_part(self) -> bool {
        matches!(
            self,
            RecordKind::Turns
                | RecordKind::Values
                | RecordKind::CopySource
                | RecordKind::CopyObject
        )
    }

    /// The field of a header: this kind, followed by so many slots of the same operation.
    pub fn with_parts(self, parts: u8) -> u16 {
        u16::from(self as u8) | u16::from(parts) << 8
    }
}

impl Header {
    /// What the slot says, if that is anything.
    pub fn record_kind(&self) -> Option<RecordKind> {
        RecordKind::of_code(self.kind as u8)
    }

    /// How many further slots belong to the operation.
    pub fn parts(&self) -> u8 {
        (self.kind >> 8) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_the_numbers_that_are_written() {
        for kind in RecordKind::ALL {
            assert_eq!(RecordKind::of_code(kind as u8), Some(kind));
            let header = Header { kind: kind.with_parts(3), ..Header::default() };
            assert_eq!((header.record_kind(), header.parts()), (Some(kind), 3));
        }
        assert_eq!(RecordKind::of_code(0), None);
        assert_eq!(RecordKind::of_code(RecordKind::ALL.len() as u8 + 1), None);
    }
}
