//! The numbers that stand for things in a trace. They never change their meaning; what is new gets a
//! new number.

use crate::vocabulary::{AccessKind, CopyKind, MbarrierStep, ProxyKind};
use warpsan_model::{Order, Scope, Space, Strength};

/// What an item is, in the low bits of its first byte.
pub(super) const ITEM_BITS: u8 = 0x1F;
/// The item's block and warp are those of the item before.
pub(super) const SAME_WARP: u8 = 0x20;
/// All lanes of the warp are in its mask.
pub(super) const ALL_LANES: u8 = 0x40;
/// An access has the shape of the last one of the same instruction.
pub(super) const SAME_SHAPE: u8 = 0x80;

pub(super) const KERNEL: u8 = 0;
pub(super) const REMARK: u8 = 1;
pub(super) const LAUNCH_BEGIN: u8 = 2;
pub(super) const CLUSTERS: u8 = 3;
pub(super) const LAUNCH_END: u8 = 4;
pub(super) const BLOCK_END: u8 = 5;
pub(super) const ACCESS: u8 = 6;
pub(super) const FENCE: u8 = 7;
pub(super) const BLOCK_ARRIVE: u8 = 8;
pub(super) const BLOCK_BARRIER: u8 = 9;
pub(super) const CLUSTER_ARRIVE: u8 = 10;
pub(super) const CLUSTER_WAIT: u8 = 11;
pub(super) const PROXY_FENCE: u8 = 12;
pub(super) const MBARRIER: u8 = 13;
pub(super) const COPY_BEGIN: u8 = 14;
pub(super) const COPY_END: u8 = 15;
pub(super) const COPY_SIGNAL: u8 = 16;
pub(super) const COPY_WAIT: u8 = 17;
pub(super) const WARP_BARRIER: u8 = 18;
/// Without the lanes that wait with the threads: as it was written before.
pub(super) const BARRIER_DIVERGENCE: u8 = 19;
pub(super) const ALLOCATION: u8 = 20;
pub(super) const FREE: u8 = 21;
pub(super) const LAUNCH_ORDER: u8 = 22;
pub(super) const PREREQUISITE_WAIT: u8 = 23;
pub(super) const LANES_END: u8 = 24;
pub(super) const RECONVERGENCE: u8 = 25;
pub(super) const BARRIER_DIVERGENCE_OF_LANES: u8 = 26;

/// A closed set of values that are written as their place in a list. New ones go to the end.
pub(super) trait Listed: Copy + PartialEq + 'static {
    /// All of them.
    const ALL: &'static [Self];

    fn number(self) -> u8 {
        Self::ALL.iter().position(|one| *one == self).unwrap_or(usize::from(u8::MAX)) as u8
    }

    fn of_number(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }
}

impl Listed for Space {
    const ALL: &'static [Self] =
        &[Space::Global, Space::Shared, Space::Local, Space::Const, Space::Param];
}

impl Listed for Order {
    const ALL: &'static [Self] =
        &[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
}

impl Listed for Scope {
    const ALL: &'static [Self] = &[Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];
}

impl Listed for AccessKind {
    const ALL: &'static [Self] =
        &[AccessKind::Read, AccessKind::Write, AccessKind::ReadModifyWrite, AccessKind::Reduction];
}

impl Listed for ProxyKind {
    const ALL: &'static [Self] = &[
        ProxyKind::Alias,
        ProxyKind::Async,
        ProxyKind::AsyncGlobal,
        ProxyKind::AsyncShared,
        ProxyKind::TensorMap,
        ProxyKind::MbarrierInit,
    ];
}

impl Listed for MbarrierStep {
    const ALL: &'static [Self] = &[
        MbarrierStep::Init,
        MbarrierStep::Invalidate,
        MbarrierStep::Arrive,
        MbarrierStep::ArriveDrop,
        MbarrierStep::Expect,
        MbarrierStep::Wait,
    ];
}

impl Listed for CopyKind {
    const ALL: &'static [Self] = &[CopyKind::Thread, CopyKind::Bulk, CopyKind::Store];
}

/// Weak, volatile, and then every order with every scope.
pub(super) fn number_of_strength(strength: Strength) -> u8 {
    match strength {
        Strength::Weak => 0,
        Strength::Volatile => 1,
        Strength::Strong { order, scope } => 2 + order.number() * 4 + scope.number(),
    }
}

pub(super) fn strength_of_number(number: u8) -> Option<Strength> {
    match number {
        0 => Some(Strength::Weak),
        1 => Some(Strength::Volatile),
        _ => Some(Strength::Strong {
            order: Order::of_number((number - 2) / 4)?,
            scope: Scope::of_number((number - 2) % 4)?,
        }),
    }
}
