use crate::{Kernel, LowerError, MemorySpace, ModuleIndex, Op, SymbolTable, Value};
use warpsan_ptx::Document;

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

fn lower_text(text: &str) -> Result<Kernel, LowerError> {
    let document = Document::parse(text.to_string());
    assert_eq!(document.errors(), [], "{text}");
    let index = ModuleIndex::of(&document);
    let mut symbols = SymbolTable::new();
    for (number, variable) in crate::module_variables(&index).unwrap().iter().enumerate() {
        symbols.insert(variable.name.clone(), 0x1000 * (number as u64 + 1));
    }
    crate::kernel(&index, &symbols, "k")
}

fn kernel(body: &str) -> Kernel {
    lower_text(&format!("{HEAD}.global .u32 done;\n.visible .entry k(.param .u64 p, .param .u32 n)\n{{\n{body}\n}}\n"))
        .unwrap()
}

fn error(body: &str) -> String {
    let text = format!("{HEAD}.visible .entry k()\n{{\n.reg .b32 %r<9>;\n{body}\n}}\n");
    lower_text(&text).unwrap_err().to_string()
}

#[test]
fn parameters_are_laid_out_with_their_alignment() {
    let text = format!(
        "{HEAD}.entry k(.param .u32 n, .param .u64 p, .param .align 4 .b8 s[12])\n{{\nret;\n}}\n"
    );
    let kernel = lower_text(&text).unwrap();
    let places: Vec<_> = kernel.parameters.iter().map(|p| (p.offset, p.bytes)).collect();
    assert_eq!(places, [(0, 4), (8, 8), (16, 12)]);
    assert_eq!(kernel.parameter_bytes, 28);
}

#[test]
fn names_become_registers_and_addresses() {
    let kernel = kernel(
        ".reg .b64 %rd<4>;\n.reg .b32 %r<4>;\n.shared .align 8 .b8 s[16];\n\
         ld.param.u64 %rd1, [p];\nmov.u64 %rd2, done;\nld.shared.u32 %r1, [s+4];\nst.global.u32 [%rd1+-4], %r1;",
    );
    let ops: Vec<_> = kernel.code.iter().map(|instruction| &instruction.op).collect();
    assert!(matches!(ops[0], Op::Load { space: MemorySpace::Param, offset: 0, .. }));
    assert!(matches!(ops[1], Op::Move { from: Value::Constant(0x1000), .. }));
    assert!(matches!(ops[2], Op::Load { space: MemorySpace::Shared, offset: 4, .. }));
    assert!(matches!(ops[3], Op::Store { space: MemorySpace::Global, offset: -4, .. }));
    assert!(matches!(ops[4], Op::Exit));
    assert_eq!(kernel.static_shared_bytes, 16);
}

#[test]
fn dynamic_shared_memory_lies_behind_the_static_part() {
    let text = format!(
        "{HEAD}.extern .shared .align 16 .b8 dyn[];\n.entry k()\n{{\n.reg .b32 %r<3>;\n\
         mov.u32 %r1, dyn;\nld.shared.u32 %r2, [dyn+8];\n.shared .align 4 .b8 s[20];\nst.shared.u32 [s], %r2;\nret;\n}}\n"
    );
    let kernel = lower_text(&text).unwrap();
    assert_eq!(kernel.static_shared_bytes, 32);
    assert!(matches!(kernel.code[0].op, Op::Move { from: Value::Constant(32), .. }));
    assert!(matches!(kernel.code[1].op, Op::Load { offset: 40, .. }));
}

#[test]
fn a_call_is_expanded_with_its_caller_in_the_frames() {
    let text = format!(
        "{HEAD}.func (.param .b32 out) twice(.param .b32 in)\n{{\n.reg .b32 %r<3>;\n.loc 1 2 5\n\
         ld.param.u32 %r1, [in];\nadd.s32 %r2, %r1, %r1;\nst.param.b32 [out], %r2;\nret;\n}}\n\
         .entry k()\n{{\n.reg .b32 %r<3>;\n.loc 1 9 3\n{{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 b;\n\
         call.uni (b), twice, (a);\nld.param.b32 %r2, [b]; }}\nret;\n}}\n.file 1 \"x.cu\"\n"
    );
    let kernel = lower_text(&text).unwrap();
    let add = kernel.code.iter().find(|i| matches!(i.op, Op::Binary { .. })).unwrap();
    let frames = &kernel.sites[add.site.0 as usize].frames;
    let told: Vec<_> =
        frames.iter().map(|f| format!("{} {}", f.function, f.position.as_ref().unwrap())).collect();
    assert_eq!(told, ["twice x.cu:2:5", "k x.cu:9:3"]);
    let jump = kernel.code.iter().position(|i| matches!(i.op, Op::Branch { .. })).unwrap();
    assert!(
        matches!(kernel.code[jump].op, Op::Branch { target, .. } if target as usize == jump + 1)
    );
    assert_eq!(kernel.local_bytes, 16, "the two call parameters");
}

