//! One instruction after another, for one group of a warp.

use crate::alu;
use crate::block::Arrival;
use crate::launch::{Fault, Launch};
use crate::memory::{self, DeviceMemory};
use crate::trace::Trace;
use crate::warp::{State, Warp, lanes};
use warpsan_event::Event;
use warpsan_ir::{
    BarrierOp, BoolOp, Compare, Kernel, MemorySpace, Op, Special, TernaryOp, Type, Value,
};
use warpsan_model::{BlockIndex, Dim3, Geometry, SiteId, WARP_LANES};

/// What a group needs besides its warp.
pub(crate) struct Context<'a, 't> {
    pub(crate) kernel: &'a Kernel,
    pub(crate) geometry: &'a Geometry,
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) memory: &'a DeviceMemory,
    pub(crate) shared: &'a mut [u8],
    pub(crate) trace: &'a mut Trace<'t>,
    pub(crate) block: BlockIndex,
    pub(crate) position: Dim3,
    /// The launch's instruction count, which stands in for time.
    pub(crate) clock: u64,
}

/// Why a burst ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The burst is over, or the warp's groups are not what they were.
    Changed,
    /// The group waits at a block barrier now.
    AtBlockBarrier(Arrival),
}

impl Context<'_, '_> {
    /// Runs a group for at most `length` instructions.
    pub(crate) fn run(
        &mut self,
        warp: &mut Warp,
        group: usize,
        length: u64,
    ) -> Result<Stop, Fault> {
        for _ in 0..length {
            if warp.is_at_meeting(group) {
                warp.arrive(group);
                return Ok(Stop::Changed);
            }
            if let Some(stop) = self.step(warp, group)? {
                return Ok(stop);
            }
        }
        Ok(Stop::Changed)
    }

    /// Executes one instruction. None means that the group goes on with the next.
    fn step(&mut self, warp: &mut Warp, group: usize) -> Result<Option<Stop>, Fault> {
        let kernel = self.kernel;
        let at = warp.groups[group].at;
        let group_mask = warp.groups[group].mask;
        let instruction = &kernel.code[at as usize];
        let mask = match instruction.guard {
            Some(guard) => group_mask & warp.condition(guard),
            None => group_mask,
        };
        let site = instruction.site;
        warp.instructions += 1;
        match &instruction.op {
            Op::Branch { target, meet } => {
                if mask != 0 && mask != group_mask {
                    warp.part(group, mask, *target, *meet);
                    return Ok(Some(Stop::Changed));
                }
                warp.groups[group].at = if mask == 0 { at + 1 } else { *target };
                return Ok(None);
            }
            Op::Exit => {
                warp.groups[group].at = at + 1;
                if mask == 0 {
                    return Ok(None);
                }
                warp.exit(group, mask);
                self.release_warp_barriers(warp);
                return Ok(Some(Stop::Changed));
            }
            _ if mask == 0 => {}
            Op::Trap => return Err(self.fault(warp, mask, site, "the kernel executed `trap`")),
            Op::BlockBarrier { op, barrier, threads, .. } => {
                if !isolate(warp, group, mask, *barrier) {
                    return Ok(Some(Stop::Changed));
                }
                return Ok(Some(block_barrier(warp, group, *op, *barrier, *threads)));
            }
            Op::WarpBarrier { mask: members } => {
                if !isolate(warp, group, mask, *members) {
                    return Ok(Some(Stop::Changed));
                }
                let lane = mask.trailing_zeros() as usize;
                let members = warp.value(*members)[lane] as u32 | mask;
                warp.groups[group].at = at + 1;
                warp.groups[group].state = State::AtWarpBarrier { mask: members };
                self.release_warp_barriers(warp);
                return Ok(Some(Stop::Changed));
            }
            Op::Shuffle { mask: members, .. } | Op::Vote { mask: members, .. } => {
                if !isolate(warp, group, mask, *members) {
                    return Ok(Some(Stop::Changed));
                }
                let lane = mask.trailing_zeros() as usize;
                let needed = warp.value(*members)[lane] as u32 | mask;
                if needed & warp.live & !mask != 0 {
                    warp.groups[group].state = State::AtCollective { mask: needed };
                    warp.release_collectives();
                    return Ok(Some(Stop::Changed));
                }
                self.collective(warp, mask, &instruction.op);
            }
            Op::Load { .. } => {
                let counts =
                    instruction.counts_if.map_or(mask, |guard| mask & warp.condition(guard));
                self.load(warp, mask, counts, &instruction.op, site)?;
            }
            op => self.compute(warp, mask, op, site)?,
        }
        warp.groups[group].at = at + 1;
        Ok(None)
    }

    fn release_warp_barriers(&mut self, warp: &mut Warp) {
        for mask in warp.release_warp_barriers() {
            self.trace.synchronisation(Event::WarpBarrier {
                block: self.block,
                warp: warp.index,
                mask,
            });
        }
    }

