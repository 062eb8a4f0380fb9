//! The static choice of section 6.1: which kernels are for sets, and which for Barracuda.

use warpsan_event::{KernelFacts, Operation, OperationKind, Site, SiteTable};

/// What a kernel has that sets do not know, so that Barracuda's rules are used: low-level synchronisation, and what orders a
/// part of a block. None if barriers of whole blocks are its only synchronisation.
///
/// The thesis looks for atomics and fences. Accesses that acquire or release, barriers of a part of a block and `__syncwarp()`
/// are the like: PTX did not have them then, or CUDA did not use them. Shuffles and votes order no memory.
pub fn beyond_sets(facts: &KernelFacts, sites: &SiteTable) -> Option<&'static str> {
    let operations = || sites.sites.iter().map(Site::operation);
    if facts.uses_atomics {
        Some("atomics")
    } else if facts.uses_fences {
        Some("fences")
    } else if facts.uses_strong_accesses && operations().any(Operation::acquires_or_releases) {
        Some("accesses that acquire or release")
    } else if facts.uses_warp_synchronisation && may_have_warp_barriers(operations()) {
        Some("barriers of warps")
    } else if facts.uses_block_barriers && operations().any(Operation::is_barrier_of_a_part) {
        Some("barriers of parts of a block")
    } else if facts.uses_mbarriers {
        Some("mbarrier objects")
    } else if facts.uses_cluster {
        Some("clusters")
    } else {
        None
    }
}

/// Whether there are barriers of warps, or nothing is listed that could be one. Shuffles and their like, of which the fact may speak as well, need not
/// be listed: a device does not ship them.
fn may_have_warp_barriers<'a>(operations: impl Iterator<Item = &'a Operation> + Clone) -> bool {
    operations.clone().any(|one| one.kind == OperationKind::WarpBarrier) || operations.count() == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(facts: KernelFacts, instructions: &[&str]) -> Option<&'static str> {
        let site = |text: &&str| Site::new(*text, 1, Vec::new());
        beyond_sets(&facts, &SiteTable { sites: instructions.iter().map(site).collect() })
    }

    #[test]
    fn atomics_and_fences_are_not_for_sets() {
        let facts = KernelFacts::default;
        assert_eq!(chosen(facts(), &["st.global.u32 [%rd1], %r1;"]), None);
        let atomics = KernelFacts { uses_atomics: true, ..facts() };
        assert_eq!(chosen(atomics, &[]), Some("atomics"));
        assert_eq!(chosen(KernelFacts { uses_fences: true, ..facts() }, &[]), Some("fences"));
    }

    #[test]
    fn strong_accesses_count_if_they_order() {
        let facts = || KernelFacts { uses_strong_accesses: true, ..KernelFacts::default() };
        for text in ["ld.volatile.global.u32 %r1, [%rd1];", "st.relaxed.gpu.u32 [%rd1], %r1;"] {
            assert_eq!(chosen(facts(), &[text]), None, "{text}");
        }
        for text in ["ld.acquire.gpu.u32 %r1, [%rd1];", "@%p1 st.release.cta.u32 [%rd1], %r1;"] {
            assert!(chosen(facts(), &[text]).is_some(), "{text}");
        }
    }

    #[test]
    fn of_warp_synchronisation_only_barriers_count() {
        let facts = || KernelFacts { uses_warp_synchronisation: true, ..KernelFacts::default() };
        let shuffle = "shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1;";
        assert_eq!(chosen(facts(), &[shuffle]), None);
        assert!(chosen(facts(), &[shuffle, "bar.warp.sync -1;"]).is_some());
        assert_eq!(chosen(facts(), &["bar.sync 0;"]), None, "a device does not ship shuffles");
        assert!(chosen(facts(), &[]).is_some(), "nothing says what it is");
    }

    #[test]
    fn barriers_of_whole_blocks_are_for_sets() {
        let facts = || KernelFacts { uses_block_barriers: true, ..KernelFacts::default() };
        for text in [
            "bar.sync 0;",
            "barrier.sync %r1;",
            "barrier.sync.aligned 0;",
            "bar.red.popc.u32 %r1, 0, %p1;",
            "@!%p2 bar.sync 1;",
        ] {
            assert_eq!(chosen(facts(), &[text]), None, "{text}");
        }
        for text in ["bar.sync 1, 64;", "bar.arrive 0, 64;", "bar.red.or.pred %p1, 0, 64, %p2;"] {
            assert_eq!(chosen(facts(), &[text]), Some("barriers of parts of a block"), "{text}");
        }
    }
}
