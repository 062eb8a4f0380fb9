//! Atomic updates whose order does not matter, one by one: who runs on copies of memory carries them out once more where the
//! copies become one.

use crate::exec::atomic_function::updated;
use crate::memory::Place;
use warpsan_ir::{AtomicOp, Type};

/// One lane's update of one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Update {
    /// The first byte.
    pub place: Place,
    pub(crate) op: AtomicOp,
    pub(crate) ty: Type,
    pub(crate) operand: u64,
}

impl Update {
    /// Bytes that it updates: 4 or 8.
    pub fn bytes(&self) -> usize {
        self.ty.bytes() as usize
    }

    /// What the value becomes.
    pub fn apply(&self, old: u64) -> u64 {
        let new = updated(self.op, self.ty, false, u128::from(old), u128::from(self.operand), 0);
        new.map_or(old, |new| new as u64)
    }
}
