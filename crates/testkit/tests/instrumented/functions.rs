//! Functions of a program: what they do to a thread's counters is known to whoever called them.

use warpsan_instrument::{DevicePlan, Instrumented, MetadataPlan};
use warpsan_model::{Dim3, Geometry};
use warpsan_ptx::Document;
use warpsan_testkit::instrumented::{EmulatedDevice, EmulatedLaunch, Parsed};

use crate::{compilers, root};

const SEEDS: std::ops::Range<u64> = 0..6;
/// No race.
const NONE: [u32; 0] = [];

/// A module: a kernel `k` of one block of 64 threads, which gets an array of 256 words, and functions. In both `%rd1`
/// is the array and `%r1` the thread's number.
fn module(functions: &str, body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n{functions}\n.visible .entry k(.param .u64 k_0)\n{{\n\
         .reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .pred %p<10>;\n\
         ld.param.u64 %rd1, [k_0];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    )
}

/// A function that gets the array and a number, which is in `%r2`.
fn function(name: &str, body: &str) -> String {
    format!(
        ".func {name}(.param .b64 {name}_0, .param .b32 {name}_1)\n{{\n\
         .reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .pred %p<10>;\n\
         ld.param.u64 %rd1, [{name}_0];\nld.param.u32 %r2, [{name}_1];\nmov.u32 %r1, %tid.x;\n{body}\nret;\n}}\n"
    )
}

/// A call of such a function, perhaps with a guard.
fn call(guard: &str, name: &str, number: &str) -> String {
    format!(
        "{{ .param .b64 p0; .param .b32 p1; st.param.b64 [p0], %rd1; st.param.b32 [p1], {number};\n\
         {guard} call {name}, (p0, p1); }}\n"
    )
}

/// Stores to the thread's own word.
const STORE: &str =
    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], 5;\n";
/// Loads the word of a thread of the other warp.
const LOAD: &str = "xor.b32 %r3, %r1, 63;\nmul.wide.u32 %rd4, %r3, 4;\nadd.s64 %rd5, %rd1, %rd4;\n\
                    ld.volatile.global.u32 %r4, [%rd5];\nst.global.u32 [%rd3+512], %r4;\n";

/// Instruments the kernel; the assembler has to take it.
fn instrumented(text: &str) -> Instrumented {
    let document = Document::parse(text.to_owned());
    assert_eq!(document.errors(), [], "{text}");
    let parsed = Parsed::of(&document);
    let kernel = *parsed.kernels().first().expect("a kernel");
    let made = parsed
        .instrument(kernel, "sm_90", DevicePlan::Metadata(MetadataPlan::USUAL))
        .expect("it can be checked");
    let assembled = compilers(&root()).time_for(&made.text, "sm_90", false);
    assert!(assembled.is_ok(), "{assembled:?}\n{}", made.text);
    made
}

/// The rules of the races that the kernel's checks find.
fn rules(text: &str) -> Vec<u32> {
    let made = instrumented(text);
    let mut rules = Vec::new();
    for seed in SEEDS {
        let mut device = EmulatedDevice::new().expect("a device");
        let array = device.allocate(1024).expect("memory");
        let launch = EmulatedLaunch {
            kernel: "k",
            geometry: Geometry { grid: Dim3::new(1, 1, 1), block: Dim3::new(64, 1, 1) },
            parameters: array.0.to_le_bytes().to_vec(),
            cooperative: false,
            cluster: None,
            dynamic_shared_bytes: 0,
            options: 0,
            seed,
        };
        let reports =
            device.launch(&made, &launch).unwrap_or_else(|error| panic!("{error:#}\n{text}"));
        rules.extend(reports.iter().map(|report| report.rule_number()));
    }
    rules.sort_unstable();
    rules.dedup();
    rules
}

#[test]
fn a_barrier_in_a_function_orders_what_its_caller_does() {
    let with = |barrier: &str| {
        let functions = function("step", &format!("{STORE}{barrier}"));
        let body = format!("mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n{LOAD}");
        rules(&module(&functions, &format!("{}{body}", call("", "step", "0"))))
    };
    assert_eq!(with("bar.sync 0;"), NONE);
    assert_eq!(with(""), [3], "two warps of a block");
}

