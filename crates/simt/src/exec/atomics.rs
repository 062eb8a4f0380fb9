//! Atomics and reductions.

use super::access::common::Common;
use super::access::emit::AccessDetails;
use super::addressing::{Attempt, addresses, operand_addresses};
use super::atomic_function::updated;
use super::core::{Core, Running};
use crate::block::BlockInfo;
use crate::lanes::{Lane, Rows};
use crate::memory::Place;
use crate::outcome::{Fault, FaultKind};
use crate::program::rare::RareAtomic;
use crate::program::{AtomicForm, NO_ROW};
use crate::target::Target;
use crate::updates::Update;
use crate::warp::{Warp, lanes};
use warpsan_event::AccessKind;
use warpsan_ir::{AtomicOp, MemorySpace, Register, Type, Value};
use warpsan_model::Strength;

/// One element of an atomic instruction.
struct Element {
    to: Option<Register>,
    a: [u128; 32],
    b: [u128; 32],
}

/// The value of an operand in all lanes, of up to 128 bits.
fn wide_values(running: &Running, value: Value) -> [u128; 32] {
    // SAFETY: the operand is one of the program.
    unsafe {
        match value {
            Value::Register(register) if register.bits == 128 => {
                running.rows.read::<u128>(register.number)
            }
            value => running.rows.values(value).map(u128::from),
        }
    }
}