#[test]
fn inlining_chains_are_followed_outwards() {
    let text = format!(
        "{HEAD}.entry k()\n{{\n.loc 1 9 3\n.loc 1 5 7, function_name $f, inlined_at 1 9 3\n\
         .loc 2 1 1, function_name $g, inlined_at 1 5 7\nmembar.gl;\nret;\n}}\n.file 1 \"x.cu\"\n.file 2 \"y.h\"\n\
         .section .debug_str {{\n$f:\n.b8 102,0\n$g:\n.b8 103,0\n}}\n"
    );
    let kernel = lower_text(&text).unwrap();
    let told: Vec<_> = kernel.sites[0]
        .frames
        .iter()
        .map(|f| format!("{} {}", f.function, f.position.as_ref().unwrap()))
        .collect();
    assert_eq!(told, ["g y.h:1:1", "f x.cu:5:7", "k x.cu:9:3"]);
}

#[test]
fn a_load_that_lost_its_line_has_the_line_of_its_first_use() {
    let text = format!(
        "{HEAD}.global .u32 g;\n.entry k()\n{{\n.reg .b32 %r<5>;\n.loc 1 5 1\nmov.u32 %r1, %tid.x;\n\
         .loc 1 0 0\nld.global.u32 %r2, [g];\n.loc 1 9 7\nadd.u32 %r3, %r2, %r1;\nst.global.u32 [g], %r3;\n\
         ret;\n}}\n.file 1 \"x.cu\"\n"
    );
    let kernel = lower_text(&text).unwrap();
    let load = kernel.code.iter().find(|i| matches!(i.op, Op::Load { .. })).unwrap();
    let frames = &kernel.sites[load.site.0 as usize].frames;
    assert_eq!(frames[0].position.as_ref().unwrap().to_string(), "x.cu:9:7");
}

#[test]
fn what_is_not_supported_is_named_with_its_line() {
    assert_eq!(
        error("tex.2d.v4.f32.f32 {%r1,%r2,%r3,%r4}, [%r5, {%r6,%r7}];"),
        "the instruction tex.2d.v4.f32.f32 is not supported yet (PTX line 7)"
    );
    assert_eq!(
        error("add.rz.f32 %r1, %r2, %r3;"),
        "the instruction add.rz.f32 is not supported yet (PTX line 7)"
    );
    assert_eq!(
        error("mov.u32 %r1, %clusterid.x;"),
        "the special register %clusterid.x is not supported yet (PTX line 7)"
    );
}

#[test]
fn what_is_no_ptx_says_why() {
    assert_eq!(error("add.s32 %r1, %r2, %r99;"), "PTX line 7: `%r99` is not declared");
    assert_eq!(error("bra $nowhere;"), "PTX line 7: there is no label `$nowhere` in this function");
    assert_eq!(
        error("add.s32 %r1, %r2;"),
        "PTX line 7: `add.s32 %r1, %r2` has operands or modifiers that do not fit"
    );
}

#[test]
fn recursion_is_refused_by_name() {
    let text =
        format!("{HEAD}.func f()\n{{\ncall f;\nret;\n}}\n.entry k()\n{{\ncall f;\nret;\n}}\n");
    let told = lower_text(&text).unwrap_err().to_string();
    assert!(told.contains("the recursive function `f`"), "{told}");
}

