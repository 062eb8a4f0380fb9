//! LD on the CPU engine: races by values, and safe execution of racy kernels.
//!
//! P. Li, X. Hu, D. Chen, J. Brock, H. Luo, E. Z. Zhang, C. Ding, "LD: Low-Overhead GPU Race Detection Without Access
//! Monitoring", ACM Transactions on Architecture and Code Optimization 14(1), article 9, 2017.
//!
//! A *region* is what a block does between two barriers, or a grid from its beginning to its end. Every warp (or block) runs it on a
//! private copy of memory S. **A byte that two of them changed is a write-write race** (first pass). The union U of all changes is
//! built; then each runs once more on U with its own changes taken back. **If it leaves other bytes than in U, it has read what another one
//! wrote: a read-write race** (second pass). Otherwise U is the memory that the next region begins with. Blocks are compared
//! first, over the whole kernel; then the warps of each block, from barrier to barrier.
//!
//! Where it deviates, or says what the paper leaves open:
//! - **Copies are of what is written**: a block runs in place, pieces of memory are kept before they are first written to, and
//!   afterwards taken away and put back (`warpsan_simt::BlockRun`). So a copy takes what is changed in it, at most the target variables.
//! - **Regions are dynamic**: at every barrier the state of all warps is kept, and they go back to it for the second pass. Loops and
//!   branches around barriers need no code of their own; the paper unrolls them.
//! - **Registers that live on behind the barrier, local memory, votes at the barrier and the way of the lanes are compared, too**: the paper's
//!   compiler makes target variables of values that are live out of a region.
//! - **A fault of the second pass, or a loop that does not end in it, is a finding**: the first pass had none, so mixed values led there.
//! - **Warps run one after the other, in an order of the seed**, both passes alike; lanes that have diverged take turns in a fixed
//!   order. So what is not a race between copies never looks like one (footnote 1 of the paper takes lockstep for granted).
//! - **After a race** the rest of the launch is not checked, as in the paper, unless `--ld-after-race go-on`: bytes that several
//!   changed are then compared with what each of them wrote itself. The launch goes on with the union in both cases.
//! - **Regions in which nobody writes** have no second pass.
//!
//! What it can miss (section 4.7): a write that restores the value from before the region, against another write or against a read; a read
//! whose reader leaves what the union has anyway; what lanes of a warp do in different instructions; launches that overlap, and the host.
//! After a race, whatever else is wrong in the launch. Kernels with atomics, fences of flags, or any other synchronisation than barriers of the
//! whole block are refused, and named as not covered.
//!
//! It never reports what is ordered by barriers, or two accesses that change nothing.

mod blocks;
mod crew;
mod detector;
mod executed;
mod findings;
mod log;
mod pieces;
mod refusal;
mod safe;
mod targets;
mod union;
mod updates;
mod warps;
mod worker;

pub use detector::Ld;
pub use refusal::Refusal;
pub use safe::{Promise, run_safely};
