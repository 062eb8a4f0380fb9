//! Reading and lowering a text takes memory in proportion to it, also for texts that are made to be
//! expensive. The bound is 50 times the text.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use warpsan_ir::{CallGraph, ModuleIndex, function};
use warpsan_ptx::Document;

struct Meter;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system's allocator unchanged; only numbers are counted besides.
unsafe impl GlobalAlloc for Meter {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller's promise about the layout is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise about pointer and layout is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static METER: Meter = Meter;

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
        let before = NOW.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let document = Document::parse(text);
        let index = ModuleIndex::of(&document);
        let graph = CallGraph::of(&index);
        let lowered = function(&index, "k");
        let taken = PEAK.load(Ordering::Relaxed) - before + length;
        drop((graph, lowered));
        assert!(taken <= 50 * length, "{piece}: {} times the text", taken / length);
    }
}
