//! Kernels that the assembler may get wrong where they are linked with functions.
//!
//! Where lanes may have gone on apart, as behind a call of a function that it does not see, `ptxas` writes votes and shuffles twice: in line, and
//! for lanes that have to come together first. The second text has a predicate register for itself. With eight votes in a row, as where lanes
//! look for others of the same digit, `ptxas` 13.0 has all seven registers in use there, and overwrites one of them. In a module that has the
//! functions itself it does not: it says that it finds no room, and is asked again without optimisation.

use std::collections::BTreeSet;
use warpsan_ir::{Function, Liveness, Name, Op};

/// Predicate registers of a thread.
const PREDICATE_REGISTERS: usize = 7;

/// Whether so many predicates may be in use where lanes wait for each other. Here they need not be so at a time, since the assembler computes in
/// one step what stands in one basic block.
pub(crate) fn may_run_out(function: &Function) -> bool {
    let live = Liveness::of(function);
    function.control_flow.blocks.iter().any(|block| {
        let waits = (block.start..block.end).filter(|at| waits_for_lanes(function, *at));
        let in_use: BTreeSet<u32> = waits.flat_map(|at| in_use_across(&live, at)).collect();
        in_use.len() >= PREDICATE_REGISTERS
    })
}

fn waits_for_lanes(function: &Function, at: u32) -> bool {
    matches!(
        function.code[at as usize].op,
        Op::Vote { .. }
            | Op::Shuffle { .. }
            | Op::Match { .. }
            | Op::Redux { .. }
            | Op::Elect { .. }
            | Op::WarpBarrier { .. }
    )
}

/// Predicates that are computed before an instruction and read behind it.
fn in_use_across(live: &Liveness<'_>, at: u32) -> Vec<u32> {
    let across = live.before(at).both(&live.before(at + 1));
    let number = |name| match name {
        Name::Predicate(number) => Some(number),
        Name::Register(_) => None,
    };
    across.names().filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::may_run_out;
    use crate::testing::module;
    use warpsan_ir::ModuleIndex;
    use warpsan_ptx::Document;

    fn runs_out(body: &str) -> bool {
        let document = Document::parse(module(body));
        assert_eq!(document.errors(), [], "{body}");
        may_run_out(&warpsan_ir::function(&ModuleIndex::of(&document), "k").expect("a function"))
    }

    /// Votes one after the other, each by a predicate of its own, which is read `behind` them.
    fn votes(count: u32, behind: &str) -> String {
        let vote = |number: u32| {
            format!(
                "setp.ne.u32 %p{number}, %r{number}, 0;\nvote.sync.ballot.b32 %r1{number}, %p{number}, -1;\n\
                 {}\n",
                behind.replace('#', &number.to_string())
            )
        };
        (1..=count).map(vote).collect()
    }

    #[test]
    fn eight_votes_in_a_row_are_too_many() {
        assert!(runs_out(&votes(8, "@!%p# not.b32 %r1#, %r1#;")));
        assert!(!runs_out(&votes(6, "@!%p# not.b32 %r1#, %r1#;")));
        assert!(!runs_out(&votes(8, "")), "a vote is the last that reads its predicate");
        let apart = "@!%p# not.b32 %r1#, %r1#;\nbra.uni L#;\nL#:";
        assert!(!runs_out(&votes(8, apart)), "each in a block of its own");
    }
}
