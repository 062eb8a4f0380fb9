//! Special registers.

use super::core::Core;
use crate::block::BlockInfo;
use crate::warp::Warp;
use warpsan_ir::{ReservedShared, Special};
use warpsan_model::{Dim3, EMULATED_DEVICE, WARP_LANES};

/// Multiprocessors that blocks run on.
const MULTIPROCESSORS: u32 = EMULATED_DEVICE.multiprocessors;

impl Core<'_> {
    pub(super) fn special(&self, block: &BlockInfo, warp: &Warp, special: Special) -> [u64; 32] {
        let launch = self.launch;
        let geometry = &launch.geometry;
        let part = |dim: Dim3, axis: u8| u64::from([dim.x, dim.y, dim.z][usize::from(axis)]);
        let shared = u64::from(launch.dynamic_shared_bytes);
        let total_shared = shared + launch.kernel.kernel.static_shared_bytes;
        let per_lane =
            |value: fn(u32) -> u32| std::array::from_fn(|lane| u64::from(value(lane as u32)));
        let cluster = launch.cluster_extents();
        let clock = self.clock(warp);
        let of_cluster = |value: fn(u32, u32) -> u32| {
            let at = block.position;
            let value = |at, extent| value(at, extent);
            Dim3 { x: value(at.x, cluster.x), y: value(at.y, cluster.y), z: value(at.z, cluster.z) }
        };
        let uniform = match special {
            Special::Tid(axis) => {
                let first = u64::from(warp.index * WARP_LANES);
                return std::array::from_fn(|lane| {
                    part(geometry.block.at(first + lane as u64), axis)
                });
            }
            Special::Laneid => return per_lane(|lane| lane),
            Special::LanemaskEq => return per_lane(|lane| 1 << lane),
            Special::LanemaskLt => return per_lane(|lane| (1 << lane) - 1),
            Special::LanemaskLe => return per_lane(|lane| (1 << lane) | ((1 << lane) - 1)),
            Special::LanemaskGe => return per_lane(|lane| !((1 << lane) - 1)),
            Special::LanemaskGt => return per_lane(|lane| !((1 << lane) | ((1 << lane) - 1))),
            Special::Ntid(axis) => part(geometry.block, axis),
            Special::Ctaid(axis) => part(block.position, axis),
            Special::Nctaid(axis) => part(geometry.grid, axis),
            Special::Warpid => u64::from(warp.index),
            Special::Nwarpid => u64::from(geometry.warps_per_block()),
            Special::WarpSize => u64::from(WARP_LANES),
            Special::Smid => u64::from(block.index.0 % MULTIPROCESSORS),
            Special::Nsmid => u64::from(MULTIPROCESSORS),
            Special::Gridid => u64::from(launch.id.0),
            Special::Clock | Special::GlobaltimerLow => clock & 0xFFFF_FFFF,
            Special::ClockHigh | Special::GlobaltimerHigh => clock >> 32,
            Special::Clock64 | Special::Globaltimer => clock,
            Special::DynamicSharedSize => shared,
            Special::TotalSharedSize => total_shared,
            // The system's part lies behind the kernel's own.
            Special::AggregateSharedSize => total_shared + crate::launch::RESERVED_SHARED,
            Special::ReservedShared(which) => {
                let begin = total_shared.next_multiple_of(16);
                match which {
                    ReservedShared::Begin => begin,
                    ReservedShared::End => begin + crate::launch::RESERVED_SHARED,
                    ReservedShared::Cap => crate::launch::RESERVED_SHARED,
                    ReservedShared::Offset(number) => begin + 128 * u64::from(number),
                }
            }
            Special::ClusterId(axis) => part(of_cluster(|at, extent| at / extent), axis),
            Special::ClusterCtaid(axis) => part(of_cluster(|at, extent| at % extent), axis),
            Special::NumberOfClusters(axis) => {
                part(geometry.grid, axis) / part(cluster, axis).max(1)
            }
            Special::ClusterNctaid(axis) => part(cluster, axis),
            Special::ClusterCtarank => u64::from(block.rank),
            Special::ClusterNctarank => cluster.count(),
            Special::IsExplicitCluster => u64::from(launch.cluster.is_some()),
            Special::Environment(number) => launch.environment(number),
            Special::Zero => 0,
        };
        [uniform; 32]
    }
}
