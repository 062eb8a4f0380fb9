//! Fences of memory, and fences between the proxies.

use super::{Threads, reach};
use crate::hb::ids::{LaneId, SiteNumber, WarpLanes};
use crate::hb::order::chain::Released;
use crate::hb::rules::{Rule, Rules};
use std::sync::Arc;
use warpsan_event::ProxyKind;
use warpsan_model::{Order, Scope, lanes};

impl Threads {
    /// A fence of lanes of one warp. `in_order` has what earlier `fence.sc` passed on, where their bare
    /// order counts.
    pub(in crate::hb) fn fence(
        &mut self,
        fencing: WarpLanes,
        (order, scope): (Order, Scope),
        site: SiteNumber,
        rules: &Rules,
        in_order: Option<&mut Released>,
    ) {
        let WarpLanes { block, warp, mask } = fencing;
        let cluster = self.cluster(block);
        let classes = self.fence_classes(block, scope);
        let state = self.warp(fencing.warp());
        if order.acquires() && rules.applies(Rule::AcquireFence) {
            for (_, memory) in state.memories.iter_mut().filter(|(lane, _)| mask >> **lane & 1 == 1)
            {
                memory.latest = None;
                // What is known need not be acquired once more.
                memory.observed_at.values_mut().for_each(|at| at[..=reach(scope)].fill(None));
                memory.observed_at.retain(|_, at| at.iter().any(Option::is_some));
            }
            for (group, views) in state.observed.take_views(mask, reach(scope)) {
                for view in views.iter().flatten() {
                    rules.count_more(Rule::AcquireFence, u64::from(group.count_ones()));
                    state.learn_all(group, view);
                }
            }
            let seen = state.observed.within.take(mask);
            state.within.add_all(seen);
            state.keep_within_short(fencing);
        }
        if let Some(earlier) = &in_order
            && order == Order::SeqCst
        {
            for view in earlier.for_reader(block, cluster, scope).into_iter().flatten() {
                for lane in lanes(mask) {
                    rules.count(Rule::FenceScOrder);
                    state.learn(lane, &view);
                }
            }
        }
        let sc_classes =
            (order == Order::SeqCst && rules.applies(Rule::ForcedFenceOrder)).then_some(classes);
        if let Some(classes) = &sc_classes {
            if state.learn_behind_fences(mask, classes) {
                rules.count(Rule::ForcedFenceOrder);
            }
        } else if order.releases() {
            // What it releases has the fences before it, and not those that come later.
            state.settle_fence_order(fencing);
        }
        for (group, _) in state.groups(mask) {
            state.add_fence(group, order, scope, site);
            if let Some(classes) = sc_classes {
                let fence = state.fence_now(group, order, scope, site);
                state.add_sc_fence(fence, classes);
            }
        }
        if let Some(passed_on) = in_order
            && order == Order::SeqCst
        {
            for lane in lanes(mask) {
                let view = Arc::new(state.announced(WarpLanes { block, warp, mask: 1 << lane }));
                passed_on.add(block, cluster, reach(scope), &view);
            }
        }
        state.epoch += 1;
    }

    /// A fence between the generic and the asynchronous proxy: what the lanes know and did has gone
    /// through it.
    pub(in crate::hb) fn proxy_fence(&mut self, fencing: WarpLanes, proxy: ProxyKind) {
        let WarpLanes { block, warp, mask } = fencing;
        let memories: &[usize] = match proxy {
            ProxyKind::Async => &[0, 1],
            ProxyKind::AsyncGlobal => &[0],
            ProxyKind::AsyncShared => &[1],
            ProxyKind::MbarrierInit => {
                return self.warp(fencing.warp()).fence_initialisations(mask);
            }
            ProxyKind::Alias | ProxyKind::TensorMap => return,
        };
        for lane in lanes(mask) {
            let mut view = self.announced(LaneId { block, warp, lane });
            let threads = view.known.threads.clone();
            let more = view.known.more_mut();
            for memory in memories {
                more.fenced[*memory].join(&threads);
                more.fenced_copies[*memory].join(&more.copies);
            }
            self.warp(fencing.warp()).set_views(1 << lane, &Arc::new(view));
        }
        self.warp(fencing.warp()).epoch += 1;
    }
}
