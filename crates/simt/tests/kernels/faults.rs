//! What kernels do wrong, in words; and that the engine survives it.

use crate::support::{Machine, Setup, kernel, module, prepare};
use warpsan_simt::{AllocationKind, Fault, FaultKind, LaunchError};

/// Runs a kernel that misbehaves on 32 words, and then another one on the same memory.
#[track_caller]
fn misbehave(text: &str, setup: &Setup) -> LaunchError {
    let machine = Machine::new(text, 32);
    let error = machine.launch(setup).result.unwrap_err();
    let good = prepare(&kernel("add.s32 %r2, %r7, 5;\nst.global.u32 [%rd2], %r2;\nret;"));
    let memory = machine.launch_kernel(&good, &Setup::new(1, 32)).well();
    assert!(memory.iter().enumerate().all(|(lane, value)| *value == lane as u32 + 5));
    error
}

#[track_caller]
fn fault(body: &str, blocks: u32, threads: u32) -> Fault {
    match misbehave(&kernel(body), &Setup::new(blocks, threads)) {
        LaunchError::Fault(fault) => fault,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn assert_says(fault: &Fault, parts: &[&str]) {
    for part in parts {
        assert!(fault.what.contains(part), "`{}` does not say `{part}`", fault.what);
    }
}

#[test]
fn an_address_behind_an_allocation() {
    // Only thread 40 of block 1 goes astray: 60 bytes behind the end.
    let body = "setp.ne.u32 %p1, %r1, 104;\n@%p1 ret;\nst.global.u32 [%rd1+188], %r1;\nret;";
    let found = fault(body, 2, 64);
    assert_says(
        &found,
        &[
            "an illegal address: it writes 4 bytes at 0x3000000000bc",
            "60 bytes behind the end of the allocation of 128 bytes at",
        ],
    );
    assert_eq!((found.block.0, found.thread), (1, 40));
    let found = fault("ld.global.u32 %r2, [%rd1+128];\nret;", 1, 32);
    assert_says(&found, &["it reads 4 bytes", "0 bytes behind the end"]);
    let found = fault("atom.global.add.u32 %r2, [%rd1+256], 1;\nret;", 1, 32);
    assert_says(&found, &["it updates 4 bytes", "128 bytes behind the end"]);
    let found = fault("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+128];\nret;", 1, 32);
    assert_says(&found, &["it reads 16 bytes"]);
}

#[test]
fn an_access_that_is_only_partly_inside() {
    let machine = Machine::new(&kernel("ld.global.u64 %rd5, [%rd4];\nret;"), 1);
    let small = machine.memory.allocate(20, AllocationKind::Device).unwrap();
    let done = machine.launch(&Setup { argument: small.0 + 16, ..Setup::new(1, 1) });
    assert_says(
        &done.fault(),
        &["it reads 8 bytes", "in the last 4 bytes of the allocation of 20 bytes"],
    );
}

#[test]
fn memory_that_was_freed() {
    let machine = Machine::new(&kernel("ld.global.u32 %r2, [%rd4+8];\nret;"), 1);
    let gone = machine.memory.allocate(100, AllocationKind::Device).unwrap();
    let setup = Setup { argument: gone.0, ..Setup::new(1, 1) };
    machine.launch(&setup).well();
    machine.memory.free(gone).unwrap();
    let text = format!("it was freed: byte 8 of the allocation of 100 bytes at {gone}");
    assert_says(&machine.launch(&setup).fault(), &[&text]);
    // What is allocated now lies elsewhere, so that the pointer stays a bad one.
    let other = machine.memory.allocate(100, AllocationKind::Device).unwrap();
    assert_ne!(other, gone);
    machine.memory.set_label(other, "allocation 2 of 100 bytes");
    assert_says(&machine.launch(&setup).fault(), &[&text]);
    machine.memory.free(other).unwrap();
    let setup = Setup { argument: other.0, ..setup };
    assert_says(&machine.launch(&setup).fault(), &["byte 8 of `allocation 2 of 100 bytes`"]);
}

#[test]
fn no_address_at_all() {
    let found = fault("mov.u64 %rd5, 0;\nst.global.u32 [%rd5], %r1;\nret;", 1, 32);
    assert_says(
        &found,
        &["an illegal address: it writes 4 bytes at 0x0", "no address of device memory"],
    );
    let found = fault("mov.u64 %rd5, -8;\nld.u64 %rd6, [%rd5];\nret;", 1, 32);
    assert_says(&found, &["it reads 8 bytes at 0xfffffffffffffff8"]);
    let found = fault("mov.u64 %rd5, -8;\nst.global.v2.u32 [%rd5], {%r1, %r1};\nret;", 1, 32);
    assert_says(&found, &["it writes 8 bytes"]);
}

#[test]
fn addresses_that_are_not_aligned() {
    let found = fault("add.s64 %rd5, %rd1, 4;\nld.global.u64 %rd6, [%rd5];\nret;", 1, 32);
    assert_says(
        &found,
        &["a misaligned address: it reads 8 bytes at", "which is not a multiple of 8"],
    );
    let found = fault("ld.shared.u32 %r2, [s+2];\nret;", 1, 32);
    assert_says(&found, &["a misaligned address", "not a multiple of 4"]);
    let found = fault("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+8];\nret;", 1, 32);
    assert_says(&found, &["not a multiple of 16"]);
    let found = fault("red.shared.add.u32 [s+1], 1;\nret;", 1, 32);
    assert_says(&found, &["a misaligned address: it updates"]);
}

#[test]
fn places_outside_of_shared_memory() {
    let found = fault("mov.u32 %r2, s;\nst.shared.u32 [%r2+1024], %r1;\nret;", 1, 32);
    assert_says(
        &found,
        &["it writes 4 bytes at 0x400", "the block has 1024 bytes of shared memory"],
    );
    let found = fault("mov.u32 %r2, s;\nld.shared.u32 %r3, [%r2+-4];\nret;", 1, 32);
    assert_says(&found, &["an illegal address: it reads 4 bytes"]);
    let found = fault(
        "mov.u64 %rd5, s;\ncvta.shared.u64 %rd5, %rd5;\nld.u32 %r3, [%rd5+1024];\nret;",
        1,
        32,
    );
    assert_says(&found, &["the block has 1024 bytes of shared memory"]);
}

#[test]
fn places_outside_of_local_memory_and_parameters() {
    let body = ".local .align 8 .b8 l[64];\nmov.u64 %rd5, l;\nst.local.u32 [%rd5+64], %r1;\nret;";
    assert_says(&fault(body, 1, 32), &["the thread has 64 bytes of local memory"]);
    let body = ".local .align 8 .b8 l[64];\nmov.u64 %rd5, -8;\nld.local.u64 %rd6, [%rd5];\nret;";
    assert_says(&fault(body, 1, 32), &["the thread has 64 bytes of local memory"]);
    let body = "mov.u64 %rd5, p;\ncvta.param.u64 %rd5, %rd5;\nld.u64 %rd6, [%rd5+16];\nret;";
    assert_says(&fault(body, 1, 32), &["the kernel has 16 bytes of parameters"]);
    let body = "mov.u64 %rd5, -8;\nld.param.u64 %rd6, [%rd5];\nret;";
    assert_says(&fault(body, 1, 32), &["the kernel has 16 bytes of parameters"]);
}

#[test]
fn traps_and_assertions() {
    let found = fault("setp.eq.u32 %p1, %r7, 9;\n@%p1 trap;\nret;", 1, 32);
    assert_eq!((found.what.as_str(), found.thread), ("it executed `trap`", 9));
    let declared = ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);";
    let body = "setp.ne.u32 %p1, %r7, 40;\n@%p1 ret;\nadd.s64 %rd5, %rd1, 16;\nmov.u32 %r2, 77;\nmov.u64 %rd6, 1;\n{\n\
        .param .b64 m;\n.param .b64 f;\n.param .b32 l;\n.param .b64 n;\n.param .b64 c;\n\
        st.param.b64 [m], %rd1;\nst.param.b64 [f], %rd5;\nst.param.b32 [l], %r2;\n\
        st.param.b64 [n], %rd5;\nst.param.b64 [c], %rd6;\ncall.uni __assertfail, (m, f, l, n, c);\n}\nret;";
    let machine = Machine::new(&module(declared, body), 8);
    machine.memory.write(machine.data, b"x > 0\0          here\0").unwrap();
    let found = machine.launch(&Setup::new(1, 64)).fault();
    assert_eq!(found.what, "the assertion `x > 0` failed (here:77, here)");
    assert_eq!(found.thread, 40);
}

#[test]
fn indexed_branches_and_calls_that_lead_nowhere() {
    let body = "$t: .branchtargets $a, $b;\nbrx.idx %r7, $t;\n$a:\nret;\n$b:\nret;";
    assert_says(&fault(body, 1, 32), &["`brx.idx` with ", "but there are 2 targets"]);
    let found = fault(
        "proto: .callprototype _ ();\nadd.s64 %rd5, %rd1, 64;\ncall %rd5, (), proto;\nret;",
        1,
        32,
    );
    assert_says(&found, &["it calls 0x300000000040, where no function of the module is"]);
}

#[test]
fn matrix_operations_need_all_lanes() {
    let text = "setp.eq.u32 %p1, %r7, 3;\n@%p1 ret;\nmov.u32 %r2, 0;\n\
        mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r2, %r2}, {%r2}, {%f1, %f2, %f3, %f4};\nret;";
    let found = fault(text, 1, 32);
    assert_eq!(found.block.0, 0);
}

#[test]
fn memory_that_malloc_did_not_give() {
    let declared =
        ".extern .func free(.param .b64 a);\n.extern .func (.param .b64 r) malloc(.param .b64 n);";
    let free = "{\n.param .b64 a;\nst.param.b64 [a], %rd5;\ncall.uni free, (a);\n}\n";
    let allocate = "mov.u64 %rd6, 64;\n{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], %rd6;\n\
        call.uni (r), malloc, (n);\nld.param.b64 %rd5, [r];\n}\n";
    let check = |body: &str, part: &str| {
        let error = misbehave(&module(declared, body), &Setup::new(1, 1));
        assert!(error.to_string().contains(part), "{error}");
    };
    check(&format!("mov.u64 %rd5, %rd1;\n{free}ret;"), "which `malloc` did not give");
    check(&format!("{allocate}add.s64 %rd5, %rd5, 8;\n{free}ret;"), "which `malloc` did not give");
    check(
        &format!("{allocate}{free}{free}ret;"),
        "it was freed: byte 0 of the allocation of 64 bytes",
    );
    check(&format!("{allocate}{free}ld.u32 %r2, [%rd5];\nret;"), "it was freed");
    check(&format!("{allocate}ld.u32 %r2, [%rd5+64];\nret;"), "0 bytes behind the end");
}

#[test]
fn warps_that_wait_for_each_other() {
    // The lanes of a warp are at two barriers of the warp with the same mask, for ever.
    let body = "setp.lt.u32 %p1, %r7, 16;\n@%p1 bra $low;\nbar.warp.sync -1;\nret;\n$low:\nshfl.sync.bfly.b32 %r2, %r7, 1, 31, -1;\nret;";
    let error = misbehave(
        &kernel(
            body.replace("bar.warp.sync -1;\nret;", "bar.warp.sync -1;\nbar.sync 0;\nret;")
                .as_str(),
        ),
        &Setup::new(1, 32),
    );
    let LaunchError::Fault(fault) = error else { panic!("{error:?}") };
    assert_eq!(fault.kind, FaultKind::Deadlock);
    assert_eq!(fault.what, "threads wait for each other and none can go on");
}

#[test]
fn a_barrier_that_some_never_reach() {
    let body =
        "setp.lt.u32 %p1, %r7, 32;\n@%p1 bra $low;\nbar.sync 1;\nret;\n$low:\nbar.sync 2;\nret;";
    let machine = Machine::new(&kernel(body), 1);
    let done = machine.launch(&Setup::new(2, 64).listening());
    let Err(LaunchError::Fault(fault)) = &done.result else { panic!("{:?}", done.result) };
    assert_eq!(fault.kind, FaultKind::Deadlock);
    assert_eq!(fault.what, "threads wait at a barrier that others of the block never reach");
    let emitted = done.emitted(&["BarrierDivergence"]);
    assert_eq!(emitted.len(), 1, "{emitted:?}");
    assert!(
        emitted[0].contains("thread: 0") && emitted[0].contains("other_thread: 32"),
        "{emitted:?}"
    );
    assert!(
        done.events.last().unwrap().starts_with("LaunchEnd"),
        "the end is emitted all the same"
    );
}

#[test]
fn kernels_that_get_nowhere() {
    let spin = kernel(
        "$l:\nld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra $l;\nret;",
    );
    let setup = Setup { max_idle_instructions: 100_000, ..Setup::new(2, 32) };
    let error = misbehave(&spin, &setup);
    let LaunchError::Fault(fault) = &error else { panic!("{error:?}") };
    assert_eq!(fault.kind, FaultKind::Livelock);
    assert!(error.to_string().starts_with("a livelock: in "), "{error}");
    let setup = Setup { max_instructions: 200_000, ..Setup::new(2, 32) };
    let error = misbehave(&spin, &setup);
    assert_eq!(error, LaunchError::OutOfBudget { limit: 200_000 });
    let setup = Setup { watch: |progress| progress.instructions < 300_000, ..Setup::new(2, 32) };
    assert_eq!(misbehave(&spin, &setup), LaunchError::Stopped);
    // Somebody who writes all the time is not idle.
    let busy = kernel(
        "$l:\nst.volatile.global.u32 [%rd1], %r2;\nsetp.eq.u32 %p1, %r7, 99;\n@!%p1 bra $l;\nret;",
    );
    let setup =
        Setup { max_idle_instructions: 100_000, max_instructions: 1_000_000, ..Setup::new(1, 32) };
    assert_eq!(misbehave(&busy, &setup), LaunchError::OutOfBudget { limit: 1_000_000 });
}
