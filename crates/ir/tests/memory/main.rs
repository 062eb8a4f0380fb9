//! Reading and lowering a text takes memory in proportion to it, also for texts that are made to be
//! expensive. The bound is 50 times the text.

mod meter;

use warpsan_ir::{CallGraph, ModuleIndex, function};
use warpsan_ptx::Document;

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n.global .u32 g;\n.entry k()\n{\n\
                    .reg .b32 r;\n.reg .pred p;\n";

/// Short pieces that become much; `%` is replaced by a number.
const PIECES: &[&str] = &[
    "ret;",
    "@p ret;",
    "exit;",
    "a%:",
    "or;",
    "x;",
    "x.y;",
    "1;",
    "or.b32 r,r,r;",
    "{}",
    ";",
    ".reg .b32 r%;",
    "a%:@p bra a%;",
    "ld.u32 r,[g];",
    ".loc 1 1 1\nmembar.gl;",
    ".loc 1 % 1,function_name a,inlined_at 1 2 3\nmembar.gl;",
    "mov.b64 {r,r,r,r,r,r},r;",
    ".shared .b8 s%;",
    "ld.global.u32 r,[g];selp.b32 r,r,r,p;",
    "call k;",
    "a%:.branchtargets a%;",
    "t%:.callprototype _ ();",
    ".pragma \"a\";",
    "tex.1d.v4.f32.f32 {r,r,r,r},[r,{r}];",
];

/// One test, because the meter counts for the whole process.
#[test]
fn memory_is_in_proportion_to_the_text() {
    drop(Document::parse(format!("{HEAD}ret;\n}}\n")));
    for piece in PIECES {
        let mut text = HEAD.to_string();
        let mut number = 0;
        while text.len() < 400_000 {
            text.push_str(&piece.replace('%', &number.to_string()));
            number += 1;
        }
        text.push_str("\n}\n");
        let length = text.len();
        let ((), taken) = meter::measure(|| {
            let document = Document::parse(text);
            let index = ModuleIndex::of(&document);
            let graph = CallGraph::of(&index);
            let lowered = function(&index, "k");
            drop((graph, lowered));
        });
        // The text itself was there before.
        let taken = taken + length;
        assert!(taken <= 50 * length, "{piece}: {} times the text", taken / length);
    }
}
