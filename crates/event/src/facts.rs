use warpsan_model::{KernelFeature, PassOrder};

/// Plain data about a kernel, known before it runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KernelFacts {
    /// The name in the module, mangled.
    pub name: String,
    /// The name as the programmer wrote it.
    pub display_name: String,
    /// The variables that the kernel keeps in shared memory.
    pub shared_variables: Vec<SharedVariable>,
    /// Whether the module carries line information for the kernel.
    pub has_line_information: bool,
    /// Whether the kernel has atomic or otherwise strong accesses.
    pub uses_strong_accesses: bool,
    /// Whether the kernel has atomics.
    pub uses_atomics: bool,
    /// Whether the kernel has compare-and-swap or exchange operations, which locks are made of.
    pub may_use_locks: bool,
    /// Whether the kernel has fences.
    pub uses_fences: bool,
    /// Whether the kernel has block barriers.
    pub uses_block_barriers: bool,
    /// Whether the kernel has barriers or other `.sync` operations of a warp.
    pub uses_warp_synchronisation: bool,
    /// Whether the kernel begins asynchronous copies.
    pub uses_async_copies: bool,
    /// Whether the kernel has `mbarrier` objects.
    pub uses_mbarriers: bool,
    /// Whether the kernel uses barriers or shared memory of its cluster.
    pub uses_cluster: bool,
    /// Whether the kernel has bulk copies, which are asynchronous copies of their own kind.
    pub uses_bulk_copies: bool,
    /// Whether no block can notice what another one does before the launch ends, so that nothing orders them. False where that is not known.
    pub blocks_never_meet: bool,
    /// In which order passes of the kernel's loops come to its sites; empty where that is not known.
    pub pass_order: PassOrder,
}

impl KernelFacts {
    /// Notes what all operations of the kernel say about it.
    pub fn with_features<'f>(
        mut self,
        features: impl IntoIterator<Item = &'f KernelFeature>,
    ) -> KernelFacts {
        self.blocks_never_meet = true;
        for feature in features {
            let fact = match feature {
                KernelFeature::BlocksMeet => {
                    self.blocks_never_meet = false;
                    continue;
                }
                KernelFeature::StrongAccesses => &mut self.uses_strong_accesses,
                KernelFeature::Atomics => &mut self.uses_atomics,
                KernelFeature::PiecesOfLocks => &mut self.may_use_locks,
                KernelFeature::Fences => &mut self.uses_fences,
                KernelFeature::BlockBarriers => &mut self.uses_block_barriers,
                KernelFeature::WarpSynchronisation => &mut self.uses_warp_synchronisation,
                KernelFeature::AsyncCopies => &mut self.uses_async_copies,
                KernelFeature::Mbarriers => &mut self.uses_mbarriers,
                KernelFeature::Cluster => &mut self.uses_cluster,
                KernelFeature::BulkCopies => &mut self.uses_bulk_copies,
            };
            *fact = true;
        }
        self
    }
}

/// A variable in shared memory and where the engine put it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedVariable {
    /// The name as the programmer wrote it.
    pub name: String,
    /// The first byte, from the start of the block's shared memory.
    pub offset: u64,
    /// Its size; 0 for the dynamic part, whose size the launch gives.
    pub bytes: u64,
}
