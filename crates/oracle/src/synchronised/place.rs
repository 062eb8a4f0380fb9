//! Where kernels access memory.

/// A memory as an address names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Global,
    Shared,
    /// The shared memory of the other block of the cluster.
    Peer,
}

impl Where {
    pub(super) fn space(self) -> &'static str {
        match self {
            Where::Global => ".global",
            Where::Shared => ".shared",
            Where::Peer => ".shared::cluster",
        }
    }

    pub(super) fn base(self) -> &'static str {
        match self {
            Where::Global => "%gb",
            Where::Shared => "%sb",
            Where::Peer => "%rb",
        }
    }
}

/// A place of 16 bytes for data, or of 8 for a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) memory: Where,
    pub(super) offset: u32,
}

impl Place {
    pub(super) fn is_flag(self) -> bool {
        self.offset >= 64
    }

    pub(super) fn at(self, more: u32) -> String {
        format!("[{}+{}]", self.memory.base(), self.offset + more)
    }
}
