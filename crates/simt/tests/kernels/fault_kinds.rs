//! Every way in which a kernel can misbehave has its kind, whatever its sentence says.

use crate::support::{Machine, Setup, module};
use warpsan_simt::{FaultKind, LaunchError};

const ASSERT: &str = ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);";
const HEAP: &str =
    ".extern .func free(.param .b64 a);\n.extern .func (.param .b64 r) malloc(.param .b64 n);";
const FREE: &str = "{\n.param .b64 a;\nst.param.b64 [a], %rd5;\ncall.uni free, (a);\n}\nret;";
const MMA: &str = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r2, %r2}, {%r2}, {%f1, %f2, %f3, %f4};\nret;";

/// Runs a body on 32 words and returns how it ended.
fn kind_of(declarations: &str, body: &str) -> (FaultKind, String) {
    let mut setup = Setup::new(1, 64);
    setup.max_idle_instructions = 1 << 16;
    match Machine::new(&module(declarations, body), 32).launch(&setup).result {
        Err(LaunchError::Fault(fault)) => (fault.kind, fault.what),
        other => panic!("{body}: {other:?}"),
    }
}

#[test]
fn every_fault_has_its_kind() {
    let assertion = "add.s64 %rd5, %rd1, 16;\nmov.u32 %r2, 77;\nmov.u64 %rd6, 1;\n{\n\
        .param .b64 m;\n.param .b64 f;\n.param .b32 l;\n.param .b64 n;\n.param .b64 c;\n\
        st.param.b64 [m], %rd1;\nst.param.b64 [f], %rd5;\nst.param.b32 [l], %r2;\n\
        st.param.b64 [n], %rd5;\nst.param.b64 [c], %rd6;\ncall.uni __assertfail, (m, f, l, n, c);\n}\nret;";
    let none = "proto: .callprototype _ ();\nadd.s64 %rd5, %rd1, 64;\ncall %rd5, (), proto;\nret;";
    let barrier = "mbarrier.init.shared.b64 [s], 1;\n";
    let free = |address: &str| format!("{address}\n{FREE}");
    use FaultKind as Kind;
    let faults: [(&str, String, FaultKind, &str); 23] = [
        (ASSERT, assertion.into(), Kind::AssertionFailed, "the assertion"),
        ("", "ld.global.u32 %r2, [%rd1+2];\nret;".into(), Kind::MisalignedAddress, "a misaligned"),
        ("", "ld.global.u32 %r2, [%rd1+4096];\nret;".into(), Kind::IllegalAddress, "an illegal"),
        ("", "ld.shared.u32 %r2, [s+4096];\nret;".into(), Kind::IllegalAddress, "an illegal"),
        (HEAP, free("mov.u64 %rd5, 8;"), Kind::IllegalAddress, "it frees 0x8"),
        (HEAP, free("mov.u64 %rd5, %rd1;"), Kind::InvalidFree, "it frees"),
        (HEAP, free("add.s64 %rd5, %rd1, 65536;"), Kind::InvalidFree, "it frees"),
        ("", "atom.add.u32 %r2, [%rd5], 1;\nret;".into(), Kind::IllegalAddress, "an illegal"),
        (
            ".func f(.param .b32 x)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<3>;\n.local .align 4 .b8 l[8];\n\
             mov.u64 %rd1, l;\ncvta.local.u64 %rd2, %rd1;\natom.add.u32 %r1, [%rd2], 1;\nret;\n}",
            "{\n.param .b32 x;\nst.param.b32 [x], %r7;\ncall.uni f, (x);\n}\nret;".into(),
            Kind::InvalidAddressSpace,
            "an atomic operation in local memory",
        ),
        ("", "mbarrier.arrive.b64 _, [%rd1];\nret;".into(), Kind::InvalidAddressSpace, "an mbarrier that is not"),
        ("", "trap;\nret;".into(), Kind::Trap, "it executed"),
        ("", "$t: .branchtargets $a, $b;\nbrx.idx %r7, $t;\n$a:\nret;\n$b:\nret;".into(), Kind::InvalidTarget, "`brx.idx` with"),
        ("", none.into(), Kind::InvalidTarget, "it calls"),
        (".func down()\n{\ncall.uni down;\nret;\n}", "call.uni down;\nret;".into(), Kind::StackOverflow, "a stack overflow"),
        ("", "mov.u32 %r2, 16;\nbar.sync %r2;\nret;".into(), Kind::InvalidBarrier, "it uses barrier 16"),
        ("", "mov.u32 %r2, 0;\nbar.sync 3, %r2;\nret;".into(), Kind::InvalidBarrier, "it waits at barrier 3"),
        ("", "mov.u32 %r2, 0;\nmbarrier.init.shared.b64 [s], %r2;\nret;".into(), Kind::InvalidMbarrier, "an mbarrier for 0"),
        ("", "mbarrier.arrive.shared.b64 _, [s+8];\nret;".into(), Kind::InvalidMbarrier, "it uses an mbarrier"),
        ("", format!("{barrier}mbarrier.arrive.shared.b64 _, [s], 4;\nret;"), Kind::InvalidMbarrier, "more arrivals"),
        ("", format!("setp.eq.u32 %p1, %r7, 3;\n@%p1 ret;\nmov.u32 %r2, 0;\n{MMA}"), Kind::MissingLanes, "`mma.sync"),
        ("", "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 24;\nret;".into(), Kind::InvalidCopySize, "a bulk copy of 24 bytes"),
        ("", "setp.lt.u32 %p1, %r7, 32;\n@%p1 bar.sync 1, 96;\n@!%p1 bar.sync 2, 96;\nret;".into(), Kind::Deadlock, "threads wait at a barrier"),
        ("", "$spin:\nld.volatile.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra $spin;\nret;".into(), Kind::Livelock, "a livelock"),
    ];
    for (declarations, body, kind, begins) in &faults {
        let (found, what) = kind_of(declarations, body);
        assert_eq!(found, *kind, "{what}");
        assert!(what.starts_with(begins), "{what}");
    }
}

#[test]
fn lanes_may_vote_at_two_instructions_unless_the_launch_says_otherwise() {
    let lanes = "mov.u32 %r2, %laneid;\nsetp.lt.u32 %p1, %r2, 7;\n";
    let vote = "vote.sync.any.pred %p2, %p1, -1;";
    let apart = format!("{lanes}@%p1 bra $few;\n{vote}\nret;\n$few:\n{vote}\nret;");
    let together = format!("{lanes}{vote}\nret;");
    for (body, in_one_place, ends) in
        [(&apart, false, true), (&apart, true, false), (&together, true, true)]
    {
        let mut setup = Setup::new(1, 64);
        setup.collectives_in_one_place = in_one_place;
        let done = Machine::new(&module("", body), 32).launch(&setup);
        match done.result {
            Ok(_) => assert!(ends, "{body}"),
            Err(LaunchError::Fault(fault)) => {
                assert!(!ends && fault.kind == FaultKind::MissingLanes, "{}", fault.what);
                assert!(fault.what.contains("lanes 0x7f"), "{}", fault.what);
            }
            Err(other) => panic!("{other:?}"),
        }
    }
}
