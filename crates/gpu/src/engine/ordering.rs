//! Which steps of the order of work follow from what the engine knows anyway: launches, graphs and memory.

use super::Engine;
use crate::driver_structures::CUlaunchAttribute;
use crate::driver_types::{CUevent, CUgraphExec, CUstream};
use crate::hooks::{Allocation, AllocationKind, Hooks, LaunchCall, LaunchSource};
use crate::order_steps::{OrderStep, OrderedLaunch};
use crate::shipping::ShippedLaunch;
use warpsan_event::{Site, SiteTable};
use warpsan_model::{LaunchId, Scope, Space};

/// What the nodes of a graph besides kernels do to the order of work.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct GraphOrder {
    /// Functions of the host learn that work is done.
    calls_host: bool,
    /// It records events or waits for them, or for memory, or for what is outside of CUDA.
    is_not_followed: bool,
}

impl GraphOrder {
    /// Takes a node of this type into account.
    pub(super) fn add(&mut self, kind: i32) {
        const HOST: i32 = 3;
        // Kernels, copies, fills, graphs in graphs, nothing; memory that is taken and given back; conditions, whose nodes are
        // of the first of these kinds.
        const FOLLOWED: [i32; 8] = [0, 1, 2, 4, 5, 10, 11, 13];
        self.calls_host |= kind == HOST;
        self.is_not_followed |= kind != HOST && !FOLLOWED.contains(&kind);
    }
}

impl Engine {
    /// A launch whose operations are shipped was put into its stream.
    pub(super) fn order_launch(&self, call: &LaunchCall, shipped: &ShippedLaunch) {
        let overlaps = call
            .attribute(CUlaunchAttribute::PROGRAMMATIC_STREAM_SERIALIZATION)
            .is_some_and(|attribute| attribute.numbers()[0] != 0);
        let stream = call.named_stream();
        self.ordered(OrderStep::Launched(OrderedLaunch {
            launch: shipped.launch,
            stream,
            overlaps,
            speaks_to_host: can_speak_to_host(&shipped.sites),
            is_one_of_several: call.source == LaunchSource::SeveralDevices,
        }));
        self.order_events_of(call);
    }

    /// A launch that ships nothing was put into its stream, or into a graph.
    pub(super) fn order_other_work(&self, call: &LaunchCall) {
        if matches!(call.source, LaunchSource::Stream | LaunchSource::SeveralDevices) {
            self.ordered(OrderStep::Work(call.named_stream()));
            self.order_events_of(call);
        }
        if call.source == LaunchSource::SeveralDevices {
            self.ordered(OrderStep::HostWaitedForAll);
        }
    }

    /// Events that a launch records by itself are taken to stand for all of it.
    fn order_events_of(&self, call: &LaunchCall) {
        let kinds =
            [CUlaunchAttribute::PROGRAMMATIC_EVENT, CUlaunchAttribute::LAUNCH_COMPLETION_EVENT];
        for attribute in kinds.into_iter().filter_map(|kind| call.attribute(kind)) {
            let event = CUevent(attribute.value[0] as usize);
            self.ordered(OrderStep::Recorded { event, stream: call.named_stream() });
        }
    }

    /// Kernels of a graph are shipped one after the other: they are so many launches in a stream.
    pub(super) fn order_kernels_of_graph(
        &self,
        (first, count): (u32, u32),
        stream: CUstream,
        sites: impl Fn(u32) -> bool,
    ) {
        for number in 0..count {
            self.ordered(OrderStep::Launched(OrderedLaunch {
                launch: LaunchId(first + number),
                stream,
                overlaps: false,
                speaks_to_host: sites(number),
                is_one_of_several: false,
            }));
        }
    }

    /// The rest of a graph was put into a stream.
    pub(super) fn order_graph(&self, executable: CUgraphExec, stream: CUstream) {
        self.ordered(OrderStep::Work(stream));
        if self.settings.plan.may_ship() && self.lock().graphs_with_host.contains(&executable) {
            self.ordered(OrderStep::HostWaitedForStream(stream));
        }
    }

    /// A graph can be launched now, and has these nodes.
    pub(super) fn note_graph_order(&self, executable: CUgraphExec, order: GraphOrder) {
        let mut state = self.lock();
        match order.calls_host {
            true => state.graphs_with_host.insert(executable),
            false => state.graphs_with_host.remove(&executable),
        };
        drop(state);
        if order.is_not_followed {
            self.ordered(OrderStep::NotFollowed);
        }
    }

    /// Memory was taken.
    pub(super) fn order_allocation(&self, allocation: &Allocation) {
        match allocation.kind {
            AllocationKind::StreamOrdered => self.ordered(OrderStep::Taken(allocation.stream)),
            AllocationKind::Managed | AllocationKind::Host | AllocationKind::Registered => {
                self.ordered(OrderStep::SharedWithHost);
            }
            // Kernels may wait for what others write there.
            AllocationKind::OtherProcess | AllocationKind::External => {
                self.ordered(OrderStep::NotFollowed);
            }
            AllocationKind::Device | AllocationKind::Mapped | AllocationKind::Graph => {}
        }
    }
}

/// Whether a kernel has operations that are strong for the host, too.
pub(super) fn can_speak_to_host(sites: &SiteTable) -> bool {
    let is_for_host = |site: &Site| {
        let operation = site.operation();
        let is_strong = operation.is_volatile || operation.scope == Some(Scope::Sys);
        is_strong && operation.space != Some(Space::Shared)
    };
    sites.sites.iter().any(is_for_host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_system_scope_and_volatile_reach_the_host() {
        let speaks = |instruction: &str| {
            let site = Site::new(instruction, 1, Vec::new());
            can_speak_to_host(&SiteTable { sites: vec![site] })
        };
        assert!(speaks("ld.acquire.sys.global.u32 %r1, [%rd1];"));
        assert!(speaks("st.volatile.global.u32 [%rd1], %r1;"));
        assert!(speaks("@%p1 fence.acq_rel.sys;"));
        assert!(!speaks("ld.acquire.gpu.global.u32 %r1, [%rd1];"));
        assert!(!speaks("atom.global.add.u32 %r1, [%rd1], 1;"));
        assert!(!speaks("ld.volatile.shared.u32 %r1, [%rd1];"));
    }

    #[test]
    fn nodes_with_events_and_semaphores_are_not_followed() {
        let order = |kinds: &[i32]| {
            let mut order = GraphOrder::default();
            kinds.iter().for_each(|kind| order.add(*kind));
            (order.calls_host, order.is_not_followed)
        };
        assert_eq!(order(&[0, 1, 2, 4, 5, 10, 11, 13]), (false, false));
        assert_eq!(order(&[0, 3]), (true, false));
        for kind in [6, 7, 8, 9, 12, -1, 99] {
            assert_eq!(order(&[0, kind]), (false, true), "{kind}");
        }
    }
}