/// Opcodes whose example in the table has no meaning here yet. The list only gets shorter.
const OPAQUE_ROWS: &str = "\
    fns szext dp4a dp2a tanh st.async st.bulk multimem.ld_reduce multimem.st multimem.red \
    applypriority discard createpolicy.range createpolicy.fractional createpolicy.cvt cvt.pack \
    mapa getctarank tensormap.replace cp.async cp.async.commit_group cp.async.wait_group \
    cp.async.wait_all cp.async.bulk cp.reduce.async.bulk cp.async.bulk.prefetch \
    multimem.cp.async.bulk multimem.cp.reduce.async.bulk cp.async.bulk.tensor \
    cp.reduce.async.bulk.tensor cp.async.bulk.prefetch.tensor cp.async.bulk.commit_group \
    cp.async.bulk.wait_group tex tld4 txq istypep suld.b sust.b sust.p sured.b sured.p suq \
    barrier.cluster membar.proxy fence.proxy red.async match redux griddepcontrol elect \
    tensormap.cp_fenceproxy clusterlaunchcontrol.try_cancel clusterlaunchcontrol.query_cancel \
    mbarrier.init mbarrier.inval mbarrier.expect_tx mbarrier.complete_tx mbarrier.arrive \
    mbarrier.arrive_drop cp.async.mbarrier.arrive mbarrier.test_wait mbarrier.try_wait \
    mbarrier.pending_count wmma.load wmma.store wmma.mma mma ldmatrix stmatrix movmatrix \
    mma.sp mma.sp::ordered_metadata wgmma.mma_async wgmma.mma_async.sp wgmma.fence \
    wgmma.commit_group wgmma.wait_group tcgen05.alloc tcgen05.dealloc \
    tcgen05.relinquish_alloc_permit tcgen05.ld tcgen05.ld.red tcgen05.st tcgen05.wait::ld \
    tcgen05.wait::st tcgen05.cp tcgen05.shift tcgen05.mma tcgen05.mma.sp tcgen05.mma.ws \
    tcgen05.mma.ws.sp tcgen05.fence::before_thread_sync tcgen05.fence::after_thread_sync \
    tcgen05.commit stacksave stackrestore alloca vadd vsub vabsdiff vmin vmax vshl vshr vmad \
    vset vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 vadd4 vsub4 vavrg4 vabsdiff4 vmin4 \
    vmax4 vset4 brkpt pmevent setmaxnreg";

/// Every example of the table is lowered: to a meaning, or to an opaque instruction.
#[test]
fn every_row_of_the_table_is_lowered() {
    let mut opaque = Vec::new();
    for row in warpsan_ptx::table::rows() {
        let text = warpsan_ptx::table::scaffold("9.0", row.target, row.example);
        let document = Document::parse(text.clone());
        assert_eq!(document.errors(), [], "{text}");
        let index = ModuleIndex::of(&document);
        let kernel = document.module().functions().find(|f| f.is_kernel).unwrap().name;
        match crate::function(&index, kernel) {
            Err(error) => panic!("{}: {error}", row.example),
            Ok(function) => {
                if function.code.iter().any(|one| matches!(one.op, Op::Opaque(_))) {
                    opaque.push(row.name);
                }
            }
        }
    }
    assert_eq!(opaque, OPAQUE_ROWS.split(' ').collect::<Vec<_>>());
}

#[test]
fn labels_belong_to_their_scope() {
    let kernel = kernel(
        ".reg .pred %p<2>;\n{ @%p1 bra DONE; membar.gl; DONE: membar.gl; }\n\
         { @%p1 bra DONE; membar.cta; DONE: membar.cta; bra OUT; }\nOUT:\nret;",
    );
    let targets: Vec<u32> = kernel
        .code
        .iter()
        .filter_map(|i| if let Op::Branch { target, .. } = i.op { Some(target) } else { None })
        .collect();
    assert_eq!(targets, [2, 5, 7]);
    assert!(error("X:\nX:\nret;").contains("the label `X` is there twice"));
}

#[test]
fn shared_variables_of_one_name_in_two_functions_are_two() {
    let text = format!(
        "{HEAD}.func f()\n{{\n.shared .align 4 .b8 buf[4];\nst.shared.u32 [buf], 1;\nret;\n}}\n\
         .entry k()\n{{\n.shared .align 4 .b8 buf[16];\nst.shared.u32 [buf+8], 2;\ncall f;\ncall f;\nret;\n}}\n"
    );
    let kernel = lower_text(&text).unwrap();
    assert_eq!(kernel.static_shared_bytes, 20);
    assert_eq!(kernel.shared.len(), 2, "one place for both expansions of f");
}