impl Core<'_> {
    pub(super) fn atomic(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        op: &RareAtomic,
    ) -> Result<(), Fault> {
        let RareAtomic { op, space, ty, strength, base, offset, elements } = op;
        let elements: Vec<Element> = elements
            .iter()
            .map(|element| Element {
                to: element.to,
                a: wide_values(running, element.a),
                b: element.b.map_or([0; 32], |b| wide_values(running, b)),
            })
            .collect();
        let (place, count) = ((*base, *offset), elements.len());
        let targets = self.atomic_targets(block, warp, running, *space, place, *ty, count)?;
        self.update(block, warp, running, (*op, *ty, *strength), &elements, &targets);
        Ok(())
    }

    /// An atomic on integers, mostly of lanes that are all in one piece of memory.
    #[inline(always)]
    pub(super) fn common_atomic(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        number: u32,
    ) -> Result<(), Fault> {
        let program = self.program;
        let form = program.atomics[number as usize];
        let access = &program.accesses[form.access as usize];
        let Running { mask, rows, .. } = *running;
        // SAFETY: the operands are those of the program.
        let found = unsafe { addresses(rows, &access.address, mask) };
        let common = match self.trace.wants_observations() {
            true => None,
            false => self.common(block, access, &found, form.access),
        };
        let Some(common) = common else {
            return self.uncommon_atomic(block, warp, running, form);
        };
        if self.notes.are_taken() {
            self.note_writes(mask, &found, u64::from(access.bytes), &common);
            self.log_common_updates(rows, &form, mask, &found, &common);
        }
        // SAFETY: all addresses were found to be inside of memory that `base` leads to.
        let wrote = unsafe {
            match (access.bytes, form.is_signed) {
                (4, false) => update_all::<u32>(rows, &form, mask, &found, common.base),
                (4, true) => update_all::<i32>(rows, &form, mask, &found, common.base),
                (_, false) => update_all::<u64>(rows, &form, mask, &found, common.base),
                (_, true) => update_all::<i64>(rows, &form, mask, &found, common.base),
            }
        };
        self.writes += u64::from(wrote != 0);
        let gives_back = form.to != NO_ROW;
        let details = AccessDetails {
            kind: if gives_back { AccessKind::ReadModifyWrite } else { AccessKind::Reduction },
            strength: access.strength,
            bytes: access.bytes,
            elements: 1,
            wrote,
            values: &[],
            words: 0,
            read_only_path: false,
            unread: 0,
        };
        self.emit_common(block, warp, running, mask, &found, &common, &details);
        Ok(())
    }

    /// Keeps the updates of an instruction, where somebody carries them out once more.
    #[inline(never)]
    fn log_common_updates(
        &mut self,
        rows: Rows,
        form: &AtomicForm,
        mask: u32,
        found: &[u64; 32],
        common: &Common,
    ) {
        let access = &self.program.accesses[form.access as usize];
        let Some(updates) = &mut self.updates else { return };
        for lane in lanes(mask) {
            // SAFETY: the operand is one of the program.
            let operand = unsafe {
                match access.bytes {
                    4 => u64::from(rows.read::<u32>(form.a)[lane]),
                    _ => rows.read::<u64>(form.a)[lane],
                }
            };
            let place = match common.is_shared() {
                true => Place::Shared(found[lane] as u32),
                false => Place::Global(found[lane]),
            };
            let ty = integer_type(access.bytes, form.is_signed);
            updates.push(Update { place, op: form.op, ty, operand });
        }
    }

    /// The same, lane by lane.
    #[inline(never)]
    fn uncommon_atomic(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        form: AtomicForm,
    ) -> Result<(), Fault> {
        let access = &self.program.accesses[form.access as usize];
        let bits = (access.bytes * 8) as u8;
        let ty = integer_type(access.bytes, form.is_signed);
        // SAFETY: the operands are those of the program.
        let (found, element) = unsafe {
            let rows = running.rows;
            let operand = |row: u32| match (row, bits) {
                (NO_ROW, _) => [0; 32],
                (row, 32) => rows.read::<u32>(row).map(u128::from),
                (row, _) => rows.read::<u64>(row).map(u128::from),
            };
            let to = (form.to != NO_ROW).then_some(Register { number: form.to, bits });
            let element = Element { to, a: operand(form.a), b: operand(form.b) };
            (addresses(rows, &access.address, running.mask), element)
        };
        let attempt = Attempt::by(access, "updates");
        let targets = self.memory_targets(block, warp, running, &found, attempt)?;
        let what = (form.op, ty, access.strength);
        self.update(block, warp, running, what, &[element], &targets);
        Ok(())
    }

    #[expect(clippy::too_many_arguments, reason = "the operands of one instruction")]
    fn atomic_targets(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        space: MemorySpace,
        (base, offset): (Value, i64),
        ty: Type,
        elements: usize,
    ) -> Result<[Target; 32], Fault> {
        let found = operand_addresses(running, base, offset);
        let bytes = u64::from(ty.bytes()) * elements as u64;
        let attempt = Attempt { does: "updates", space, address: 0, bytes, alignment: bytes };
        self.memory_targets(block, warp, running, &found, attempt)
    }

    /// The targets of an access that only global and shared memory allow.
    fn memory_targets(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        found: &[u64; 32],
        attempt: Attempt<'_>,
    ) -> Result<[Target; 32], Fault> {
        let targets = self.targets(block, warp, running, found, attempt)?;
        for lane in lanes(running.mask) {
            if !matches!(targets[lane], Target::Global { .. } | Target::Shared { .. }) {
                let what = "an atomic operation in local memory or on parameters";
                let kind = FaultKind::InvalidAddressSpace;
                return Err(self.fault(block, warp, 1 << lane, running.site, kind, what));
            }
        }
        Ok(targets)
    }

    fn update(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        (function, ty, strength): (AtomicOp, Type, Strength),
        elements: &[Element],
        targets: &[Target; 32],
    ) {
        let Running { mask, rows, .. } = *running;
        let bytes = u64::from(ty.bytes());
        let observed = self.trace.wants_observations();
        let mut values = Vec::new();
        let mut wrote = 0;
        let mut old_values = vec![[0u128; 32]; elements.len()];
        for lane in lanes(mask) {
            for (number, element) in elements.iter().enumerate() {
                let target = targets[lane].behind(number as u64 * bytes);
                let old = self.peek(warp, lane, target, bytes);
                old_values[number][lane] = old;
                if let (Some(updates), Some(place)) = (&mut self.updates, place_of(target)) {
                    let operand = element.a[lane] as u64;
                    updates.push(Update { place, op: function, ty, operand });
                }
                let flush = ty == Type::F32 && matches!(target, Target::Global { .. });
                let new = updated(function, ty, flush, old, element.a[lane], element.b[lane]);
                if let Some(new) = new {
                    self.poke(warp, lane, target, bytes, new);
                    wrote |= 1 << lane;
                }
                if observed {
                    for value in [old, new.unwrap_or(old)] {
                        values.push(value as u64);
                        if bytes == 16 {
                            values.push((value >> 64) as u64);
                        }
                    }
                }
            }
        }
        for (element, old) in elements.iter().zip(&old_values) {
            let Some(to) = element.to else { continue };
            // SAFETY: the register is one of the program.
            unsafe {
                match to.bits {
                    128 => rows.write(to.number, mask, old),
                    _ => rows.set(to, mask, &old.map(|value| value as u64)),
                }
            }
        }
        self.writes += u64::from(wrote != 0);
        let gives_back = elements.iter().any(|element| element.to.is_some());
        let kind = if gives_back { AccessKind::ReadModifyWrite } else { AccessKind::Reduction };
        let size = bytes * elements.len() as u64;
        self.look_for_strays(block, warp, running, mask, targets, size, kind);
        let details = AccessDetails {
            kind,
            strength,
            bytes: ty.bytes(),
            elements: elements.len(),
            wrote,
            values: &values,
            words: elements.len() * 2 * bytes.div_ceil(8) as usize,
            read_only_path: false,
            unread: 0,
        };
        self.emit(block, warp, running, mask, targets, &details);
    }
}