    /// Everything that neither jumps nor waits.
    fn compute(&mut self, warp: &mut Warp, mask: u32, op: &Op, site: SiteId) -> Result<(), Fault> {
        match op {
            Op::Store { .. } => return self.store(warp, mask, op, site),
            Op::Atomic { .. } => return self.atomic(warp, mask, op, site),
            Op::Fence { order, scope } => self.trace.synchronisation(Event::Fence {
                block: self.block,
                warp: warp.index,
                mask,
                site,
                order: *order,
                scope: *scope,
            }),
            Op::Move { to, from } => {
                let from = warp.value(*from);
                warp.set(*to, mask, |lane| from[lane]);
            }
            Op::MovePredicate { to, from } => {
                let value = warp.condition(*from);
                warp.set_predicate(*to, mask, value);
            }
            Op::ConstantPredicate { to, value } => {
                warp.set_predicate(*to, mask, if *value { u32::MAX } else { 0 });
            }
            Op::PredicateLogic { op, to, a, b } => {
                let (a, b) = (warp.condition(*a), warp.condition(*b));
                let value = logic(*op, a, b);
                warp.set_predicate(*to, mask, value);
            }
            Op::ReadSpecial { to, special } => {
                let values = self.special(warp, *special);
                warp.set(*to, mask, |lane| values[lane]);
            }
            Op::Pack { to, parts, part_bits } => {
                let mut values = [0u64; 32];
                for (index, part) in parts.iter().enumerate() {
                    let part = warp.value(*part);
                    let shift = index as u32 * part_bits;
                    for (value, part) in values.iter_mut().zip(part) {
                        *value |= alu::low(part, *part_bits) << shift;
                    }
                }
                warp.set(*to, mask, |lane| values[lane]);
            }
            Op::Unpack { to, from, part_bits } => {
                let from = warp.value(*from);
                for (index, register) in to.iter().enumerate() {
                    let shift = index as u32 * part_bits;
                    if let Some(register) = register {
                        warp.set(*register, mask, |lane| alu::low(from[lane] >> shift, *part_bits));
                    }
                }
            }
            Op::Select { to, a, b, by } => {
                let (a, b, by) = (warp.value(*a), warp.value(*b), warp.condition(*by));
                warp.set(*to, mask, |lane| if by >> lane & 1 == 1 { a[lane] } else { b[lane] });
            }
            Op::ActiveMask { to } => warp.set(*to, mask, |_| u64::from(mask)),
            Op::Nothing => {}
            other => self.arithmetic(warp, mask, other),
        }
        Ok(())
    }

