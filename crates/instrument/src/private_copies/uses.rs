//! Which pointers a kernel on private copies counts addresses from, and how, for the launch that has to say what needs copies.

use std::collections::HashMap;
use warpsan_ir::{Form, Function, Op, Origin, ThreadCondition, symbolic_addresses};

/// A pointer that addresses are counted from. Its number is its place in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OriginUse {
    /// At this byte of the parameters.
    Parameter(u32),
    /// A variable of the module.
    Variable(String),
}

/// An access of global memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessUse {
    /// The number of its origin.
    pub origin: u32,
    /// What is added to that, if it is known.
    pub form: Option<Form>,
    /// What holds of the threads that make it.
    pub threads: Vec<ThreadCondition>,
    /// Bytes of one thread.
    pub bytes: u32,
    /// It stores.
    pub writes: bool,
    /// It is an atomic operation.
    pub is_atomic: bool,
}

/// What a kernel on private copies does to memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CopiesUse {
    /// Where its addresses come from.
    pub origins: Vec<OriginUse>,
    /// Its accesses of global memory, for each of their origins.
    pub accesses: Vec<AccessUse>,
    /// It has barriers or shared memory, so that its warps are compared region by region.
    pub has_regions: bool,
    /// Bytes of all variables in shared memory, at most.
    pub shared_bytes: u32,
}

/// What an access counts its address from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OriginOfAccess {
    /// The origin of this number.
    One(u32),
    /// Any of several: where the address lies says which.
    Several,
}

impl std::fmt::Display for OriginOfAccess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OriginOfAccess::One(number) => write!(f, "{number}"),
            OriginOfAccess::Several => f.write_str("any"),
        }
    }
}

/// The origins of a kernel's accesses, by the place of the instruction in the text.
#[derive(Debug, Default)]
pub(crate) struct OriginsByPlace(HashMap<u32, OriginOfAccess>);

impl OriginsByPlace {
    pub(crate) fn get(&self, place: u32) -> Option<OriginOfAccess> {
        self.0.get(&place).copied()
    }
}

/// Looks through a kernel. Accesses without an origin are in no list.
pub(crate) fn of(function: &Function) -> (CopiesUse, OriginsByPlace) {
    let mut uses = CopiesUse::default();
    let mut places = OriginsByPlace::default();
    let addresses = symbolic_addresses(&function.code, &function.parameters);
    for (instruction, address) in function.code.iter().zip(addresses) {
        uses.has_regions |= matches!(instruction.op, Op::BlockBarrier { .. });
        let Some(address) = address else { continue };
        let (bytes, writes) = match &instruction.op {
            Op::Load { ty, to, .. } => (ty.bytes() * to.len() as u32, false),
            Op::Store { ty, from, .. } => (ty.bytes() * from.len() as u32, true),
            Op::Atomic { ty, .. } => (ty.bytes(), true),
            Op::AtomicVector { ty, from, .. } => (ty.bytes() * from.len() as u32, true),
            _ => continue,
        };
        let is_atomic = matches!(instruction.op, Op::Atomic { .. } | Op::AtomicVector { .. });
        for origin in &address.origins {
            let origin = match *origin {
                Origin::Parameter(at) => OriginUse::Parameter(at),
                Origin::Variable(symbol) => match function.symbols.get(symbol as usize) {
                    Some(name) => OriginUse::Variable(name.clone()),
                    None => continue,
                },
            };
            let known = uses.origins.iter().position(|one| *one == origin);
            let number = known.unwrap_or_else(|| {
                uses.origins.push(origin);
                uses.origins.len() - 1
            }) as u32;
            let choice = match address.origins.len() {
                1 => OriginOfAccess::One(number),
                _ => OriginOfAccess::Several,
            };
            places.0.insert(instruction.span.start, choice);
            let (form, threads) = (address.form.clone(), address.threads.clone());
            let access = AccessUse { origin: number, form, threads, bytes, writes, is_atomic };
            uses.accesses.push(access);
        }
    }
    uses.has_regions |= !function.shared.is_empty() || function.dynamic_shared.is_some();
    // Each may be moved for its alignment.
    let shared = function.shared.iter().map(|one| one.bytes + one.alignment.max(1));
    uses.shared_bytes = u32::try_from(shared.sum::<u64>()).unwrap_or(u32::MAX);
    (uses, places)
}
