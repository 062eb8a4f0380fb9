//! What is shipped of an instruction of a kernel.

use super::location::Place;
use super::site::{AccessInfo, SiteInfo};
use warpsan_event::{AccessKind, CopyKind, MbarrierStep, ProxyKind};
use warpsan_ir::{
    AsyncOp, ClusterStep, MatrixKind, MbarrierOp, MemorySpace, Op, Proxy, used_elements,
};
use warpsan_model::Strength;

/// Bytes of the largest strong access that has one location.
const LARGEST_STRONG: u32 = 16;

/// Why a kernel with an instruction cannot be shipped: there is no record for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotShipped(pub &'static str);

impl SiteInfo {
    /// What an instruction is; [`SiteInfo::Plain`] for one that ships nothing, or all in its record.
    pub fn of(op: &Op) -> Result<SiteInfo, NotShipped> {
        Ok(match op {
            Op::Load { space, ty, strength, read_only_path, to, .. } => {
                let what = (AccessKind::Read, *strength, *read_only_path);
                access(*space, what, ty.bytes(), used_elements(to, *strength))?
            }
            Op::Store { space, ty, strength, from, .. } => {
                access(*space, (AccessKind::Write, *strength, false), ty.bytes(), from.len())?
            }
            Op::Atomic { space, ty, strength, to, .. } => {
                let kind = update(to.is_some());
                access(*space, (kind, *strength, false), ty.bytes(), 1)?
            }
            Op::AtomicVector { space, ty, strength, to, from, .. } => {
                let kind = update(!to.is_empty());
                access(*space, (kind, *strength, false), ty.bytes(), from.len())?
            }
            Op::Matrix(matrix) => match (&matrix.place, matrix.kind) {
                (None, _) => SiteInfo::Plain,
                // Each of eight lanes names a row; only these lanes are shipped.
                (Some(place), MatrixKind::Load) => {
                    access(place.space, (AccessKind::Read, Strength::Weak, false), 16, 1)?
                }
                (Some(place), MatrixKind::Store) => {
                    access(place.space, (AccessKind::Write, Strength::Weak, false), 16, 1)?
                }
                _ => return Err(NotShipped("which lanes of `wmma` access what is not recorded")),
            },
            Op::Fence { order, scope } => SiteInfo::Fence { order: *order, scope: *scope },
            Op::ProxyFence { proxy } => SiteInfo::ProxyFence { proxy: proxy_kind(*proxy) },
            Op::BlockBarrier { aligned, .. } => SiteInfo::BlockBarrier { aligned: *aligned },
            Op::ClusterBarrier { step: ClusterStep::Arrive, order, .. } => {
                SiteInfo::ClusterArrive { order: *order }
            }
            Op::Async(op) => asynchronous(op),
            Op::Opaque(_) => return Err(NotShipped("an instruction that is not known")),
            _ => SiteInfo::Plain,
        })
    }
}

fn access(
    space: MemorySpace,
    (kind, strength, read_only_path): (AccessKind, Strength, bool),
    bytes: u32,
    elements: usize,
) -> Result<SiteInfo, NotShipped> {
    let place = match space {
        MemorySpace::Generic => Place::OfSite,
        MemorySpace::Global => Place::Global,
        MemorySpace::Shared => Place::Shared,
        MemorySpace::SharedCluster => Place::ClusterShared,
        // Nobody else can see it, or nobody can write it.
        MemorySpace::Const | MemorySpace::Local | MemorySpace::Param | MemorySpace::Frame => {
            return Ok(SiteInfo::Plain);
        }
    };
    if strength != Strength::Weak && bytes * elements as u32 > LARGEST_STRONG {
        return Err(NotShipped("a strong access of more than 16 bytes has more than one location"));
    }
    let (bytes, elements) = (bytes as u8, elements as u8);
    Ok(SiteInfo::Access(AccessInfo { place, kind, strength, bytes, elements, read_only_path }))
}

/// What an atomic does that gives something back, or nothing.
fn update(gives_back: bool) -> AccessKind {
    if gives_back { AccessKind::ReadModifyWrite } else { AccessKind::Reduction }
}

fn proxy_kind(proxy: Proxy) -> ProxyKind {
    match proxy {
        Proxy::Alias => ProxyKind::Alias,
        Proxy::Async(MemorySpace::Global) => ProxyKind::AsyncGlobal,
        Proxy::Async(MemorySpace::Shared | MemorySpace::SharedCluster) => ProxyKind::AsyncShared,
        Proxy::Async(_) => ProxyKind::Async,
        Proxy::TensorMap => ProxyKind::TensorMap,
        Proxy::MbarrierInit => ProxyKind::MbarrierInit,
    }
}

fn asynchronous(op: &AsyncOp) -> SiteInfo {
    let copy = |kind, reduces| SiteInfo::Copy { kind, reduces };
    match op {
        AsyncOp::Copy { .. } => copy(CopyKind::Thread, false),
        AsyncOp::Bulk { reduce, .. } => copy(CopyKind::Bulk, reduce.is_some()),
        AsyncOp::Store { reduce, .. } => copy(CopyKind::Store, reduce.is_some()),
        AsyncOp::Fill { .. } => copy(CopyKind::Store, false),
        AsyncOp::Commit | AsyncOp::Wait { .. } => SiteInfo::CopyGroup { bulk: false, read: false },
        AsyncOp::BulkCommit => SiteInfo::CopyGroup { bulk: true, read: false },
        AsyncOp::BulkWait { read, .. } => SiteInfo::CopyGroup { bulk: true, read: *read },
        AsyncOp::Mbarrier { op, strength, .. } => {
            let step = match op {
                MbarrierOp::Init { .. } => MbarrierStep::Init,
                MbarrierOp::Invalidate => MbarrierStep::Invalidate,
                MbarrierOp::ExpectTransaction { .. } | MbarrierOp::CompleteTransaction { .. } => {
                    MbarrierStep::Expect
                }
                MbarrierOp::Arrive { drop: true, .. } => MbarrierStep::ArriveDrop,
                MbarrierOp::Arrive { .. } => MbarrierStep::Arrive,
                MbarrierOp::Wait { .. } => MbarrierStep::Wait,
            };
            SiteInfo::Mbarrier { step, strength: *strength }
        }
        AsyncOp::CopyArrive { .. } | AsyncOp::PendingCount { .. } => SiteInfo::Plain,
    }
}
