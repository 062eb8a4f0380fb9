//! Of what a launch needs copies, and where each piece of memory lies in a copy (section 5.1).

use super::layout::{GRANULE, MOST_TARGETS, Target};
use super::uses::{CopiesUse, OriginUse};
use std::collections::BTreeMap;
use warpsan_ir::{FormOfAccess, LaunchValues, disjoint};

/// Where memory of a launch is: addresses and sizes.
pub trait KnownMemory {
    /// The allocation that an address is in.
    fn allocation(&self, address: u64) -> Option<(u64, u64)>;
    /// A variable of the kernel's module.
    fn variable(&self, name: &str) -> Option<(u64, u64)>;
}

/// What a launch has copies of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placement {
    /// What there are copies of, and what is only set back, with their places.
    pub targets: Vec<Target>,
    /// Bytes of a copy.
    pub stride: u64,
    /// Bytes of what is kept from before the launch.
    pub original_bytes: u64,
    /// For each origin, what leads from an address to a copy that begins at 0; none where there are no copies.
    pub origins: Vec<Option<u64>>,
    /// Something is stored to memory that has no copies.
    pub stores_elsewhere: bool,
    /// Accesses of the text that are left out, of all to global memory.
    pub left_out: u32,
    /// See there.
    pub accesses: u32,
}

/// Why a launch cannot have copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPlacement {
    /// Nobody knows how much to copy.
    #[error("it stores to memory that is in no allocation of the program's")]
    UnknownMemory,
    /// See there.
    #[error("it stores to more than {MOST_TARGETS} allocations")]
    TooManyTargets,
    /// Copies of it would be merged as if they were stores.
    #[error("it has atomic operations on memory that it also loads or stores")]
    MixedAtomics,
}

/// The bytes of a copy begin at a multiple of this.
const STRIDE_ALIGNMENT: u64 = 256;

#[derive(Default)]
struct Group {
    bytes: u64,
    /// Numbers of accesses, each with its base.
    accesses: Vec<(usize, u64)>,
    origins: Vec<usize>,
}

impl Placement {
    /// Finds what a launch may write and threads may share. `sets_back` says that what only has to be set back may be: where
    /// regions are run again it may not.
    pub fn of(
        uses: &CopiesUse,
        launch: &LaunchValues<'_>,
        memory: &dyn KnownMemory,
        sets_back: bool,
    ) -> Result<Placement, NoPlacement> {
        let mut groups: BTreeMap<u64, Group> = BTreeMap::new();
        for (number, origin) in uses.origins.iter().enumerate() {
            let base = match origin {
                OriginUse::Parameter(at) => pointer(launch.parameters, *at),
                OriginUse::Variable(name) => memory.variable(name).map(|(address, _)| address),
            };
            let place = match (origin, base) {
                (OriginUse::Variable(name), _) => memory.variable(name),
                (_, Some(base)) => memory.allocation(base),
                _ => None,
            };
            let of_origin =
                (0..).zip(&uses.accesses).filter(|(_, one)| one.origin == number as u32);
            let (Some(base), Some((address, bytes))) = (base, place) else {
                if of_origin.into_iter().any(|(_, one)| one.writes) {
                    return Err(NoPlacement::UnknownMemory);
                }
                continue;
            };
            let group = groups.entry(address).or_default();
            group.bytes = bytes;
            group.origins.push(number);
            group.accesses.extend(of_origin.map(|(index, _)| (index, base)));
        }
        let mut placement = Placement {
            origins: vec![None; uses.origins.len()],
            accesses: uses.accesses.len() as u32,
            left_out: uses.accesses.len() as u32,
            ..Placement::default()
        };
        let mut only_set_back = Vec::new();
        for (address, group) in groups {
            match group.treatment(uses, launch)? {
                Treatment::LeaveOut => placement.stores_elsewhere |= group.stores(uses),
                Treatment::SetBack if sets_back => {
                    placement.stores_elsewhere = true;
                    only_set_back.push((address, group.bytes));
                }
                Treatment::SetBack | Treatment::Copy => {
                    placement.left_out -= group.accesses.len() as u32;
                    let start = place(placement.stride, address);
                    placement.stride = start + group.bytes;
                    for origin in group.origins {
                        placement.origins[origin] = Some(start.wrapping_sub(address));
                    }
                    let target = Target { address, bytes: group.bytes, start, only_set_back: 0 };
                    placement.targets.push(target);
                }
            }
        }
        placement.stride = placement.stride.next_multiple_of(STRIDE_ALIGNMENT);
        placement.original_bytes = placement.stride;
        for (address, bytes) in only_set_back {
            let start = place(placement.original_bytes, address);
            placement.original_bytes = (start + bytes).next_multiple_of(GRANULE);
            placement.targets.push(Target { address, bytes, start, only_set_back: 1 });
        }
        match placement.targets.len() <= MOST_TARGETS {
            true => Ok(placement),
            false => Err(NoPlacement::TooManyTargets),
        }
    }

    /// What leads from addresses to the copy at a place, by origin; 0 where there are none.
    pub fn displacements(&self, copies: u64) -> Vec<u64> {
        let displacement = |to: &Option<u64>| to.map_or(0, |to| to.wrapping_add(copies));
        self.origins.iter().map(displacement).collect()
    }
}

enum Treatment {
    LeaveOut,
    SetBack,
    Copy,
}

impl Group {
    fn stores(&self, uses: &CopiesUse) -> bool {
        self.accesses.iter().any(|(index, _)| uses.accesses[*index].writes)
    }

    fn treatment(
        &self,
        uses: &CopiesUse,
        launch: &LaunchValues<'_>,
    ) -> Result<Treatment, NoPlacement> {
        let accesses = || self.accesses.iter().map(|(index, base)| (&uses.accesses[*index], *base));
        if accesses().any(|(one, _)| one.is_atomic) {
            // Updates of any order, made where they are.
            return match accesses().all(|(one, _)| one.is_atomic) {
                true => Ok(Treatment::LeaveOut),
                false => Err(NoPlacement::MixedAtomics),
            };
        }
        if !accesses().any(|(one, _)| one.writes) {
            return Ok(Treatment::LeaveOut);
        }
        let forms: Option<Vec<FormOfAccess<'_>>> = accesses()
            .map(|(one, base)| {
                let form = one.form.as_ref()?;
                Some(FormOfAccess { base, form, threads: &one.threads, bytes: one.bytes })
            })
            .collect();
        if !forms.is_some_and(|forms| disjoint(&forms, launch)) {
            return Ok(Treatment::Copy);
        }
        // What nobody reads is the same however often it is stored.
        match accesses().all(|(one, _)| one.writes) {
            true => Ok(Treatment::LeaveOut),
            false => Ok(Treatment::SetBack),
        }
    }
}

/// The first place from here on that is as far from a granule's beginning as an address.
fn place(from: u64, address: u64) -> u64 {
    from.next_multiple_of(GRANULE) + address % GRANULE
}

fn pointer(parameters: &[u8], at: u32) -> Option<u64> {
    let at = at as usize;
    let bytes = parameters.get(at..at.checked_add(8)?)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}