    fn arithmetic(&mut self, warp: &mut Warp, mask: u32, op: &Op) {
        match op {
            Op::Unary { op, ty, flush, to, a } => {
                let Some(function) = alu::unary(*op, *ty) else { return };
                let a = warp.value(*a);
                warp.set(*to, mask, |lane| {
                    if !flush {
                        return function(a[lane]);
                    }
                    alu::flush(*ty, function(alu::flush(*ty, a[lane])))
                });
            }
            Op::Binary { op, ty, flush, saturate, to, a, b } => {
                let (a, b) = (warp.value(*a), warp.value(*b));
                if *saturate && !ty.is_float() {
                    let Some(function) = alu::saturating_binary(*op, *ty) else { return };
                    return warp.set(*to, mask, |lane| function(a[lane], b[lane]));
                }
                let Some(function) = alu::binary(*op, *ty) else { return };
                if !flush && !saturate {
                    return warp.set(*to, mask, |lane| function(a[lane], b[lane]));
                }
                let input = |bits| if *flush { alu::flush(*ty, bits) } else { bits };
                warp.set(*to, mask, |lane| {
                    let result = input(function(input(a[lane]), input(b[lane])));
                    if *saturate { alu::saturate_float(*ty, result) } else { result }
                });
            }
            Op::Ternary { op: TernaryOp::Lop3(table), to, a, b, c, .. } => {
                let (a, b, c) = (warp.value(*a), warp.value(*b), warp.value(*c));
                warp.set(*to, mask, |lane| alu::lop3(*table, a[lane], b[lane], c[lane]));
            }
            Op::Ternary { op, ty, flush, saturate, to, a, b, c } => {
                let Some(function) = alu::ternary(*op, *ty) else { return };
                let (a, b, c) = (warp.value(*a), warp.value(*b), warp.value(*c));
                if !flush && !saturate {
                    return warp.set(*to, mask, |lane| function(a[lane], b[lane], c[lane]));
                }
                let input = |bits| if *flush { alu::flush(*ty, bits) } else { bits };
                warp.set(*to, mask, |lane| {
                    let result = input(function(input(a[lane]), input(b[lane]), input(c[lane])));
                    if *saturate { alu::saturate_float(*ty, result) } else { result }
                });
            }
            Op::Extended { op, ty, to, a, b, c, carry_in, carry_out } => {
                let (a, b, c) = (warp.value(*a), warp.value(*b), warp.value(*c));
                let carry = carry_in.map_or(0, |carry| warp.condition((carry, false)));
                let mut carried = 0;
                let mut results = [0; 32];
                for lane in lanes(mask) {
                    let inputs = (a[lane], b[lane], c[lane]);
                    let (result, out) = alu::extended(*op, *ty, inputs, carry >> lane & 1 == 1);
                    results[lane] = result;
                    carried |= u32::from(out) << lane;
                }
                warp.set(*to, mask, |lane| results[lane]);
                if let Some(carry) = carry_out {
                    warp.set_predicate(*carry, mask, carried);
                }
            }
            Op::BitFieldInsert { ty, to, a, b, c, d } => {
                let (a, b) = (warp.value(*a), warp.value(*b));
                let (c, d) = (warp.value(*c), warp.value(*d));
                warp.set(*to, mask, |lane| {
                    alu::bit_field_insert(*ty, a[lane], b[lane], c[lane], d[lane])
                });
            }
            Op::SelectBySign { by, flush, to, a, b, c, .. } => {
                let (a, b, c) = (warp.value(*a), warp.value(*b), warp.value(*c));
                let input = |bits| if *flush { alu::flush(*by, bits) } else { bits };
                let not_negative = |bits| alu::compare(Compare::Ge, *by, input(bits), 0);
                warp.set(*to, mask, |lane| if not_negative(c[lane]) { a[lane] } else { b[lane] });
            }
            Op::SetPredicate { compare, ty, flush, to, complement, a, b, combine } => {
                let truth = self.truth(warp, mask, (*compare, *ty, *flush, *a, *b));
                let with = |truth: u32| match combine {
                    Some((op, predicate, negated)) => {
                        logic(*op, truth, warp.condition((*predicate, *negated)))
                    }
                    None => truth,
                };
                let (value, opposite) = (with(truth), with(!truth));
                if let Some(to) = to {
                    warp.set_predicate(*to, mask, value);
                }
                if let Some(complement) = complement {
                    warp.set_predicate(*complement, mask, opposite);
                }
            }
            Op::SetValue { compare, result, ty, flush, to, a, b, combine } => {
                let mut truth = self.truth(warp, mask, (*compare, *ty, *flush, *a, *b));
                if let Some((op, predicate, negated)) = combine {
                    truth = logic(*op, truth, warp.condition((*predicate, *negated)));
                }
                let one = if result.is_float() { u64::from(1f32.to_bits()) } else { 0xFFFF_FFFF };
                warp.set(*to, mask, |lane| if truth >> lane & 1 == 1 { one } else { 0 });
            }
            Op::TestFloat { test, ty, to, a } => {
                let a = warp.value(*a);
                let value = bits(mask, |lane| alu::test_float(*test, *ty, a[lane]));
                warp.set_predicate(*to, mask, value);
            }
            Op::Convert {
                from_type,
                to_type,
                rounding,
                integral,
                saturate,
                flush,
                to,
                to_bits,
                from,
            } => {
                let from = warp.value(*from);
                warp.set(*to, mask, |lane| {
                    let value = alu::convert(
                        *from_type, *to_type, *rounding, *integral, *saturate, *flush, from[lane],
                    );
                    if to_type.is_float() { value } else { alu::extend(*to_type, *to_bits, value) }
                });
            }
            Op::ConvertAddress { space, to_generic, to, from } => {
                let from = warp.value(*from);
                let window = window(*space);
                warp.set(*to, mask, |lane| {
                    if *to_generic {
                        from[lane].wrapping_add(window)
                    } else {
                        from[lane].wrapping_sub(window)
                    }
                });
            }
            Op::IsInSpace { space, to, address } => {
                let address = warp.value(*address);
                let memory = self.memory;
                let value = bits(mask, |lane| match space {
                    MemorySpace::Global => memory.is_device_address(address[lane]),
                    MemorySpace::Const => false,
                    space => address[lane].wrapping_sub(window(*space)) < memory::WINDOW_BYTES,
                });
                warp.set_predicate(*to, mask, value);
            }
            // Jumps, waits and memory are handled before; nothing else is left.
            _ => {}
        }
    }

    fn truth(
        &self,
        warp: &Warp,
        mask: u32,
        (op, ty, flush, a, b): (Compare, Type, bool, Value, Value),
    ) -> u32 {
        let (a, b) = (warp.value(a), warp.value(b));
        let input = |bits| if flush { alu::flush(ty, bits) } else { bits };
        bits(mask, |lane| alu::compare(op, ty, input(a[lane]), input(b[lane])))
    }