#[test]
fn a_barrier_of_the_caller_orders_what_functions_do() {
    let with = |barrier: &str| {
        let functions = function("first", STORE)
            + &function(
                "second",
                &format!("mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n{LOAD}"),
            );
        let body = format!("{}{barrier}\n{}", call("", "first", "0"), call("", "second", "0"));
        rules(&module(&functions, &body))
    };
    assert_eq!(with("bar.sync 0;"), NONE);
    assert_eq!(with(""), [3]);
}

#[test]
fn a_function_that_calls_itself_keeps_the_thread_s_state() {
    let with = |barrier: &str| {
        // The innermost call stores and waits; on the way back each call loads.
        let again = call("@%p1", "down", "%r5");
        let body = format!(
            "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nsetp.ne.u32 %p1, %r2, 0;\n\
             sub.u32 %r5, %r2, 1;\n{again}\n@%p1 bra LOADS;\n{STORE}{barrier}\nbra DONE;\nLOADS:\n{LOAD}\nDONE:\n"
        );
        rules(&module(&function("down", &body), &call("", "down", "3")))
    };
    assert_eq!(with("bar.sync 0;"), NONE);
    assert_eq!(with(""), [3]);
}

#[test]
fn only_lanes_that_call_a_function_do_what_it_does() {
    // One lane of each warp calls: the same word by both is a race, their own words are not.
    let to = |word: &str| {
        let body = format!(
            "mul.wide.u32 %rd2, {word}, 4;\nadd.s64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r2;\n"
        );
        let guarded = call("@%p2", "one", "%r1");
        let kernel = format!("and.b32 %r6, %r1, 31;\nsetp.eq.u32 %p2, %r6, 4;\n{guarded}");
        rules(&module(&function("one", &body), &kernel))
    };
    assert_eq!(to("%r1"), NONE);
    assert_eq!(to("7"), [3]);
}

#[test]
fn a_fence_in_a_function_is_one_of_its_caller() {
    // A thread stores, perhaps fences, and counts up; one of the other warp waits for that and loads.
    let with = |fence: &str| {
        let functions = function("publish", fence);
        let publish = call("", "publish", "0");
        let body = format!(
            "setp.eq.u32 %p1, %r1, 0;\nsetp.eq.u32 %p2, %r1, 40;\n@!%p1 bra OTHER;\nst.global.u32 [%rd1], 9;\n\
             {publish}red.relaxed.gpu.global.add.u32 [%rd1+128], 1;\nOTHER:\n@!%p2 bra DONE;\nWAIT:\n\
             atom.relaxed.gpu.global.add.u32 %r7, [%rd1+128], 0;\nsetp.eq.u32 %p3, %r7, 0;\n@%p3 bra WAIT;\n\
             ld.volatile.global.u32 %r8, [%rd1];\nst.global.u32 [%rd1+256], %r8;\nDONE:\n"
        );
        rules(&module(&functions, &body))
    };
    assert_eq!(with("fence.acq_rel.gpu;"), NONE);
    assert_eq!(with("fence.acq_rel.cta;"), NONE, "enough in one block");
    assert_eq!(with("mov.u32 %r3, 0;"), [3]);
}

#[test]
fn a_warp_barrier_in_a_function_orders_lanes() {
    let with = |barrier: &str| {
        let functions = function("meet", barrier);
        let meet = call("", "meet", "0");
        // Lanes of a warp write words of each other; the first 32 threads only.
        let body = format!(
            "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\nsetp.lt.u32 %p1, %r1, 16;\n@!%p1 bra HIGH;\n\
             st.global.u32 [%rd3], 1;\nHIGH:\n{meet}@%p1 bra DONE;\nxor.b32 %r3, %r1, 16;\nmul.wide.u32 %rd4, %r3, 4;\n\
             add.s64 %rd5, %rd1, %rd4;\nst.global.u32 [%rd5], 2;\nDONE:\n"
        );
        rules(&module(&functions, &body))
    };
    assert_eq!(with("bar.warp.sync 0xffffffff;"), NONE);
    assert_eq!(with("mov.u32 %r3, 0;"), [2]);
}
