//! Registers of functions that lanes are in at the same time.

use crate::support::{everywhere, module};
use warpsan_ir::{ModuleIndex, SymbolTable};
use warpsan_simt::Prepared;

/// A function that adds `step` to its argument in each of 200 rounds, with registers of `bits`.
fn counting_function(name: &str, bits: u32, step: u32) -> String {
    let extend = if bits == 64 { "cvt.u64.u32" } else { "mov.b32" };
    let shorten = if bits == 64 { "cvt.u32.u64" } else { "mov.b32" };
    format!(
        ".func (.param .b32 result) {name}(.param .b32 argument)\n{{\n\
         .reg .b{bits} %sum, %round;\n.reg .b32 %word;\n.reg .pred %p;\n\
         ld.param.b32 %word, [argument];\n{extend} %sum, %word;\nmov.b{bits} %round, 0;\n\
         $next:\nadd.u{bits} %sum, %sum, {step};\nadd.u{bits} %round, %round, 1;\n\
         setp.lt.u{bits} %p, %round, 200;\n@%p bra $next;\n{shorten} %word, %sum;\n\
         st.param.b32 [result], %word;\nret;\n}}\n"
    )
}

#[test]
fn lanes_in_different_functions_keep_their_registers_apart() {
    // Where a lane is in a row depends on the width of the register, so the frames must not overlap.
    let functions = counting_function("narrow", 32, 1) + &counting_function("wide", 64, 3);
    let body = "mov.u32 %r20, %tid.x;\nand.b32 %r21, %r20, 1;\nsetp.eq.u32 %p10, %r21, 0;\n\
        mov.u64 %rd20, narrow;\nmov.u64 %rd21, wide;\nselp.b64 %rd20, %rd20, %rd21, %p10;\n\
        proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n\
        {\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r20;\ncall (y), %rd20, (x), proto;\n\
        ld.param.b32 %r22, [y];\n}\n\
        ld.param.u64 %rd22, [p];\nmad.wide.u32 %rd22, %r20, 4, %rd22;\nst.global.b32 [%rd22], %r22;\nret;";
    everywhere(&module(&functions, body), (1, 32), 32, |memory| {
        for (thread, value) in memory.iter().enumerate() {
            let expected = thread + if thread % 2 == 0 { 200 } else { 600 };
            assert_eq!(*value as usize, expected, "thread {thread}");
        }
    });
}

#[test]
fn what_is_out_of_bounds_is_not_guessed() {
    let text = module("", "fma.rn.oob.f16 %rs0, %rs1, %rs2, %rs3;\nret;");
    let document = warpsan_ptx::Document::parse(text);
    let kernel = warpsan_ir::kernel(&ModuleIndex::of(&document), &SymbolTable::new(), "k").unwrap();
    let error = Prepared::new(kernel).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("fma.rn.oob.f16"), "{error}");
}