    fn special(&self, warp: &Warp, special: Special) -> [u64; 32] {
        let geometry = self.geometry;
        let part = |dim: Dim3, axis: u8| u64::from([dim.x, dim.y, dim.z][usize::from(axis)]);
        let shared = u64::from(self.launch.dynamic_shared_bytes);
        let per_lane =
            |value: fn(u32) -> u32| std::array::from_fn(|lane| u64::from(value(lane as u32)));
        let uniform = match special {
            Special::Tid(axis) => {
                let first = u64::from(warp.index * WARP_LANES);
                return std::array::from_fn(|lane| {
                    part(geometry.block.at(first + lane as u64), axis)
                });
            }
            Special::Laneid => return per_lane(|lane| lane),
            Special::LanemaskEq => return per_lane(|lane| 1 << lane),
            Special::LanemaskLt => return per_lane(|lane| (1 << lane) - 1),
            Special::LanemaskLe => return per_lane(|lane| (1 << lane) | ((1 << lane) - 1)),
            Special::LanemaskGe => return per_lane(|lane| !((1 << lane) - 1)),
            Special::LanemaskGt => return per_lane(|lane| !((1 << lane) | ((1 << lane) - 1))),
            Special::Ntid(axis) => part(geometry.block, axis),
            Special::Ctaid(axis) => part(self.position, axis),
            Special::Nctaid(axis) => part(geometry.grid, axis),
            Special::Warpid => u64::from(warp.index),
            Special::Nwarpid => u64::from(geometry.warps_per_block()),
            Special::WarpSize => u64::from(WARP_LANES),
            Special::Smid => u64::from(self.block.0 % 132),
            Special::Nsmid => 132,
            Special::Gridid => u64::from(self.launch.id.0),
            Special::Clock => (self.clock + warp.instructions) & 0xFFFF_FFFF,
            Special::Clock64 | Special::Globaltimer => self.clock + warp.instructions,
            Special::DynamicSharedSize => shared,
            Special::TotalSharedSize => shared + self.kernel.static_shared_bytes,
        };
        [uniform; 32]
    }

    #[cold]
    pub(crate) fn fault(
        &self,
        warp: &Warp,
        mask: u32,
        site: SiteId,
        what: impl Into<String>,
    ) -> Fault {
        Fault {
            what: what.into(),
            site,
            block: self.block,
            thread: warp.index * WARP_LANES + mask.trailing_zeros(),
        }
    }
}

/// Makes sure that a group consists of the lanes of `mask` that agree on an operand with the lowest
/// of them. If it does not, these lanes part from the rest, and all come to the instruction again:
/// lanes whose guard is false then step over it.
fn isolate(warp: &mut Warp, group: usize, mask: u32, operand: Value) -> bool {
    let values = warp.value(operand);
    let first = values[mask.trailing_zeros() as usize] as u32;
    let agreeing = bits(mask, |lane| values[lane] as u32 == first);
    if agreeing == warp.groups[group].mask {
        return true;
    }
    let at = warp.groups[group].at;
    warp.part(group, agreeing, at, None);
    warp.groups[group].at = at;
    false
}

fn block_barrier(
    warp: &mut Warp,
    group: usize,
    op: BarrierOp,
    barrier: Value,
    threads: Option<Value>,
) -> Stop {
    let mask = warp.groups[group].mask;
    let lane = mask.trailing_zeros() as usize;
    let barrier = warp.value(barrier)[lane] as u32;
    let threads = threads.map(|threads| warp.value(threads)[lane] as u32);
    let votes = match op {
        BarrierOp::Sync => 0,
        BarrierOp::Popc { of, .. } | BarrierOp::Combine { of, .. } => warp.condition(of) & mask,
    };
    warp.groups[group].at += 1;
    warp.groups[group].state = State::AtBlockBarrier { barrier, op };
    Stop::AtBlockBarrier(Arrival { lanes: mask, barrier, threads, votes })
}

/// The generic address of the first byte of a state space.
pub(crate) fn window(space: MemorySpace) -> u64 {
    match space {
        MemorySpace::Shared => memory::SHARED_WINDOW,
        MemorySpace::Local => memory::LOCAL_WINDOW,
        MemorySpace::Param => memory::PARAM_WINDOW,
        MemorySpace::Generic | MemorySpace::Global | MemorySpace::Const => 0,
    }
}

fn bits(mask: u32, truth: impl Fn(usize) -> bool) -> u32 {
    lanes(mask).fold(0, |bits, lane| bits | u32::from(truth(lane)) << lane)
}

fn logic(op: BoolOp, a: u32, b: u32) -> u32 {
    match op {
        BoolOp::And => a & b,
        BoolOp::Or => a | b,
        BoolOp::Xor => a ^ b,
    }
}
