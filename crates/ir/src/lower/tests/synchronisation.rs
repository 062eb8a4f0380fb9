use super::{op, ops};
use crate::{BarrierOp, ClusterStep, MemorySpace, Mode, Op, Proxy, ReduxOp, Type, Value};
use warpsan_model::{Order, Scope};

#[test]
fn fences_have_orders_scopes_and_proxies() {
    let fence = |order, scope| Op::Fence { order, scope };
    let proxy = |proxy| Op::ProxyFence { proxy };
    let shared = MemorySpace::Shared;
    for (instruction, expected) in [
        ("fence.cta", vec![fence(Order::AcqRel, Scope::Cta)]),
        ("membar.sys", vec![fence(Order::SeqCst, Scope::Sys)]),
        ("fence.acquire.gpu", vec![fence(Order::Acquire, Scope::Gpu)]),
        ("fence.mbarrier_init.release.cluster", vec![proxy(Proxy::MbarrierInit)]),
        ("membar.proxy.alias", vec![proxy(Proxy::Alias)]),
        ("fence.proxy.async", vec![proxy(Proxy::Async(MemorySpace::Generic))]),
        ("fence.proxy.async.shared::cta", vec![proxy(Proxy::Async(shared))]),
        (
            "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
            vec![proxy(Proxy::Async(shared)), fence(Order::Release, Scope::Cluster)],
        ),
        (
            "fence.proxy.tensormap::generic.acquire.sys [%rd1], 128",
            vec![fence(Order::Acquire, Scope::Sys), proxy(Proxy::TensorMap)],
        ),
    ] {
        assert_eq!(ops(instruction), expected, "{instruction}");
    }
}

#[test]
fn barriers_of_blocks_and_clusters() {
    let cluster = |step, order, aligned| Op::ClusterBarrier { step, order, aligned };
    assert_eq!(
        op("barrier.cluster.arrive.relaxed"),
        cluster(ClusterStep::Arrive, Order::Relaxed, false)
    );
    assert_eq!(op("barrier.cluster.arrive"), cluster(ClusterStep::Arrive, Order::Release, false));
    assert_eq!(
        op("barrier.cluster.wait.aligned"),
        cluster(ClusterStep::Wait, Order::Acquire, true)
    );
    let arrive = op("barrier.cta.arrive.aligned 2, 64");
    let Op::BlockBarrier { op: BarrierOp::Arrive, barrier, threads, aligned: true } = arrive else {
        panic!("{arrive:?}")
    };
    assert_eq!((barrier, threads), (Value::Constant(2), Some(Value::Constant(64))));
    let by_register = op("barrier.cta.sync %r1, %r2");
    assert!(matches!(
        by_register,
        Op::BlockBarrier { op: BarrierOp::Sync, barrier: Value::Register(_), aligned: false, .. }
    ));
    let any = op("bar.cta.red.or.pred %p1, %r1, !%p2");
    assert!(matches!(
        any,
        Op::BlockBarrier {
            op: BarrierOp::Combine { and: false, of: (_, true), .. },
            threads: None,
            ..
        }
    ));
}

#[test]
fn operations_of_a_warp_with_and_without_a_mask() {
    assert!(matches!(op("shfl.idx.b32 %r1, %r2, %r3, 0x1f"), Op::Shuffle { mask: None, .. }));
    assert!(matches!(op("vote.all.pred %p1, !%p2"), Op::Vote { mask: None, of: (_, true), .. }));
    assert!(matches!(
        op("match.all.sync.b64 %r1|%p1, %rd1, 0xffffffff"),
        Op::Match { all: true, ty: Type::B64, valid: Some(_), .. }
    ));
    assert!(matches!(op("match.any.sync.b32 %r1, %r2, -1"), Op::Match { all: false, .. }));
    let absolute = Mode { abs: true, nan: true, ..Mode::default() };
    assert!(matches!(
        op("redux.sync.min.abs.NaN.f32 %f1, %f2, -1"),
        Op::Redux { op: ReduxOp::Min, ty: Type::F32, mode, .. } if mode == absolute
    ));
    assert!(matches!(op("elect.sync _|%p1, %r1"), Op::Elect { to: None, .. }));
    assert!(matches!(op("elect.sync %r1|%p1, -1"), Op::Elect { to: Some(_), .. }));
}

#[test]
fn hints_do_nothing() {
    for instruction in [
        "griddepcontrol.launch_dependents",
        "prefetch.global.L2 [%rd1]",
        "discard.global.L2 [%rd1], 128",
        "applypriority.global.L2::evict_normal [%rd1], 128",
        "cp.async.bulk.prefetch.L2.global [%rd1], 128",
        "setmaxnreg.dec.sync.aligned.u32 64",
        "pmevent 1",
    ] {
        assert_eq!(op(instruction), Op::Nothing, "{instruction}");
    }
    assert_eq!(op("griddepcontrol.wait"), Op::WaitForPrerequisites);
    assert_eq!(op("nanosleep.u32 100"), Op::Yield);
    let policy = op("createpolicy.fractional.L2::evict_last.b64 %rd1, 0.5");
    assert!(matches!(policy, Op::Move { from: Value::Constant(0), .. }));
}

#[test]
fn generic_addresses_of_all_spaces() {
    let space = |instruction: &str| match op(instruction) {
        Op::IsInSpace { space, .. } | Op::ConvertAddress { space, .. } => space,
        other => panic!("{instruction}: {other:?}"),
    };
    assert_eq!(space("isspacep.const %p1, %rd1"), MemorySpace::Const);
    assert_eq!(space("isspacep.shared::cluster %p1, %rd1"), MemorySpace::SharedCluster);
    assert_eq!(space("isspacep.param::entry %p1, %rd1"), MemorySpace::Param);
    assert_eq!(space("cvta.shared::cluster.u64 %rd1, %rd2"), MemorySpace::SharedCluster);
    assert_eq!(space("cvta.param.u64 %rd1, tmap"), MemorySpace::Param);
    assert!(matches!(op("mapa.u64 %rd1, %rd2, %r1"), Op::MapAddress { generic: true, .. }));
    assert!(matches!(op("getctarank.u64 %r1, %rd1"), Op::RankOfAddress { generic: true, .. }));
}
