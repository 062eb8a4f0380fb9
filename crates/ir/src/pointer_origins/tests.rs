use super::*;
use crate::{ModuleIndex, SymbolTable, kernel, module_variables};
use warpsan_ptx::Document;

/// Pointers at 0, 8 and 48, integers of 32 bits at 16 and 20, one of 64 bits at 24, a structure with pointers at 32 and 40.
const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n.global .b32 variable[4];\n\
    .entry k(.param .b64 p, .param .b64 q, .param .b32 n, .param .b32 m, .param .b64 wide, .param .b8 s[16], .param .b64 r)\n{\n\
    .reg .b32 %r<20>;\n.reg .b64 %rd<30>;\n.reg .pred %p<4>;\n.shared .b32 shared[64];\n.local .b8 mine[16];\n\
    ld.param.u64 %rd1, [p];\nld.param.u64 %rd2, [q];\nld.param.u32 %r1, [n];\nld.param.u64 %rd3, [wide];\n\
    cvta.to.global.u64 %rd4, %rd1;\ncvta.to.global.u64 %rd5, %rd2;\nmov.u32 %r2, %tid.x;\n\
    setp.lt.s32 %p1, %r2, %r1;\n";

/// The origins of the accesses of global memory in the code, in its order.
fn origins(code: &str) -> Vec<Option<u32>> {
    let document = Document::parse(format!("{HEAD}{code}\nret;\n}}\n"));
    assert_eq!(document.errors(), [], "{code}");
    let index = ModuleIndex::of(&document);
    let mut symbols = SymbolTable::new();
    for variable in module_variables(&index).unwrap() {
        symbols.insert(variable.name, 0x3000_0000_1000);
    }
    let kernel = kernel(&index, &symbols, "k").unwrap();
    let origins = pointer_origins(&kernel);
    let is_global = |op: &Op| {
        let is_global = |place: AddressOperand| {
            matches!(place.space, MemorySpace::Global | MemorySpace::Generic)
        };
        places(op).into_iter().flatten().any(is_global)
    };
    let accesses = kernel.code.iter().filter(|one| is_global(&one.op));
    accesses.map(|one| origins[one.site.0 as usize]).collect()
}

#[test]
fn integers_may_be_added_to_a_pointer() {
    assert_eq!(
        origins(
            "mul.wide.s32 %rd6, %r2, 4;\nadd.s64 %rd7, %rd4, %rd6;\nld.global.u32 %r3, [%rd7+4];\n\
             mad.wide.u32 %rd8, %r3, 8, %rd5;\nst.global.u64 [%rd8], %rd6;\n\
             cvt.s64.s32 %rd9, %r1;\nshl.b64 %rd10, %rd9, 2;\nsub.s64 %rd11, %rd7, %rd10;\n\
             atom.global.add.u32 %r4, [%rd11], 1;\nred.global.add.f32 [%rd8], 0f3F800000;\n\
             ld.v2.u32 {%r5, %r6}, [%rd1];\n\
             ld.param.u64 %rd12, [s+8];\nld.u32 %r7, [%rd12];"
        ),
        [Some(0), Some(8), Some(0), Some(8), Some(0), Some(40)]
    );
}

#[test]
fn a_pointer_that_advances_in_a_loop_keeps_its_origin() {
    assert_eq!(
        origins(
            "mov.u64 %rd6, %rd4;\nLOOP:\nld.global.u32 %r3, [%rd6];\nadd.s64 %rd6, %rd6, 4;\n\
             add.s32 %r4, %r4, 1;\nsetp.lt.s32 %p2, %r4, %r1;\n@%p2 bra LOOP;\n\
             selp.b64 %rd7, %rd6, %rd4, %p1;\nst.global.u32 [%rd7], %r3;"
        ),
        [Some(0), Some(0)]
    );
}

#[test]
fn one_of_two_pointers_is_no_origin() {
    assert_eq!(
        origins(
            "selp.b64 %rd6, %rd4, %rd5, %p1;\nld.global.u32 %r3, [%rd6];\n\
             mov.u64 %rd7, %rd4;\n@%p1 mov.u64 %rd7, %rd5;\nld.global.u32 %r4, [%rd7];\n\
             mov.u64 %rd8, %rd4;\nLOOP:\nld.global.u32 %r5, [%rd8];\nmov.u64 %rd9, %rd8;\nmov.u64 %rd8, %rd10;\n\
             mov.u64 %rd10, %rd5;\n@%p1 bra LOOP;"
        ),
        [None, None, None]
    );
}

#[test]
fn what_may_hold_a_pointer_or_a_difference_of_pointers_is_no_offset() {
    for offset in [
        "sub.s64 %rd6, %rd5, %rd4;",
        "sub.s64 %rd7, %rd5, %rd4;\nshr.s64 %rd8, %rd7, 2;\ncvt.u32.u64 %r3, %rd8;\nmul.wide.s32 %rd6, %r3, 4;",
        "mov.u64 %rd6, %rd3;",
        "shl.b64 %rd6, %rd3, 2;",
        "ld.shared.u64 %rd6, [shared];",
        "ld.local.u64 %rd6, [mine];",
        "ld.shared.v2.u32 {%r3, %r4}, [shared];\nmov.b64 %rd6, {%r3, %r4};",
        "mov.u64 %rd6, variable;",
        "and.b64 %rd6, %rd5, 15;",
    ] {
        let code = format!("{offset}\nadd.s64 %rd9, %rd4, %rd6;\nst.global.u32 [%rd9], %r1;");
        assert_eq!(origins(&code), [None], "{offset}");
    }
    assert_eq!(origins("and.b64 %rd6, %rd4, -16;\nst.global.u32 [%rd6], %r1;"), [None]);
    assert_eq!(origins("ld.u64 %rd6, [%rd4];\nst.global.u32 [%rd6], %r1;"), [Some(0), None]);
    assert_eq!(
        origins("ld.param.u64 %rd6, [s+0];\nadd.s64 %rd7, %rd6, %rd4;\nld.u8 %r3, [%rd7];"),
        [None]
    );
}

#[test]
fn copies_have_the_origin_of_their_global_side() {
    assert_eq!(
        origins(
            "mad.wide.u32 %rd6, %r2, 16, %rd5;\nmov.u32 %r3, shared;\n\
             cp.async.ca.shared.global [%r3], [%rd6], 16;\n\
             cp.async.bulk.global.shared::cta.bulk_group [%rd4], [%r3], 64;"
        ),
        [Some(8), Some(0)]
    );
}

#[test]
fn code_that_does_not_settle_soon_has_no_origins() {
    // Each pass moves the pointer on by one register.
    let moves: String =
        (0..80).rev().map(|one| format!("mov.u64 %x{}, %x{one};\n", one + 1)).collect();
    let code = format!(
        ".reg .b64 %x<90>;\nst.global.u32 [%x80], %r1;\nst.global.u32 [%rd4], %r1;\n{moves}mov.u64 %x0, %rd4;"
    );
    assert_eq!(origins(&code), [None, None]);
}
