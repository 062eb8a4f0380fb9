//! Loads, stores and atomics: where the address leads, what is there, and what is told about it.

use crate::alu;
use crate::launch::Fault;
use crate::memory;
use crate::step::{Context, window};
use crate::warp::{Warp, lanes};
use warpsan_event::{Access, AccessKind, LaneAddresses};
use warpsan_ir::{AtomicOp, BinaryOp, MemorySpace, Op, Type, Value};
use warpsan_model::{SiteId, Space, Strength};

/// Where an address leads: the space, and the address or offset in it.
type Place = (Space, u64);

/// What an event says about an access besides its lanes.
struct Told<'a> {
    kind: AccessKind,
    strength: Strength,
    bytes: u32,
    elements: usize,
    wrote: u32,
    values: &'a [u64],
    read_only_path: bool,
}

impl Context<'_, '_> {
    /// Loads for the lanes of `mask`. The access is told for those of `counts` only: the compiler
    /// may have moved the load in front of a condition of the program.
    pub(crate) fn load(
        &mut self,
        warp: &mut Warp,
        mask: u32,
        counts: u32,
        op: &Op,
        site: SiteId,
    ) -> Result<(), Fault> {
        let Op::Load { space, ty, strength, read_only_path, to, base, offset } = op else {
            return Ok(());
        };
        let bytes = ty.bytes();
        let places = self.places(warp, mask, *space, *base, *offset, bytes, to.len(), site)?;
        let mut values = [[0u64; 32]; 4];
        for lane in lanes(mask) {
            for (element, values) in values.iter_mut().enumerate().take(to.len()) {
                let at = places[lane].1 + element as u64 * u64::from(bytes);
                values[lane] = match self.peek(warp, lane, (places[lane].0, at), bytes) {
                    Some(value) => value,
                    None => return Err(self.bad_address(warp, lane, site, "reads", at, bytes)),
                };
            }
        }
        for (element, register) in to.iter().enumerate() {
            if let Some((register, bits)) = register {
                warp.set(*register, mask, |lane| alu::extend(*ty, *bits, values[element][lane]));
            }
        }
        let told = Told {
            kind: AccessKind::Read,
            strength: *strength,
            bytes,
            elements: to.len(),
            wrote: 0,
            values: &[],
            read_only_path: *read_only_path,
        };
        self.tell(warp, counts, &places, site, &told);
        Ok(())
    }

    pub(crate) fn store(
        &mut self,
        warp: &mut Warp,
        mask: u32,
        op: &Op,
        site: SiteId,
    ) -> Result<(), Fault> {
        let Op::Store { space, ty, strength, from, base, offset } = op else { return Ok(()) };
        let bytes = ty.bytes();
        let places = self.places(warp, mask, *space, *base, *offset, bytes, from.len(), site)?;
        let sources: Vec<[u64; 32]> = from.iter().map(|value| warp.value(*value)).collect();
        let mut values = Vec::new();
        for lane in lanes(mask) {
            for (element, source) in sources.iter().enumerate() {
                let at = places[lane].1 + element as u64 * u64::from(bytes);
                let value = alu::extend(*ty, 0, source[lane]);
                if self.poke(warp, lane, (places[lane].0, at), bytes, value).is_none() {
                    return Err(self.bad_address(warp, lane, site, "writes", at, bytes));
                }
                if self.trace.wants_values() {
                    values.push(value);
                }
            }
        }
        let told = Told {
            kind: AccessKind::Write,
            strength: *strength,
            bytes,
            elements: from.len(),
            wrote: mask,
            values: &values,
            read_only_path: false,
        };
        self.tell(warp, mask, &places, site, &told);
        Ok(())
    }

