//! The static choice of section 6.1: which kernels are for sets, and which for Barracuda.

use warpsan_event::{KernelFacts, SiteTable};

/// What a kernel has that sets do not know, so that Barracuda's rules are used: low-level synchronisation, and what orders a
/// part of a block. None if barriers of whole blocks are its only synchronisation.
///
/// The thesis looks for atomics and fences. Accesses that acquire or release, barriers of a part of a block and `__syncwarp()`
/// are the like: PTX did not have them then, or CUDA did not use them. Shuffles and votes order no memory.
pub fn beyond_sets(facts: &KernelFacts, sites: &SiteTable) -> Option<&'static str> {
    let instructions = || sites.sites.iter().map(|site| Instruction::of(&site.instruction));
    if facts.uses_atomics {
        Some("atomics")
    } else if facts.uses_fences {
        Some("fences")
    } else if facts.uses_strong_accesses && instructions().any(|one| one.acquires_or_releases()) {
        Some("accesses that acquire or release")
    } else if facts.uses_warp_synchronisation && may_have_warp_barriers(instructions()) {
        Some("barriers of warps")
    } else if facts.uses_block_barriers && instructions().any(|one| one.is_barrier_of_a_part()) {
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
/// be listed: a device does not tell of them.
fn may_have_warp_barriers<'a>(instructions: impl Iterator<Item = Instruction<'a>> + Clone) -> bool {
    instructions.clone().any(|one| one.is_warp_barrier()) || instructions.count() == 0
}

/// The text of an instruction.
#[derive(Debug, Clone, Copy)]
struct Instruction<'a> {
    opcode: &'a str,
    operands: &'a str,
}

impl<'a> Instruction<'a> {
    fn of(text: &'a str) -> Instruction<'a> {
        let text = text.trim().trim_end_matches(';');
        let text = match text.strip_prefix('@') {
            Some(guarded) => guarded.split_once(char::is_whitespace).map_or("", |(_, rest)| rest),
            None => text,
        };
        let text = text.trim_start();
        let (opcode, operands) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        Instruction { opcode, operands }
    }

    fn name(&self) -> &'a str {
        self.opcode.split('.').next().unwrap_or_default()
    }

    fn has(&self, modifier: &str) -> bool {
        self.opcode.split('.').skip(1).any(|part| part == modifier)
    }

    fn acquires_or_releases(&self) -> bool {
        ["acquire", "release", "acq_rel"].iter().any(|order| self.has(order))
    }

    fn is_warp_barrier(&self) -> bool {
        self.name() == "bar" && self.has("warp")
    }

    /// A block barrier with a number of threads, or at which nobody waits.
    fn is_barrier_of_a_part(&self) -> bool {
        let is_of_block =
            matches!(self.name(), "bar" | "barrier") && !self.has("warp") && !self.has("cluster");
        // `bar.sync a`, and `bar.red d, a, p`, are of the whole block; `b` behind `a` is a number of threads.
        let whole = if self.has("red") { 3 } else { 1 };
        is_of_block && (self.has("arrive") || self.operands.split(',').count() > whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_event::Site;

    fn chosen(facts: KernelFacts, instructions: &[&str]) -> Option<&'static str> {
        let site =
            |text: &&str| Site { instruction: (*text).into(), ptx_line: 1, frames: Vec::new() };
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
        assert_eq!(chosen(facts(), &["bar.sync 0;"]), None, "a device does not tell of shuffles");
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
