//! Addresses of lanes, and the memory that they lead to.

use super::core::{Core, Running};
use crate::block::BlockInfo;
use crate::lanes::{Lane, Rows};
use crate::memory::{
    self, LOCAL_WINDOW, PARAM_WINDOW, SHARED_OF_BLOCK, SHARED_WINDOW, WINDOW_BYTES,
};
use crate::out_of_bounds::{GlobalAccess, NO_ARGUMENT};
use crate::outcome::{Fault, FaultKind};
use crate::program::rare::AddressOp;
use crate::program::{AccessForm, Address};
use crate::target::Target;
use crate::warp::{Warp, bits, lanes};
use warpsan_event::AccessKind;
use warpsan_ir::{MemorySpace, Value};

/// What is known of the addresses of an access.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Class {
    /// All lie in the range that was asked about.
    pub(crate) inside: bool,
    /// All are multiples of the access's size.
    pub(crate) aligned: bool,
    /// All are the same.
    pub(crate) uniform: bool,
    /// Each is as far from the one before as the access is large.
    pub(crate) dense: bool,
}

/// Looks at the addresses of all lanes: the range's start, how far behind it an access may begin,
/// and the size of an access.
#[inline(always)]
pub(crate) fn classify(addresses: &[u64; 32], start: u64, most: u64, bytes: u64) -> Class {
    let first = addresses[0];
    let (mut outside, mut low, mut differs, mut sparse) = (false, 0, 0, 0);
    for (lane, address) in addresses.iter().enumerate() {
        outside |= address.wrapping_sub(start) > most;
        low |= address;
        differs |= address ^ first;
        sparse |= address.wrapping_sub(first) ^ (lane as u64 * bytes);
    }
    Class {
        inside: !outside,
        aligned: low & (bytes - 1) == 0,
        uniform: differs == 0,
        dense: sparse == 0,
    }
}

/// The addresses of all lanes. A lane that is not active has that of the lowest active one, so that
/// it does not stand out.
///
/// # Safety
/// The address is one of the program that the rows were made for.
#[inline(always)]
pub(crate) unsafe fn addresses(rows: Rows, address: &Address, mask: u32) -> Addresses {
    let mut found = Addresses([0; 32]);
    // SAFETY: the caller answers for the rows.
    unsafe {
        let base = rows.source(address.base);
        if address.is_wide {
            for (lane, found) in found.0.iter_mut().enumerate() {
                *found = u64::get(base, lane).wrapping_add_signed(address.offset);
            }
        } else {
            let offset = address.offset as i32;
            for (lane, found) in found.0.iter_mut().enumerate() {
                *found = u64::from(u32::get(base, lane).wrapping_add_signed(offset));
            }
        }
    }
    if mask != u32::MAX {
        let stand_in = found.0[mask.trailing_zeros() as usize & 31];
        for (lane, address) in found.0.iter_mut().enumerate() {
            *address = if mask >> lane & 1 == 1 { *address } else { stand_in };
        }
    }
    found
}

/// The addresses of an operand whose register is numbered by its row.
pub(crate) fn operand_addresses(running: &Running, base: Value, offset: i64) -> [u64; 32] {
    match base {
        Value::Constant(constant) => [constant.wrapping_add_signed(offset); 32],
        Value::Register(register) => {
            let address = Address {
                space: MemorySpace::Generic,
                base: register.number,
                is_wide: register.bits == 64,
                offset,
            };
            // SAFETY: the register is one of the program.
            unsafe { addresses(running.rows, &address, running.mask).0 }
        }
    }
}

/// The addresses of all lanes. Where they begin in memory matters: vectors that lie across two lines
/// of the cache cost more than all the rest of a load.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Addresses(pub(crate) [u64; 32]);

impl std::ops::Deref for Addresses {
    type Target = [u64; 32];

    fn deref(&self) -> &[u64; 32] {
        &self.0
    }
}

/// An access that somebody tries to make.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Attempt<'w> {
    /// "reads", "writes", …
    pub(crate) does: &'w str,
    pub(crate) space: MemorySpace,
    pub(crate) address: u64,
    pub(crate) bytes: u64,
    /// What the address has to be a multiple of.
    pub(crate) alignment: u64,
}

impl<'w> Attempt<'w> {
    /// That of a load, store or atomic, whose address is still to be filled in.
    pub(crate) fn by(form: &AccessForm, does: &'w str) -> Attempt<'w> {
        let size = form.size();
        Attempt { does, space: form.address.space, address: 0, bytes: size, alignment: size }
    }
}

impl Core<'_> {
    /// Looks whether lanes access other memory than the pointer of their instruction points into.
    #[expect(clippy::too_many_arguments, reason = "what is said about an access")]
    pub(crate) fn look_for_strays(
        &mut self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        mask: u32,
        targets: &Targets,
        bytes: u64,
        kind: AccessKind,
    ) {
        let argument = self.program.argument_of(running.site);
        if argument == NO_ARGUMENT {
            return;
        }
        for lane in lanes(mask) {
            let Target::Global { address, .. } = targets[lane] else { continue };
            let thread = warp.thread(lane);
            let (site, block) = (running.site, block.index);
            let access = GlobalAccess { site, block, thread, kind, bytes, address };
            let memory = self.memory.memory();
            self.strays.look_at(&self.launch.pointers, argument, memory, access);
        }
    }