    pub(crate) fn atomic(
        &mut self,
        warp: &mut Warp,
        mask: u32,
        op: &Op,
        site: SiteId,
    ) -> Result<(), Fault> {
        let Op::Atomic { op, space, ty, strength, to, base, offset, a, b } = op else {
            return Ok(());
        };
        let bytes = ty.bytes();
        let places = self.places(warp, mask, *space, *base, *offset, bytes, 1, site)?;
        let a = warp.value(*a);
        let b = b.map_or([0; 32], |b: Value| warp.value(b));
        let mut old_values = [0u64; 32];
        let mut wrote = 0;
        for lane in lanes(mask) {
            let Some(old) = self.peek(warp, lane, places[lane], bytes) else {
                let at = places[lane].1;
                return Err(self.bad_address(warp, lane, site, "updates", at, bytes));
            };
            old_values[lane] = old;
            let flush = places[lane].0 == Space::Global && *ty == Type::F32;
            if let Some(new) = updated(*op, *ty, flush, old, a[lane], b[lane]) {
                if self.poke(warp, lane, places[lane], bytes, new).is_none() {
                    let at = places[lane].1;
                    return Err(self.bad_address(warp, lane, site, "updates", at, bytes));
                }
                wrote |= 1 << lane;
            }
        }
        if let Some(to) = to {
            warp.set(*to, mask, |lane| old_values[lane]);
        }
        let told = Told {
            kind: if to.is_some() { AccessKind::ReadModifyWrite } else { AccessKind::Reduction },
            strength: *strength,
            bytes,
            elements: 1,
            wrote,
            values: &[],
            read_only_path: false,
        };
        self.tell(warp, mask, &places, site, &told);
        Ok(())
    }

    /// Resolves the addresses of all active lanes and checks their alignment.
    #[expect(clippy::too_many_arguments, reason = "the operands of one instruction")]
    fn places(
        &self,
        warp: &Warp,
        mask: u32,
        space: MemorySpace,
        base: Value,
        offset: i64,
        bytes: u32,
        elements: usize,
        site: SiteId,
    ) -> Result<[Place; 32], Fault> {
        let base = warp.value(base);
        let mut places = [(Space::Global, 0); 32];
        let alignment = u64::from(bytes) * elements as u64;
        for lane in lanes(mask) {
            let address = base[lane].wrapping_add_signed(offset);
            // Addresses of shared and local memory are 32 bits wide.
            let place = match space {
                MemorySpace::Global => (Space::Global, address),
                MemorySpace::Const => (Space::Const, address),
                MemorySpace::Shared => (Space::Shared, address & 0xFFFF_FFFF),
                MemorySpace::Local => (Space::Local, address & 0xFFFF_FFFF),
                MemorySpace::Param => (Space::Param, address & 0xFFFF_FFFF),
                MemorySpace::Generic => generic(address),
            };
            if !place.1.is_multiple_of(alignment.max(1)) {
                let what =
                    format!("an address that is not a multiple of {alignment} ({:#x})", place.1);
                return Err(self.fault(warp, 1 << lane, site, what));
            }
            places[lane] = place;
        }
        Ok(places)
    }

    fn peek(&self, warp: &Warp, lane: usize, (space, at): Place, bytes: u32) -> Option<u64> {
        match space {
            Space::Global | Space::Const => self.memory.load(at, bytes),
            Space::Shared => read_bytes(self.shared, at, bytes),
            Space::Local => {
                let start = lane * warp.local_bytes;
                read_bytes(&warp.local[start..start + warp.local_bytes], at, bytes)
            }
            Space::Param => read_bytes(self.launch.parameters, at, bytes),
        }
    }

    fn poke(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        (space, at): Place,
        bytes: u32,
        value: u64,
    ) -> Option<()> {
        match space {
            Space::Global => self.memory.store(at, bytes, value),
            Space::Shared => write_bytes(self.shared, at, bytes, value),
            Space::Local => {
                let start = lane * warp.local_bytes;
                let end = start + warp.local_bytes;
                write_bytes(&mut warp.local[start..end], at, bytes, value)
            }
            Space::Const | Space::Param => None,
        }
    }

    /// Tells the sink. Lanes of one instruction may be in shared and in global memory at once.
    fn tell(
        &mut self,
        warp: &Warp,
        mask: u32,
        places: &[Place; 32],
        site: SiteId,
        told: &Told<'_>,
    ) {
        for space in [Space::Global, Space::Shared] {
            let here = lanes(mask)
                .filter(|lane| places[*lane].0 == space)
                .fold(0u32, |here, lane| here | 1 << lane);
            if here == 0 {
                continue;
            }
            let addresses: [u64; 32] = std::array::from_fn(|lane| places[lane].1);
            let mut own_values = Vec::new();
            let values = if here == mask || told.values.is_empty() {
                told.values
            } else {
                for (rank, lane) in lanes(mask).enumerate() {
                    if here >> lane & 1 == 1 {
                        let first = rank * told.elements;
                        own_values.extend_from_slice(&told.values[first..first + told.elements]);
                    }
                }
                &own_values
            };
            let access = Access {
                block: self.block,
                warp: warp.index,
                site,
                mask: here,
                wrote: told.wrote & here,
                space,
                kind: told.kind,
                strength: told.strength,
                bytes: told.bytes as u8,
                elements: told.elements as u8,
                addresses: LaneAddresses::Uniform(0),
                values,
                read_only_path: told.read_only_path,
            };
            self.trace.access(access, &addresses);
        }
    }

