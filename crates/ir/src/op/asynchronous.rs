//! Asynchronous copies, `mbarrier` and cluster barriers.

use super::{AtomicOp, MemorySpace, Predicate, Register, Value};
use crate::Type;
use warpsan_model::Strength;

/// The two halves of a cluster barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are the PTX words")]
pub enum ClusterStep {
    Arrive,
    Wait,
}

/// What a proxy fence orders with ordinary accesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proxy {
    /// Accesses through other addresses of the same memory.
    Alias,
    /// Asynchronous copies, in any memory (`.async`) or in the one that is named.
    Async(MemorySpace),
    /// Descriptions of tensors.
    TensorMap,
    /// No proxy: `fence.mbarrier_init`.
    MbarrierInit,
}

/// An address operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "fields are the parts of `[base+offset]`")]
pub struct AddressOperand {
    pub space: MemorySpace,
    pub base: Value,
    pub offset: i64,
}

/// How a bulk copy signals that it is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BulkEnd {
    /// It takes its bytes off the transaction count of this `mbarrier`.
    Mbarrier(AddressOperand),
    /// It belongs to the thread's next group of bulk copies.
    Group,
}

/// Operations whose effect comes later, and what waits for it.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "fields are the operands in the order of the PTX manual")]
pub enum AsyncOp {
    /// `cp.async`: from global to shared memory.
    Copy {
        to: AddressOperand,
        from: AddressOperand,
        /// Bytes that are written.
        bytes: u32,
        /// Bytes that are read; the rest is written as zeros.
        source_bytes: Option<Value>,
        /// Where it holds, zeros are written and nothing is read.
        ignore_source: Option<(Predicate, bool)>,
    },
    /// `cp.async.commit_group`
    Commit,
    /// `cp.async.wait_group` with the number of groups that may be left; `cp.async.wait_all`
    /// without.
    Wait {
        at_most: Option<u32>,
    },
    /// `cp.async.mbarrier.arrive`: arrives when the thread's copies so far are done.
    CopyArrive {
        barrier: AddressOperand,
        /// Whether the pending count was raised for it already.
        no_increment: bool,
    },
    Mbarrier {
        op: MbarrierOp,
        barrier: AddressOperand,
        strength: Strength,
    },
    /// `mbarrier.pending_count`
    PendingCount {
        to: Register,
        state: Value,
    },
    /// `cp.async.bulk` and, with an operation, `cp.reduce.async.bulk`.
    Bulk {
        to: AddressOperand,
        from: AddressOperand,
        bytes: Value,
        end: BulkEnd,
        /// The blocks of the cluster that get the data, as a mask.
        multicast: Option<Value>,
        reduce: Option<(AtomicOp, Type)>,
        /// The bytes of each 16 that are copied (`.cp_mask`).
        byte_mask: Option<Value>,
    },
    /// `cp.async.bulk.commit_group`
    BulkCommit,
    /// `cp.async.bulk.wait_group`
    BulkWait {
        at_most: u32,
        /// Only reading the sources has to be done.
        read: bool,
    },
    /// `st.async` and, with an operation, `red.async`.
    Store {
        to: AddressOperand,
        from: Vec<Value>,
        ty: Type,
        barrier: AddressOperand,
        reduce: Option<AtomicOp>,
    },
    /// `st.bulk`: zeros.
    Fill {
        to: AddressOperand,
        bytes: Value,
    },
}

/// What is done to an `mbarrier` object.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each variant is the PTX instruction of the same name")]
pub enum MbarrierOp {
    Init {
        count: Value,
    },
    Invalidate,
    ExpectTransaction {
        bytes: Value,
    },
    CompleteTransaction {
        bytes: Value,
    },
    Arrive {
        /// `arrive_drop`: not expected in later phases.
        drop: bool,
        /// The state token; none where it is not wanted.
        to: Option<Register>,
        count: Option<Value>,
        /// `arrive.expect_tx`: raises the transaction count first.
        expect: Option<Value>,
        no_complete: bool,
    },
    /// `test_wait` and `try_wait`
    Wait {
        to: Predicate,
        /// The state token, or the parity of the phase.
        phase: Value,
        by_parity: bool,
        /// `try_wait`: the thread may sleep for a while first.
        may_sleep: bool,
    },
}
