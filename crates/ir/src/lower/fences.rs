//! Fences, and barriers of blocks, warps and clusters.

use super::memory::take_space;
use super::modifiers::Modifiers;
use super::{Lower, Lowerer};
use crate::{BarrierOp, ClusterStep, MemorySpace, Op, Predicate, Proxy, Type};
use warpsan_model::Order;
use warpsan_ptx::Instruction;

type Guard = Option<(Predicate, bool)>;

/// What a fence is restricted to. Ordering more than that changes no result.
const RESTRICTIONS: [&str; 2] = ["sync_restrict::shared::cta", "sync_restrict::shared::cluster"];

impl<'a> Lowerer<'a> {
    /// `membar.gl`, `fence.acq_rel.gpu`, …
    pub(super) fn fence(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let mut words = Modifiers::after_name(instruction);
        let default = if instruction.opcode() == "membar" { Order::SeqCst } else { Order::AcqRel };
        let order = words.take_order().unwrap_or(default);
        let scope = words.take_scope();
        let is_of_mbarriers = words.take("mbarrier_init");
        for word in RESTRICTIONS {
            words.take(word);
        }
        self.nothing_left(instruction, &words)?;
        let Some(scope) = scope else { return self.malformed(instruction) };
        let op = match is_of_mbarriers {
            true => Op::ProxyFence { proxy: Proxy::MbarrierInit },
            false => Op::Fence { order, scope },
        };
        self.push(instruction.span, guard, op).map(drop)
    }

    /// `fence.proxy` and `membar.proxy`. The forms with an order are fences as well.
    pub(super) fn proxy_fence(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::after_name(instruction);
        let order = words.take_order();
        let scope = words.take_scope();
        let restricted = words.take_map(|word| match word {
            "sync_restrict::shared::cta" => Some(MemorySpace::Shared),
            "sync_restrict::shared::cluster" => Some(MemorySpace::SharedCluster),
            _ => None,
        });
        let kind = words.take_map(|word| match word {
            "alias" => Some(Proxy::Alias),
            "async" | "async::generic" => Some(Proxy::Async(MemorySpace::Generic)),
            "tensormap::generic" => Some(Proxy::TensorMap),
            _ => None,
        });
        let space = take_space(&mut words);
        self.nothing_left(instruction, &words)?;
        let Some(proxy) = kind else { return self.malformed(instruction) };
        let proxy = match proxy {
            Proxy::Async(_) => Proxy::Async(restricted.unwrap_or(space)),
            other => other,
        };
        let fence = match (order, scope) {
            (None, None) => None,
            (Some(order), Some(scope)) => Some(Op::Fence { order, scope }),
            _ => return self.malformed(instruction),
        };
        let releases = order == Some(Order::Release);
        if let (Some(fence), false) = (&fence, releases) {
            self.push(span, guard, fence.clone())?;
        }
        self.push(span, guard, Op::ProxyFence { proxy })?;
        if let (Some(fence), true) = (fence, releases) {
            self.push(span, guard, fence)?;
        }
        Ok(())
    }

    /// `griddepcontrol.wait`, and `.launch_dependents`, which lets later launches begin and orders nothing.
    pub(super) fn prerequisites(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
    ) -> Lower<()> {
        let mut words = Modifiers::after_name(instruction);
        let waits = words.take("wait");
        if !waits && !words.take("launch_dependents") {
            return self.malformed(instruction);
        }
        self.nothing_left(instruction, &words)?;
        let op = if waits { Op::WaitForPrerequisites } else { Op::Nothing };
        self.push(instruction.span, guard, op).map(drop)
    }

    /// `barrier.cluster.arrive` and `barrier.cluster.wait`
    pub(super) fn cluster_barrier(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
    ) -> Lower<()> {
        let mut words = Modifiers::after_name(instruction);
        let (arrives, waits) = (words.take("arrive"), words.take("wait"));
        let aligned = words.take("aligned");
        let order = words.take_order();
        self.nothing_left(instruction, &words)?;
        let (step, default) = match (arrives, waits) {
            (true, false) => (ClusterStep::Arrive, Order::Release),
            (false, true) => (ClusterStep::Wait, Order::Acquire),
            _ => return self.malformed(instruction),
        };
        let order = order.unwrap_or(default);
        self.push(instruction.span, guard, Op::ClusterBarrier { step, order, aligned }).map(drop)
    }

    /// `bar.warp.sync`
    pub(super) fn warp_barrier(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
    ) -> Lower<()> {
        let mut words = Modifiers::after_name(instruction);
        words.take("sync");
        self.nothing_left(instruction, &words)?;
        let [mask] = instruction.operands else { return self.malformed(instruction) };
        let mask = self.value(mask, Type::B32, instruction.span)?;
        self.push(instruction.span, guard, Op::WarpBarrier { mask }).map(drop)
    }

    /// `bar` and `barrier` of a block.
    pub(super) fn barrier(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::after_name(instruction);
        let aligned = instruction.opcode() == "bar" || words.take("aligned");
        words.take("cta");
        words.take("sync");
        let arrives = words.take("arrive");
        let reduces = words.take("red");
        let reduction = words.take_map(|word| match word {
            "popc" => Some(None),
            "and" => Some(Some(true)),
            "or" => Some(Some(false)),
            _ => None,
        });
        if reduces && !words.take("pred") {
            words.take_type();
        }
        self.nothing_left(instruction, &words)?;
        let mut operands = instruction.operands;
        let op = match (reduction, operands) {
            (None, _) if arrives => BarrierOp::Arrive,
            (None, _) => BarrierOp::Sync,
            (Some(kind), [to, rest @ .., of]) => {
                operands = rest;
                let of = self.condition(of, span)?;
                match kind {
                    None => BarrierOp::Popc { to: self.register(to, span)?, of },
                    Some(and) => BarrierOp::Combine { and, to: self.predicate(to, span)?, of },
                }
            }
            _ => return self.malformed(instruction),
        };
        let (barrier, threads) = match operands {
            [barrier] if !arrives => (self.value(barrier, Type::U32, span)?, None),
            [barrier, threads] => {
                (self.value(barrier, Type::U32, span)?, Some(self.value(threads, Type::U32, span)?))
            }
            _ => return self.malformed(instruction),
        };
        let op = Op::BlockBarrier { op, barrier, threads, aligned };
        self.push(span, guard, op).map(drop)
    }
}
