/// Something that a kernel may have, and that decides what must be considered when it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KernelFeature {
    /// Atomic or otherwise strong accesses.
    StrongAccesses,
    /// Atomics.
    Atomics,
    /// Compare-and-swap or exchange operations, which locks are made of.
    PiecesOfLocks,
    /// Fences.
    Fences,
    /// Block barriers.
    BlockBarriers,
    /// Barriers or other `.sync` operations of a warp.
    WarpSynchronisation,
    /// Asynchronous copies.
    AsyncCopies,
    /// `mbarrier` objects.
    Mbarriers,
    /// Barriers or shared memory of the cluster.
    Cluster,
    /// Bulk copies, which are asynchronous copies of their own kind.
    BulkCopies,
    /// Operations that another block can notice before the launch ends, and that can so be ordered with what it does.
    BlocksMeet,
}
