//! Lowering of whole kernels: control flow, lines, and errors with their place.

mod arithmetic;
mod asynchronous;
mod matrices;
mod memory;
mod mixtures;
mod movement;
mod synchronisation;

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

/// What an instruction becomes, over the names that the table's examples have.
fn ops(instruction: &str) -> Vec<Op> {
    let text = warpsan_ptx::table::scaffold("9.0", "sm_90", instruction);
    let document = Document::parse(text);
    assert_eq!(document.errors(), [], "{instruction}");
    let function = crate::function(&ModuleIndex::of(&document), "k").unwrap();
    let mut ops: Vec<Op> = function.code.into_iter().map(|one| one.op).collect();
    assert_eq!(ops.pop(), Some(Op::Exit), "{instruction}");
    ops
}

/// The one operation that an instruction becomes.
fn op(instruction: &str) -> Op {
    let mut ops = ops(instruction);
    assert_eq!(ops.len(), 1, "{instruction}: {ops:?}");
    ops.remove(0)
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
    let messages: Vec<_> =
        frames.iter().map(|f| format!("{} {}", f.function, f.position.as_ref().unwrap())).collect();
    assert_eq!(messages, ["twice x.cu:2:5", "k x.cu:9:3"]);
    assert!(!kernel.code.iter().any(|i| matches!(i.op, Op::Branch { .. })), "no way around it");
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
    let messages: Vec<_> = kernel.sites[0]
        .frames
        .iter()
        .map(|f| format!("{} {}", f.function, f.position.as_ref().unwrap()))
        .collect();
    assert_eq!(messages, ["g y.h:1:1", "f x.cu:5:7", "k x.cu:9:3"]);
}

#[test]
fn a_line_of_the_toolkit_belongs_to_the_own_line_before_it() {
    let text = format!(
        "{HEAD}.entry k()\n{{\n.loc 1 9 3\n.loc 2 5 7\n.loc 2 6 1\nmembar.gl;\nret;\n}}\n.file 1 \"x.cu\"\n\
         .file 2 \"/usr/include/cooperative_groups/details/async.h\"\n"
    );
    let kernel = lower_text(&text).unwrap();
    let frames = kernel.sites[0].frames.iter();
    let lines: Vec<u32> = frames.map(|frame| frame.position.as_ref().unwrap().line).collect();
    assert_eq!(lines, [6, 9]);
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
        error("wgmma.fence.sync.aligned;"),
        "the instruction wgmma.fence.sync.aligned is not supported yet (PTX line 7)"
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

/// Opcodes whose example in the table has no meaning here yet. The list only gets shorter.
const OPAQUE_ROWS: &str = "\
    multimem.ld_reduce multimem.st multimem.red tensormap.replace multimem.cp.async.bulk \
    multimem.cp.reduce.async.bulk cp.async.bulk.tensor cp.reduce.async.bulk.tensor tex tld4 txq \
    istypep suld.b sust.b sust.p sured.b sured.p suq tensormap.cp_fenceproxy \
    clusterlaunchcontrol.try_cancel clusterlaunchcontrol.query_cancel wgmma.mma_async \
    wgmma.mma_async.sp wgmma.fence wgmma.commit_group wgmma.wait_group tcgen05.alloc \
    tcgen05.dealloc tcgen05.relinquish_alloc_permit tcgen05.ld tcgen05.ld.red tcgen05.st \
    tcgen05.wait::ld tcgen05.wait::st tcgen05.cp tcgen05.shift tcgen05.mma tcgen05.mma.sp \
    tcgen05.mma.ws tcgen05.mma.ws.sp tcgen05.fence::before_thread_sync \
    tcgen05.fence::after_thread_sync tcgen05.commit stacksave stackrestore alloca";

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

/// Of the further examples, those for newer devices and of the rows above have no meaning, and no
/// others.
#[test]
fn the_further_examples_have_a_meaning() {
    let opaque_rows: Vec<&str> = OPAQUE_ROWS.split(' ').collect();
    let mut opaque = Vec::new();
    for (row, target, example) in warpsan_ptx::table::examples() {
        let number: u32 =
            target.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap();
        if opaque_rows.contains(&row.name) || number > 90 {
            continue;
        }
        let text = warpsan_ptx::table::scaffold("9.0", target, example);
        let document = Document::parse(text.clone());
        let index = ModuleIndex::of(&document);
        let lowered =
            crate::function(&index, "k").unwrap_or_else(|error| panic!("{example}: {error}"));
        if lowered.code.iter().any(|one| matches!(one.op, Op::Opaque(_))) {
            opaque.push(example);
        }
    }
    assert_eq!(opaque, Vec::<&str>::new());
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
        let messages = error(body);
        assert!(messages.contains("line"), "{body}: {messages}");
    }
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
