//! What the instructions of a kernel can synchronise with, known before it runs: what cannot be needs no room.

use crate::hb::rules::Rules;
use warpsan_event::{KernelFacts, Operation, OperationKind, SiteTable};
use warpsan_model::{Order, Scope};

/// The release and acquire patterns that a kernel may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Patterns {
    /// A fence, a release or an acquire has a scope that is narrower than the device.
    pub(super) are_narrow: bool,
    /// A strong access acquires.
    pub(super) have_acquire_operations: bool,
}

impl Patterns {
    /// Those of the instructions of a kernel. A kernel of which nothing is known may have all.
    pub(super) fn of(sites: &SiteTable, facts: &KernelFacts, rules: &Rules) -> Patterns {
        let operations = || sites.sites.iter().map(|site| site.operation());
        let synchronising = || operations().filter(|operation| synchronises(operation));
        let is_known = facts.uses_strong_accesses || synchronising().next().is_some();
        if !is_known || !rules.are_whole() {
            return Patterns { are_narrow: true, have_acquire_operations: true };
        }
        let is_narrow =
            |operation: &Operation| !matches!(operation.scope, Some(Scope::Gpu | Scope::Sys));
        let acquires = |operation: &Operation| {
            operation.kind != OperationKind::Fence
                && operation.order.is_some_and(|order| order.acquires())
        };
        Patterns {
            are_narrow: synchronising().any(is_narrow),
            have_acquire_operations: synchronising().any(acquires),
        }
    }
}

/// Whether a kernel can release to the host, and acquire from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::hb) struct ReachesHost {
    pub(in crate::hb) by_release: bool,
    pub(in crate::hb) by_acquire: bool,
}

impl ReachesHost {
    pub(super) fn of(sites: &SiteTable) -> ReachesHost {
        let mut reaches = ReachesHost::default();
        for operation in sites.sites.iter().map(|site| site.operation()) {
            if synchronises(operation) && operation.scope == Some(Scope::Sys) {
                // `membar` has no order, and is both.
                reaches.by_release |= operation.order.is_none_or(Order::releases);
                reaches.by_acquire |= operation.order.is_none_or(Order::acquires);
            }
        }
        reaches
    }
}

fn synchronises(operation: &Operation) -> bool {
    operation.kind == OperationKind::Fence || operation.acquires_or_releases()
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_event::Site;

    fn patterns(instructions: &[&str]) -> Patterns {
        let site = |text: &&str| Site::new(*text, 1, Vec::new());
        let sites = SiteTable { sites: instructions.iter().map(site).collect() };
        Patterns::of(&sites, &KernelFacts::default(), &Rules::all())
    }

    #[test]
    fn only_operations_of_system_scope_reach_the_host() {
        let reaches = |instruction: &str| {
            let sites = vec![Site::new(instruction, 1, Vec::new())];
            let ReachesHost { by_release, by_acquire } = ReachesHost::of(&SiteTable { sites });
            (by_release, by_acquire)
        };
        assert_eq!(reaches("membar.sys;"), (true, true));
        assert_eq!(reaches("fence.acq_rel.gpu;"), (false, false));
        assert_eq!(reaches("ld.acquire.sys.u32 %r1, [%rd1];"), (false, true));
        assert_eq!(reaches("st.release.sys.u32 [%rd1], 1;"), (true, false));
        assert_eq!(reaches("st.relaxed.sys.u32 [%rd1], 1;"), (false, false));
    }

    #[test]
    fn instructions_say_how_far_patterns_reach() {
        let all = Patterns { are_narrow: true, have_acquire_operations: true };
        assert_eq!(patterns(&["ld.global.u32 %r1, [%rd1];"]), all);
        let wide = Patterns { are_narrow: false, have_acquire_operations: false };
        assert_eq!(patterns(&["membar.gl;", "atom.global.add.u32 %r1, [%rd1], 1;"]), wide);
        assert_eq!(patterns(&["fence.sc.sys;", "st.release.gpu.u32 [%rd1], 1;"]), wide);
        assert!(patterns(&["membar.gl;", "membar.cta;"]).are_narrow);
        assert!(patterns(&["membar.gl;", "ld.acquire.cta.u32 %r1, [%rd1];"]).are_narrow);
        assert!(patterns(&["atom.acq_rel.gpu.add.u32 %r1, [%rd1], 1;"]).have_acquire_operations);
    }
}
