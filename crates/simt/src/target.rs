//! Where the access of one lane goes.

use warpsan_model::{BlockIndex, Space};

/// Where one lane's access goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// Global or constant memory, which starts here.
    Global { address: u64, pointer: *mut u8 },
    /// The shared memory of a block.
    Shared { owner: BlockIndex, offset: u64, pointer: *mut u8 },
    /// The lane's local memory.
    Local { offset: u64 },
    /// The parameters of the kernel.
    Param { offset: u64 },
}

impl Target {
    /// What events say: the space, whose it is, and the address there.
    pub(crate) fn location(&self, own: BlockIndex) -> Option<(Space, BlockIndex, u64)> {
        match *self {
            Target::Global { address, .. } => Some((Space::Global, own, address)),
            Target::Shared { owner, offset, .. } => Some((Space::Shared, owner, offset)),
            Target::Local { .. } | Target::Param { .. } => None,
        }
    }

    /// The same place, so many bytes on.
    #[inline]
    pub(crate) fn behind(self, bytes: u64) -> Target {
        match self {
            Target::Global { address, pointer } => Target::Global {
                address: address + bytes,
                pointer: pointer.wrapping_add(bytes as usize),
            },
            Target::Shared { owner, offset, pointer } => Target::Shared {
                owner,
                offset: offset + bytes,
                pointer: pointer.wrapping_add(bytes as usize),
            },
            Target::Local { offset } => Target::Local { offset: offset + bytes },
            Target::Param { offset } => Target::Param { offset: offset + bytes },
        }
    }
}
