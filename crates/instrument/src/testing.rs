//! What the tests of this crate share: a module around a kernel's body, and that kernel with its checks.

use crate::{DevicePlan, Instrumented, MetadataPlan, Refusal, Wanted, instrument};
use warpsan_ir::ModuleIndex;
use warpsan_ptx::Document;

/// A module with two variables, a constant, a function, and a kernel `k` of this body. `%rd1` leads to global memory.
pub(crate) fn module(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n\
         .visible .global .align 4 .u32 first;\n.visible .global .align 4 .b8 second[64];\n\
         .visible .const .align 4 .u32 fixed = 7;\n\
         .func helper(.param .b64 helper_0)\n{{\n.reg .b64 %rd<3>;\n\
         ld.param.u64 %rd1, [helper_0];\nst.global.u32 [%rd1], 1;\nret;\n}}\n\
         .visible .entry k(.param .u64 k_0)\n{{\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n\
         .reg .pred %p<10>;\n.shared .align 16 .b8 tile[64];\n\
         ld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    )
}

/// The kernel `k` of a module's text with iGUARD's checks.
pub(crate) fn instrumented(text: &str) -> Result<Instrumented, Refusal> {
    instrumented_with(text, DevicePlan::Metadata(MetadataPlan::USUAL))
}

/// The kernel `k` of a module's text with somebody's checks.
pub(crate) fn instrumented_with(text: &str, plan: DevicePlan) -> Result<Instrumented, Refusal> {
    let document = Document::parse(text.to_owned());
    assert_eq!(document.errors(), [], "{text}");
    let wanted =
        Wanted { kernel: "k", block: [64, 2, 1], blocks_at_once: None, target: "sm_90", plan };
    instrument(&document, &ModuleIndex::of(&document), &wanted)
}

/// A kernel of this body with its checks, which must be possible.
pub(crate) fn kernel(body: &str) -> Instrumented {
    instrumented(&module(body)).unwrap_or_else(|refused| panic!("{body}: {refused}"))
}

/// Why a kernel of this body has no checks.
pub(crate) fn refusal(body: &str) -> Refusal {
    instrumented(&module(body)).expect_err("it has something that cannot be checked")
}

/// The lines of a text that have one of these words, without blanks around them.
pub(crate) fn lines_with<'t>(text: &'t str, words: &[&str]) -> Vec<&'t str> {
    let has = |line: &&str| words.iter().any(|word| line.contains(word));
    text.lines().map(str::trim).filter(has).collect()
}
