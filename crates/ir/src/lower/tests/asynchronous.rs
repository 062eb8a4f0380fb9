use super::ops;
use crate::{AddressOperand, AsyncOp, AtomicOp, BulkEnd, MbarrierOp, MemorySpace, Op, Type, Value};
use warpsan_model::{Order, Scope, Strength};

fn asynchronous(instruction: &str) -> AsyncOp {
    match ops(instruction).pop() {
        Some(Op::Async(op)) => *op,
        other => panic!("{instruction}: {other:?}"),
    }
}

#[test]
fn copies_have_sizes_and_conditions() {
    let AsyncOp::Copy { to, from, bytes: 16, source_bytes: None, ignore_source: None } =
        asynchronous("cp.async.cg.shared.global.L2::cache_hint [%r1+8], [%rd1], 16, %rd2")
    else {
        panic!()
    };
    assert_eq!((to.space, to.offset, from.space), (MemorySpace::Shared, 8, MemorySpace::Global));
    assert!(matches!(
        asynchronous("cp.async.ca.shared.global [%r1], [%rd1], 8, %r2"),
        AsyncOp::Copy { source_bytes: Some(Value::Register(_)), ignore_source: None, .. }
    ));
    assert!(matches!(
        asynchronous("cp.async.cg.shared.global [%r1], [%rd1], 16, !%p1"),
        AsyncOp::Copy { source_bytes: None, ignore_source: Some((_, true)), .. }
    ));
    assert_eq!(asynchronous("cp.async.commit_group"), AsyncOp::Commit);
    assert_eq!(asynchronous("cp.async.wait_group 1"), AsyncOp::Wait { at_most: Some(1) });
    assert_eq!(asynchronous("cp.async.wait_all"), AsyncOp::Wait { at_most: None });
    assert_eq!(asynchronous("cp.async.bulk.commit_group"), AsyncOp::BulkCommit);
    assert_eq!(
        asynchronous("cp.async.bulk.wait_group.read 2"),
        AsyncOp::BulkWait { at_most: 2, read: true }
    );
}

#[test]
fn variables_are_addresses_of_every_operand() {
    let all = ops(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem+32], [gmem], 64, [mbar]",
    );
    let moves = all.iter().filter(|op| matches!(op, Op::Move { .. })).count();
    let Some(Op::Async(op)) = all.last() else { panic!() };
    let AsyncOp::Bulk { to, from, end: BulkEnd::Mbarrier(barrier), .. } = &**op else { panic!() };
    assert_eq!(moves, 3);
    assert!([to, from, barrier].iter().all(|place| matches!(place.base, Value::Register(_))));
    assert_eq!((to.space, from.space), (MemorySpace::Shared, MemorySpace::Global));
}

#[test]
fn bulk_copies_have_ends_masks_and_reductions() {
    let multicast = asynchronous(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint \
         [%r1], [%rd1], %r2, [%r3], %rs1, %rd2",
    );
    let AsyncOp::Bulk { to, end: BulkEnd::Mbarrier(barrier), multicast, reduce, .. } = multicast
    else {
        panic!("{multicast:?}")
    };
    assert_eq!((to.space, barrier.space), (MemorySpace::SharedCluster, MemorySpace::SharedCluster));
    assert!(matches!(multicast, Some(Value::Register(register)) if register.bits == 16));
    assert_eq!(reduce, None);
    let reduced = asynchronous(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [%rd1], [%r1], 128",
    );
    assert!(matches!(
        reduced,
        AsyncOp::Bulk {
            to: AddressOperand { space: MemorySpace::Global, .. },
            from: AddressOperand { space: MemorySpace::Shared, .. },
            end: BulkEnd::Group,
            reduce: Some((AtomicOp::Add, Type::Bf16)),
            bytes: Value::Constant(128),
            ..
        }
    ));
    let masked = asynchronous(
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.cp_mask [%rd1], [%r1], 16, %rd2, %rs1",
    );
    assert!(
        matches!(masked, AsyncOp::Bulk { byte_mask: Some(Value::Register(r)), .. } if r.bits == 16)
    );
}

#[test]
fn barriers_in_memory_have_all_forms() {
    let mbarrier = |instruction: &str| match asynchronous(instruction) {
        AsyncOp::Mbarrier { op, barrier, strength } => (op, barrier.space, strength),
        other => panic!("{instruction}: {other:?}"),
    };
    let strong = |order, scope| Strength::Strong { order, scope };
    let (op, space, strength) = mbarrier("mbarrier.init.shared::cta.b64 [mbar], 1");
    assert_eq!((op, space), (MbarrierOp::Init { count: Value::Constant(1) }, MemorySpace::Shared));
    assert_eq!(strength, Strength::Weak);
    let (op, space, strength) =
        mbarrier("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1], %r2");
    assert!(matches!(
        op,
        MbarrierOp::Arrive { drop: false, to: None, count: Some(_), expect: None, .. }
    ));
    assert_eq!(
        (space, strength),
        (MemorySpace::SharedCluster, strong(Order::Release, Scope::Cluster))
    );
    let (op, _, strength) =
        mbarrier("mbarrier.arrive_drop.expect_tx.shared::cta.relaxed.cluster.b64 %rd1, [%r1], %r2");
    assert!(matches!(
        op,
        MbarrierOp::Arrive { drop: true, to: Some(_), count: None, expect: Some(_), .. }
    ));
    assert_eq!(strength, strong(Order::Relaxed, Scope::Cluster));
    let (op, space, strength) = mbarrier("mbarrier.try_wait.parity.b64 %p1, [%rd1], %r2, 1000");
    assert!(matches!(op, MbarrierOp::Wait { by_parity: true, may_sleep: true, .. }));
    assert_eq!((space, strength), (MemorySpace::Generic, strong(Order::Acquire, Scope::Cta)));
    let (op, _, strength) = mbarrier("mbarrier.expect_tx.relaxed.cta.shared.b64 [%r1], 128");
    assert_eq!(op, MbarrierOp::ExpectTransaction { bytes: Value::Constant(128) });
    assert_eq!(strength, strong(Order::Relaxed, Scope::Cta));
    let (op, ..) = mbarrier("mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1], 2");
    assert!(matches!(op, MbarrierOp::Arrive { no_complete: true, count: Some(_), .. }));
    assert!(matches!(
        asynchronous("cp.async.mbarrier.arrive.noinc.shared.b64 [%r1]"),
        AsyncOp::CopyArrive { no_increment: true, .. }
    ));
    assert!(matches!(
        asynchronous("mbarrier.pending_count.b64 %r1, %rd1"),
        AsyncOp::PendingCount { state: Value::Register(_), .. }
    ));
}

#[test]
fn stores_that_complete_at_a_barrier() {
    let store = asynchronous(
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%r1], {%f1, %f2, %f3, %f4}, [%r2]",
    );
    let AsyncOp::Store { from, ty: Type::F32, barrier, reduce: None, .. } = store else { panic!() };
    assert_eq!((from.len(), barrier.space), (4, MemorySpace::SharedCluster));
    let reduction = asynchronous(
        "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.min.s32 [%rd1], %r1, [%rd2]",
    );
    assert!(matches!(reduction, AsyncOp::Store { ty: Type::S32, reduce: Some(AtomicOp::Min), .. }));
    let fill = asynchronous("st.bulk.weak.shared::cta [%rd1], 1024, 0");
    assert!(matches!(fill, AsyncOp::Fill { bytes: Value::Constant(1024), .. }));
}
