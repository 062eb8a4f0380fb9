use super::HEAD;
use crate::{Kernel, ModuleIndex, Op, SymbolTable};
use warpsan_ptx::Document;

const PIECES: &[&str] = &[
    "mov.u32 %r1, %tid.x;",
    "ld.global.u32 %r2, [g];",
    "ld.shared.u32 %r2, [s+4];",
    "st.shared.u32 [s], %r2;",
    "setp.eq.s32 %p1, %r1, 0;",
    "setp.lt.and.s32 %p2|%p1, %r1, %r2, !%p1;",
    "selp.b32 %r3, %r2, %r1, %p1;",
    "and.pred %p2, %p1, %p2;",
    "or.b32 %r3, %r2, %r1;",
    "@%p1 bra L0;",
    "@!%p2 bra L1;",
    "bra L2;",
    "L0:",
    "L1:",
    "L2:",
    "ts: .branchtargets L0, L1, L2;",
    "brx.idx %r1, ts;",
    "ret;",
    "@%p1 exit;",
    "{",
    "}",
    "{ .reg .b32 %r<3>; .param .b32 a; st.param.b32 [a], %r1; call (a), f, (a); }",
    "call f;",
    "bar.sync 0;",
    "membar.gl;",
    "atom.global.add.u32 %r1, [g], %r2;",
    "tex.1d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [t, {%r1}];",
    "frobnicate.x %r1, [%r2], {%p1};",
    ".shared .b8 x[8];",
    ".loc 1 2 3",
    ".loc 1 4 5, function_name n, inlined_at 1 2 3",
    "mov.b64 {%r1, _}, %rd1;",
    "add.cc.u32 %r1, %r2, %r3;",
    "addc.u32 %r1, %r2, %r3;",
    "add.s32 %r1, %r9, 1;",
    "cvta.shared.u64 %rd1, s;",
    "call rec;",
    "{ mov.u64 %rd1, rec; pr: .callprototype _ (); @%p1 call %rd1, pr; }",
    "@%p2 brx.idx %r1, ts;",
    "mbarrier.init.shared.b64 [s], 1;",
    "cp.async.ca.shared.global [s], [g], 4;",
    "cp.async.wait_all;",
    "vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h0;",
    "lop3.or.b32 %r1|%p1, %r2, %r3, %r1, 0x3f, %p2;",
    "mov.v2.u32 v, {v.y, v.x};",
    "mov.v4.u32 {%r1, %r2, %r3, _}, %tid;",
    "@%is_explicit_cluster st.local.v2.u32 [l], v;",
];

/// Jumps stay in the kernel or in their subroutine, and so do registers.
fn hangs_together(kernel: &Kernel) {
    let own = kernel.subroutines.first().map_or(kernel.code.len() as u32, |first| first.entry);
    let mut parts = vec![(0, own, kernel.registers, kernel.predicates)];
    parts.extend(
        kernel.subroutines.iter().map(|one| (one.entry, one.end, one.registers, one.predicates)),
    );
    assert_eq!(parts.last().unwrap().1 as usize, kernel.code.len());
    for (start, end, registers, predicates) in parts {
        let inside = |at: &u32| (start..end).contains(at);
        for instruction in &kernel.code[start as usize..end as usize] {
            match &instruction.op {
                Op::Branch { target, reconverge } => {
                    assert!(inside(target) && reconverge.iter().all(inside))
                }
                Op::BranchIndexed { targets, reconverge, .. } => {
                    assert!(targets.iter().all(inside) && reconverge.iter().all(inside));
                }
                Op::CallSubroutine(call) => {
                    assert!(call.registers <= registers && call.predicates <= predicates);
                }
                _ => {}
            }
            let uses = crate::Uses::of(&instruction.op);
            assert!(uses.reads.iter().chain(&uses.writes).all(|one| one.number < registers));
            let condition = instruction.guard.iter().chain(&instruction.counts_if);
            let all = uses.reads_predicates.iter().chain(&uses.writes_predicates);
            assert!(all.chain(condition.map(|(one, _)| one)).all(|one| one.0 < predicates));
        }
    }
}

proptest::proptest! {
    /// Statements in any order: lowered or refused, never a panic, and whatever is lowered hangs together.
    #[test]
    fn any_mixture_of_statements_is_lowered_or_refused(
        pieces in proptest::collection::vec(0usize..PIECES.len(), 0..50),
    ) {
        let body: String = pieces.iter().map(|piece| format!("{}\n", PIECES[*piece])).collect();
        let text = format!(
            "{HEAD}.global .u32 g;\n.global .texref t;\n.func (.param .b32 o) f(.param .b32 i)\n{{\n\
             .reg .b32 %r<3>;\nld.param.b32 %r1, [i];\nst.param.b32 [o], %r1;\nret;\n}}\n\
             .func rec()\n{{\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\n.local .b8 l[4];\n@%p1 ret;\n\
             ld.local.u8 %r1, [l];\n@!%p1 call rec;\nret;\n}}\n\
             .entry k()\n{{\n.reg .b32 %r<9>;\n.reg .b64 %rd<3>;\n.reg .pred %p<3>;\n\
             .reg .v2 .b32 v;\n.local .align 8 .b8 l[8];\n.shared .align 8 .b8 s[16];\n{body}}}\n"
        );
        let document = Document::parse(text);
        let index = ModuleIndex::of(&document);
        let Ok(function) = crate::function(&index, "k") else { return Ok(()) };
        let length = function.code.len() as u32;
        for instruction in &function.code {
            if let Op::Branch { target, reconverge } = &instruction.op {
                proptest::prop_assert!(*target < length && reconverge.is_none_or(|reconverge| reconverge < length));
            }
            if let Some((predicate, _)) = instruction.counts_if {
                proptest::prop_assert!(predicate.0 < function.predicates);
            }
        }
        let graph = &function.control_flow;
        proptest::prop_assert_eq!(graph.blocks.last().map(|block| block.end), Some(length));
        for block in 0..graph.blocks.len() {
            for next in graph.successors(block) {
                proptest::prop_assert!(graph.predecessors(next).any(|before| before == block));
            }
        }
        let symbols = SymbolTable::from([("g".to_string(), 0x1000)]);
        if let Ok(kernel) = crate::kernel(&index, &symbols, "k") {
            hangs_together(&kernel);
        }
    }
}