    #[cold]
    fn bad_address(
        &self,
        warp: &Warp,
        lane: usize,
        site: SiteId,
        does: &str,
        at: u64,
        bytes: u32,
    ) -> Fault {
        let what = format!("an illegal address: it {does} {bytes} bytes at {at:#x}");
        self.fault(warp, 1 << lane, site, what)
    }
}

fn generic(address: u64) -> Place {
    for (space, in_space) in [
        (MemorySpace::Shared, Space::Shared),
        (MemorySpace::Local, Space::Local),
        (MemorySpace::Param, Space::Param),
    ] {
        let offset = address.wrapping_sub(window(space));
        if offset < memory::WINDOW_BYTES {
            return (in_space, offset);
        }
    }
    (Space::Global, address)
}

/// The operation of two operands that an atomic applies, where it is one.
pub(crate) fn atomic_function(op: AtomicOp, ty: Type) -> Option<fn(u64, u64) -> u64> {
    alu::binary(
        match op {
            AtomicOp::Add => BinaryOp::Add,
            AtomicOp::Min => BinaryOp::Min,
            AtomicOp::Max => BinaryOp::Max,
            AtomicOp::And => BinaryOp::And,
            AtomicOp::Or => BinaryOp::Or,
            AtomicOp::Xor => BinaryOp::Xor,
            AtomicOp::Exch | AtomicOp::Cas | AtomicOp::Inc | AtomicOp::Dec => return None,
        },
        ty,
    )
}

/// The new value, or none where nothing is written. Additions of single precision in global memory
/// flush subnormal numbers.
fn updated(op: AtomicOp, ty: Type, flush: bool, old: u64, a: u64, b: u64) -> Option<u64> {
    let input = |bits| if flush { alu::flush(ty, bits) } else { bits };
    match op {
        AtomicOp::Add
        | AtomicOp::Min
        | AtomicOp::Max
        | AtomicOp::And
        | AtomicOp::Or
        | AtomicOp::Xor => {
            atomic_function(op, ty).map(|function| input(function(input(old), input(a))))
        }
        AtomicOp::Exch => Some(a),
        AtomicOp::Cas => (old == a).then_some(b),
        AtomicOp::Inc => Some(if old >= a { 0 } else { old + 1 }),
        AtomicOp::Dec => Some(if old == 0 || old > a { a } else { old - 1 }),
    }
}

fn read_bytes(memory: &[u8], at: u64, bytes: u32) -> Option<u64> {
    let start = usize::try_from(at).ok()?;
    let slice = memory.get(start..start.checked_add(bytes as usize)?)?;
    let mut value = [0; 8];
    value[..slice.len()].copy_from_slice(slice);
    Some(u64::from_le_bytes(value))
}

fn write_bytes(memory: &mut [u8], at: u64, bytes: u32, value: u64) -> Option<()> {
    let start = usize::try_from(at).ok()?;
    let slice = memory.get_mut(start..start.checked_add(bytes as usize)?)?;
    slice.copy_from_slice(&value.to_le_bytes()[..bytes as usize]);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomics_update_as_cuda_says() {
        assert_eq!(updated(AtomicOp::Inc, Type::U32, false, 3, 3, 0), Some(0));
        assert_eq!(updated(AtomicOp::Inc, Type::U32, false, 2, 3, 0), Some(3));
        assert_eq!(updated(AtomicOp::Dec, Type::U32, false, 0, 3, 0), Some(3));
        assert_eq!(updated(AtomicOp::Dec, Type::U32, false, 9, 3, 0), Some(3));
        assert_eq!(updated(AtomicOp::Cas, Type::B32, false, 1, 1, 7), Some(7));
        assert_eq!(
            updated(AtomicOp::Cas, Type::B32, false, 2, 1, 7),
            None,
            "a failed one only reads"
        );
        assert_eq!(updated(AtomicOp::Max, Type::S32, false, 0xFFFF_FFFF, 1, 0), Some(1));
    }
}