    /// Where an access of one lane goes, or what is wrong with it.
    pub(crate) fn target(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        lane: usize,
        attempt: Attempt<'_>,
    ) -> Result<Target, Fault> {
        let Attempt { does, space, address, bytes, alignment } = attempt;
        let explain = |kind: FaultKind, name: &str, why: String| {
            let what = format!("{name} address: it {does} {bytes} bytes at {address:#x}{why}");
            Err(self.fault(block, warp, 1 << lane, running.site, kind, what))
        };
        let refuse =
            |why: String| explain(FaultKind::IllegalAddress, "an illegal", format!(": {why}"));
        if address & (alignment - 1) != 0 {
            let why = format!(", which is not a multiple of {alignment}");
            return explain(FaultKind::MisalignedAddress, "a misaligned", why);
        }
        let fits = |offset: u64, size: u64| offset <= size && bytes <= size - offset;
        let (space, offset) = match space {
            MemorySpace::Generic => generic(address),
            MemorySpace::Frame => (MemorySpace::Local, address.wrapping_add(running.local)),
            space => (space, address),
        };
        match space {
            MemorySpace::Shared | MemorySpace::SharedCluster => {
                let (owner, pointer, size, offset) = match offset / SHARED_OF_BLOCK {
                    0 => (block.index, block.shared.pointer(), block.shared.bytes(), offset),
                    rank => match block.peers.get(rank as usize - 1) {
                        Some(peer) => {
                            (peer.index, peer.pointer, peer.bytes, offset % SHARED_OF_BLOCK)
                        }
                        None if rank as u32 == block.rank + 1 => (
                            block.index,
                            block.shared.pointer(),
                            block.shared.bytes(),
                            offset % SHARED_OF_BLOCK,
                        ),
                        None => {
                            return refuse("the cluster has no block of that rank".to_string());
                        }
                    },
                };
                if !fits(offset, size) {
                    return refuse(format!("the block has {size} bytes of shared memory"));
                }
                let pointer = pointer.wrapping_add(offset as usize);
                Ok(Target::Shared { owner, offset, pointer })
            }
            MemorySpace::Local => {
                let size = warp.local.len() as u64 * 4;
                if !fits(offset, size) {
                    return refuse(format!("the thread has {size} bytes of local memory"));
                }
                Ok(Target::Local { offset })
            }
            MemorySpace::Param => {
                let size = self.launch.parameters.len() as u64;
                if !fits(offset, size) {
                    return refuse(format!("the kernel has {size} bytes of parameters"));
                }
                Ok(Target::Param { offset })
            }
            _ => match self.memory.place(address, bytes) {
                Some(pointer) => Ok(Target::Global { address, pointer }),
                None => refuse(self.memory.memory().describe(address)),
            },
        }
    }

    /// `cvta`, `isspacep`, `mapa` and the like.
    pub(super) fn address_operation(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        op: &AddressOp,
    ) {
        let Running { mask, rows, local, .. } = *running;
        // SAFETY: the operands are those of the program.
        unsafe {
            match op {
                AddressOp::Convert { space, to_generic, to, from } => {
                    let window = window(*space);
                    let convert = |address: u64| match to_generic {
                        true => address.wrapping_add(window),
                        false => address.wrapping_sub(window),
                    };
                    rows.set(*to, mask, &rows.values(*from).map(convert));
                }
                AddressOp::Frame { to, offset, generic } => {
                    let address = local + offset + if *generic { LOCAL_WINDOW } else { 0 };
                    rows.set(*to, mask, &[address; 32]);
                }
                AddressOp::IsInSpace { space, to, address } => {
                    let addresses = rows.values(*address);
                    let value = bits(mask, |lane| self.is_in_space(addresses[lane], *space));
                    let predicate = &mut warp.predicates[running.predicates + to.0 as usize];
                    *predicate = (*predicate & !mask) | value;
                }
                AddressOp::Map { generic, to, from, rank } => {
                    let (from, rank) = (rows.values(*from), rows.values(*rank));
                    let base = if *generic { SHARED_WINDOW } else { 0 };
                    let mapped = std::array::from_fn(|lane| {
                        let offset = from[lane].wrapping_sub(base) % SHARED_OF_BLOCK;
                        base + (u64::from(rank[lane] as u32) + 1) * SHARED_OF_BLOCK + offset
                    });
                    rows.set(*to, mask, &mapped);
                }
                AddressOp::RankOf { generic, to, from } => {
                    let base = if *generic { SHARED_WINDOW } else { 0 };
                    let ranks = rows.values(*from).map(|address| {
                        match address.wrapping_sub(base) / SHARED_OF_BLOCK {
                            0 => u64::from(block.rank),
                            rank => rank - 1,
                        }
                    });
                    rows.set(*to, mask, &ranks);
                }
            }
        }
    }