#[test]
fn variables_of_one_declaration_have_places_of_their_own() {
    let kernel = kernel(".shared .u32 a, b;\nst.shared.u32 [a], 1;\nst.shared.u32 [b], 2;\nret;");
    let offsets: Vec<_> = kernel.shared.iter().map(|symbol| symbol.offset).collect();
    assert_eq!(offsets, [0, 4]);
}

#[test]
fn local_memory_of_a_callee_is_aligned_as_it_asks() {
    let text = format!(
        "{HEAD}.func f()\n{{\n.local .align 64 .b8 d[4];\nst.local.u32 [d], 1;\nret;\n}}\n\
         .entry k()\n{{\n.local .align 4 .b8 e[4];\nst.local.u32 [e], 2;\ncall f;\nret;\n}}\n"
    );
    let kernel = lower_text(&text).unwrap();
    let offsets: Vec<i64> = kernel
        .code
        .iter()
        .filter_map(|i| if let Op::Store { offset, .. } = i.op { Some(offset) } else { None })
        .collect();
    assert_eq!(offsets, [0, 64]);
}

#[test]
fn registers_of_a_call_are_free_again_after_it() {
    let text = format!(
        "{HEAD}.func f()\n{{\n.reg .b32 %r<100>;\nmov.u32 %r99, 1;\nret;\n}}\n\
         .entry k()\n{{\n.reg .b32 %r<10>;\ncall f;\ncall f;\ncall f;\nret;\n}}\n"
    );
    assert_eq!(lower_text(&text).unwrap().registers, 110);
}

#[test]
fn what_no_device_has_is_refused_before_it_is_allocated() {
    for body in [
        ".shared .b8 x[300000];\nst.shared.u8 [x], 1;",
        ".local .b8 x[4294967296];\nst.local.u8 [x], 1;",
        ".shared .b8 x[0xFFFFFFFFFFFFFFFF];",
        ".reg .b32 %q<1000000>;",
        "st.global.pred [%r1], %r2;",
        "slct.b32.pred %r1, %r2, %r3, %r4;",
        "setp.eq.pred %r1, %r2, %r3;",
        "setp.equ.s32 %r1, %r2, %r3;",
        "mul.wide.u64 %r1, %r2, %r3;",
        "fma.rn.f32 %r1, %r2, %r3, %r4, %r5;",
        "isspacep.const %r1, %r2;",
    ] {
        let told = error(body);
        assert!(told.contains("line"), "{body}: {told}");
    }
    let doubling: String = (0..40)
        .map(|i| format!(".func f{i}()\n{{\ncall f{};\ncall f{};\nret;\n}}\n", i + 1, i + 1))
        .collect();
    let text = format!("{HEAD}.func f40()\n{{\n}}\n{doubling}.entry k()\n{{\ncall f0;\n}}\n");
    assert!(lower_text(&text).unwrap_err().to_string().contains("65536 expanded calls"));
    let parameters = format!("{HEAD}.entry k(.param .b8 p[40000])\n{{\nret;\n}}\n");
    assert!(lower_text(&parameters).unwrap_err().to_string().contains("parameters"));
    let threads = format!("{HEAD}.entry k()\n.maxntid 0xFFFFFFFFFFFFFFFF, 2\n{{\nret;\n}}\n");
    assert_eq!(lower_text(&threads).unwrap().max_threads, Some(u32::MAX));
}

#[test]
fn a_register_plus_a_number_is_an_addition() {
    let kernel = kernel(".reg .b32 %r<3>;\nmov.u32 %r1, %r2+4;\nret;");
    assert!(matches!(kernel.code[0].op, Op::Binary { b: Value::Constant(4), .. }));
}

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
];

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
             .entry k()\n{{\n.reg .b32 %r<9>;\n.reg .b64 %rd<3>;\n.reg .pred %p<3>;\n\
             .shared .align 8 .b8 s[16];\n{body}}}\n"
        );
        let document = Document::parse(text);
        let index = ModuleIndex::of(&document);
        let Ok(function) = crate::function(&index, "k") else { return Ok(()) };
        let length = function.code.len() as u32;
        for instruction in &function.code {
            if let Op::Branch { target, meet } = &instruction.op {
                proptest::prop_assert!(*target < length && meet.is_none_or(|meet| meet < length));
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
        let _ = crate::kernel(&index, &symbols, "k");
    }
}
