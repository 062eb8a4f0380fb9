use std::sync::Arc;
use warpsan_model::{KernelFeature, SiteId, SourceFrame, SourcePosition, position_for_reader};

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
}

impl KernelFacts {
    /// Notes what the operations of the kernel say about it.
    pub fn with_features<'f>(
        mut self,
        features: impl IntoIterator<Item = &'f KernelFeature>,
    ) -> KernelFacts {
        for feature in features {
            let fact = match feature {
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

/// What every [`SiteId`] of a kernel stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteTable {
    /// Indexed by the site's number.
    pub sites: Vec<Site>,
}

/// One instruction that events can name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The instruction as it stands in the PTX text.
    pub instruction: Arc<str>,
    /// Its line in the PTX text.
    pub ptx_line: u32,
    /// Where it comes from, innermost function first.
    pub frames: Vec<SourceFrame>,
}

impl SiteTable {
    /// The site with this number.
    ///
    /// # Panics
    /// When the engine made up a site: that is a bug of the engine.
    pub fn get(&self, site: SiteId) -> &Site {
        &self.sites[site.0 as usize]
    }
}

impl Site {
    /// What stands in place of an instruction where the host itself accesses memory.
    pub const HOST: &str = "host";

    /// Whether it is an access of the host itself.
    pub fn is_host(&self) -> bool {
        self.ptx_line == 0 && &*self.instruction == Self::HOST
    }

    /// The place a reader should look at.
    pub fn position(&self) -> Option<&SourcePosition> {
        position_for_reader(&self.frames)
    }
}