    fn is_in_space(&self, address: u64, space: MemorySpace) -> bool {
        match space {
            MemorySpace::Global => {
                memory::is_device_address(address) || self.memory.memory().is_registered(address, 1)
            }
            MemorySpace::Const => self.launch.is_constant(address),
            MemorySpace::Shared => address.wrapping_sub(SHARED_WINDOW) < SHARED_OF_BLOCK,
            space => address.wrapping_sub(window(space)) < WINDOW_BYTES,
        }
    }

    /// Reads up to 16 bytes.
    pub(crate) fn peek(&self, warp: &Warp, lane: usize, target: Target, bytes: u64) -> u128 {
        let mut buffer = [0u8; 16];
        let buffer = &mut buffer[..bytes as usize];
        match target {
            Target::Global { pointer, .. } | Target::Shared { pointer, .. } => {
                // SAFETY: the target was checked to have so many bytes.
                unsafe { std::ptr::copy_nonoverlapping(pointer, buffer.as_mut_ptr(), buffer.len()) }
            }
            Target::Local { offset } => read_local(warp, lane, offset, buffer),
            Target::Param { offset } => {
                let start = offset as usize;
                buffer.copy_from_slice(&self.launch.parameters[start..start + bytes as usize]);
            }
        }
        little_endian(buffer)
    }

    /// Writes up to 16 bytes. Parameters are not written: they have no such instruction.
    pub(crate) fn poke(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        target: Target,
        bytes: u64,
        value: u128,
    ) {
        let buffer = value.to_le_bytes();
        let buffer = &buffer[..bytes as usize];
        match target {
            // SAFETY: the target was checked, and is in the mapping of device memory that is used.
            Target::Global { address, pointer } if self.notes.are_taken() => unsafe {
                self.notes.global(address, bytes, pointer);
            },
            // SAFETY: the target was checked.
            Target::Shared { offset, pointer, .. } if self.notes.are_taken() => unsafe {
                self.notes.shared(offset, bytes, pointer.wrapping_sub(offset as usize));
            },
            _ => {}
        }
        match target {
            Target::Global { pointer, .. } | Target::Shared { pointer, .. } => {
                // SAFETY: the target was checked to have so many bytes.
                unsafe { std::ptr::copy_nonoverlapping(buffer.as_ptr(), pointer, buffer.len()) }
            }
            Target::Local { offset } => write_local(warp, lane, offset, buffer),
            Target::Param { .. } => {}
        }
    }
}

fn little_endian(bytes: &[u8]) -> u128 {
    let mut all = [0; 16];
    all[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(all)
}

/// Bytes of a lane's local memory, whose words are spread over rows.
pub(crate) fn read_local(warp: &Warp, lane: usize, offset: u64, to: &mut [u8]) {
    for (index, byte) in to.iter_mut().enumerate() {
        let at = offset as usize + index;
        *byte = warp.local[at / 4].0[lane].to_le_bytes()[at % 4];
    }
}

pub(crate) fn write_local(warp: &mut Warp, lane: usize, offset: u64, from: &[u8]) {
    for (index, byte) in from.iter().enumerate() {
        let at = offset as usize + index;
        let word = &mut warp.local[at / 4].0[lane];
        let mut bytes = word.to_le_bytes();
        bytes[at % 4] = *byte;
        *word = u32::from_le_bytes(bytes);
    }
}

/// The space of a generic address, and the address in it.
fn generic(address: u64) -> (MemorySpace, u64) {
    for (space, window) in [
        (MemorySpace::SharedCluster, SHARED_WINDOW),
        (MemorySpace::Local, LOCAL_WINDOW),
        (MemorySpace::Param, PARAM_WINDOW),
    ] {
        let offset = address.wrapping_sub(window);
        if offset < WINDOW_BYTES {
            return (space, offset);
        }
    }
    (MemorySpace::Global, address)
}

/// The generic address of the first byte of a state space.
pub(crate) fn window(space: MemorySpace) -> u64 {
    match space {
        MemorySpace::Shared | MemorySpace::SharedCluster => SHARED_WINDOW,
        MemorySpace::Local | MemorySpace::Frame => LOCAL_WINDOW,
        MemorySpace::Param => PARAM_WINDOW,
        MemorySpace::Generic | MemorySpace::Global | MemorySpace::Const => 0,
    }
}

/// The targets of all active lanes; others have that of the lowest active one.
pub(crate) type Targets = [Target; 32];

impl Core<'_> {
    pub(crate) fn targets(
        &self,
        block: &BlockInfo,
        warp: &Warp,
        running: &Running,
        found: &[u64; 32],
        attempt: Attempt<'_>,
    ) -> Result<Targets, Fault> {
        let mut targets = [Target::Param { offset: 0 }; 32];
        for lane in lanes(running.mask) {
            let attempt = Attempt { address: found[lane], ..attempt };
            targets[lane] = self.target(block, warp, running, lane, attempt)?;
        }
        Ok(targets)
    }
}
