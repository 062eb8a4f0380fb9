//! Memory that the program has, and which contexts can reach it.
//!
//! One range of addresses serves all contexts of a process. Kernels of a context reach memory that was allocated there,
//! that of contexts which it has been given access to, and everything that belongs to no single context: managed and
//! page-locked memory, pools, mappings. A context covers what others have allocated when something is launched in it.

use crate::driver_types::CUcontext;
use crate::hooks::AllocationKind;
use std::collections::{BTreeMap, HashSet};

/// The memory of a process.
#[derive(Debug, Default)]
pub(super) struct Reach {
    known: BTreeMap<u64, Known>,
    /// Contexts that may use the memory of others: who, and whose.
    peers: HashSet<(CUcontext, CUcontext)>,
}

#[derive(Debug, Clone, Copy)]
struct Known {
    bytes: u64,
    kind: AllocationKind,
    context: Option<CUcontext>,
}

impl Known {
    fn is_reachable(&self, from: CUcontext, peers: &HashSet<(CUcontext, CUcontext)>) -> bool {
        match self.context {
            Some(of) if self.kind == AllocationKind::Device => {
                of == from || peers.contains(&(from, of))
            }
            _ => true,
        }
    }
}

impl Reach {
    /// Memory was allocated while a context was current.
    pub(super) fn add(
        &mut self,
        address: u64,
        bytes: u64,
        kind: AllocationKind,
        context: Option<CUcontext>,
    ) {
        self.known.insert(address, Known { bytes, kind, context });
    }

    pub(super) fn remove(&mut self, address: u64) {
        self.known.remove(&address);
    }

    /// Whether kernels of a context reach memory.
    pub(super) fn is_reachable(&self, from: CUcontext, address: u64) -> bool {
        self.known.get(&address).is_some_and(|known| known.is_reachable(from, &self.peers))
    }

    /// The allocation that an address is in, as far as kernels of a context reach it.
    pub(super) fn allocation(&self, from: CUcontext, address: u64) -> Option<(u64, u64)> {
        let (start, known) = self.known.range(..=address).next_back()?;
        let is_inside = address - start < known.bytes && known.is_reachable(from, &self.peers);
        is_inside.then_some((*start, known.bytes))
    }

    /// All memory that kernels of a context reach: addresses and sizes.
    pub(super) fn reachable(&self, from: CUcontext) -> BTreeMap<u64, u64> {
        let reachable =
            self.known.iter().filter(|(_, known)| known.is_reachable(from, &self.peers));
        reachable.map(|(address, known)| (*address, known.bytes)).collect()
    }

    /// One context may use the memory of another from now on.
    pub(super) fn allow(&mut self, user: CUcontext, owner: CUcontext) {
        self.peers.insert((user, owner));
    }

    /// A context is gone: where its memory was. What belongs to no single context stays.
    pub(super) fn forget_context(&mut self, context: CUcontext) -> Vec<u64> {
        use AllocationKind::{Device, Host, Managed, Registered};
        self.peers.retain(|(user, owner)| *user != context && *owner != context);
        let is_gone = |known: &Known| {
            known.context == Some(context)
                && matches!(known.kind, Device | Managed | Host | Registered)
        };
        let gone: Vec<u64> = self
            .known
            .iter()
            .filter(|(_, known)| is_gone(known))
            .map(|(address, _)| *address)
            .collect();
        self.known.retain(|_, known| !is_gone(known));
        gone
    }
}