/// The type of the integers that a common atomic works on.
fn integer_type(bytes: u32, is_signed: bool) -> Type {
    match (bytes, is_signed) {
        (4, false) => Type::U32,
        (4, true) => Type::S32,
        (_, false) => Type::U64,
        (_, true) => Type::S64,
    }
}

/// Where a target is, if others can reach it.
fn place_of(target: Target) -> Option<Place> {
    match target {
        Target::Global { address, .. } => Some(Place::Global(address)),
        Target::Shared { offset, .. } => Some(Place::Shared(offset as u32)),
        Target::Local { .. } | Target::Param { .. } => None,
    }
}

/// An integer that atomics work on.
trait AtomicInteger: Lane + Ord + Default {
    fn plus(self, other: Self) -> Self;
    fn minus_one(self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    const ONE: Self;
}

macro_rules! atomic_integer {
    ($($t:ty),+) => {$(
        impl AtomicInteger for $t {
            const ONE: Self = 1;

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus_one(self) -> Self {
                self.wrapping_sub(1)
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
        }
    )+};
}

atomic_integer!(u32, i32, u64, i64);

/// Updates memory, lowest lane first. Returns the lanes that wrote.
///
/// # Safety
/// `base` plus each address is memory of the type; the form is one of the program.
#[inline(always)]
unsafe fn update_all<T: AtomicInteger>(
    rows: Rows,
    form: &AtomicForm,
    mask: u32,
    found: &[u64; 32],
    base: *mut u8,
) -> u32 {
    // SAFETY: the caller answers for rows and addresses.
    unsafe {
        let a = rows.read::<T>(form.a);
        let mut old_values = [T::ZERO; 32];
        macro_rules! each {
            (|$old:ident, $lane:ident| $new:expr) => {{
                let mut wrote = 0u32;
                for $lane in lanes(mask) {
                    let place = base.wrapping_add(found[$lane] as usize).cast::<T>();
                    let $old = place.read_unaligned();
                    old_values[$lane] = $old;
                    let new: Option<T> = $new;
                    if let Some(new) = new {
                        place.write_unaligned(new);
                        wrote |= 1 << $lane;
                    }
                }
                wrote
            }};
        }
        let wrote = match form.op {
            AtomicOp::Add => each!(|old, lane| Some(old.plus(a[lane]))),
            AtomicOp::Min => each!(|old, lane| Some(old.min(a[lane]))),
            AtomicOp::Max => each!(|old, lane| Some(old.max(a[lane]))),
            AtomicOp::And => each!(|old, lane| Some(old.and(a[lane]))),
            AtomicOp::Or => each!(|old, lane| Some(old.or(a[lane]))),
            AtomicOp::Xor => each!(|old, lane| Some(old.xor(a[lane]))),
            AtomicOp::Exch => each!(|_old, lane| Some(a[lane])),
            AtomicOp::Cas => {
                let b = rows.read::<T>(form.b);
                each!(|old, lane| (old == a[lane]).then_some(b[lane]))
            }
            AtomicOp::Inc => {
                each!(|old, lane| { Some(if old >= a[lane] { T::ZERO } else { old.plus(T::ONE) }) })
            }
            AtomicOp::Dec => each!(|old, lane| {
                let wraps = old == T::ZERO || old > a[lane];
                Some(if wraps { a[lane] } else { old.minus_one() })
            }),
        };
        if form.to != NO_ROW {
            rows.write(form.to, mask, &old_values);
        }
        wrote
    }
}
