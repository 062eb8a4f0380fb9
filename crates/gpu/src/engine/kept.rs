//! Instrumented kernels in files, each whole in one: its code and all that is known of it.
//!
//! A file is a mark, the checksum of the rest, the lengths of three parts, and the parts: a description and the
//! instructions, both JSON, and the code. Whatever is damaged is as good as not there.

use super::compiler::Compiled;
use super::instrumented::Ready;
use super::sites::Sites;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use warpsan_event::KernelFacts;
use warpsan_instrument::record::Paths;
use warpsan_instrument::{
    Access, CheckedAccess, CopiesUse, Cost, EntriesUse, EntryPlaces, Refusal, SharedEntries, Tiles,
    Uses, VariableUse,
};
use warpsan_model::Strength;

const MARK: &[u8] = b"warpsan kernel 3\n";
const CHECKSUM: usize = 32;
const LENGTH: usize = 8;

/// What a file holds: a kernel, or why there is none.
pub(super) type Kept = Result<Ready, KeptRefusal>;

/// Why a former run could not instrument a kernel: the sentence of its [`Refusal`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{0}")]
pub(super) struct KeptRefusal(pub(super) String);

impl From<&Refusal> for KeptRefusal {
    fn from(refusal: &Refusal) -> KeptRefusal {
        KeptRefusal(refusal.to_string())
    }
}

#[derive(Serialize, Deserialize)]
enum Description {
    Refused(KeptRefusal),
    Ready(Facts),
}

#[derive(Serialize, Deserialize)]
struct Facts {
    /// The code is text, which the driver compiles.
    is_text: bool,
    has_line_information: bool,
    accesses: Vec<AnyAccess>,
    /// Name, bytes, whether it is constant, and whether there is a copy.
    variables: Vec<(String, u64, bool, bool)>,
    /// Fences, barriers of warps, locks, parts of warps, recursion, and sets of blocks.
    uses: [bool; 6],
    /// How many entries have places of their own, which of these are of stores, and which are seldom used.
    places: (u32, [u64; 4], [u64; 4]),
    /// Of hb's entries: intervals, whether lanes scatter, and of shared memory the granule, the bytes of entries, and its variables.
    entries: KeptEntries,
    parameters: Vec<(usize, usize)>,
    /// Checked, pruned and speculated accesses; instructions, and those with checks.
    cost: [u32; 5],
}

#[derive(Serialize, Deserialize)]
enum KeptAccess {
    Load,
    Store,
    Atomic { block_scope: bool },
}

/// A file that says why there is no kernel.
pub(super) fn refused(refusal: KeptRefusal) -> Vec<u8> {
    serde_json::to_vec(&Description::Refused(refusal))
        .map_or(Vec::new(), |description| file(&description, &[], &[]))
}

/// A file with a kernel.
pub(super) fn ready(ready: &Ready) -> Option<Vec<u8>> {
    let Ready { code, sites, accesses, variables, uses, parameters, cost, .. } = ready;
    let Uses { fences, warp_barriers, locks, parts_of_warps, recursion, .. } = *uses;
    let Cost { checked, pruned, speculated, instructions, instrumented } = *cost;
    let facts = Facts {
        is_text: matches!(code, Compiled::Text(_)),
        has_line_information: ready.has_line_information,
        accesses: accesses.iter().map(access_to_keep).collect(),
        variables: variables.iter().map(variable_to_keep).collect(),
        uses: [fences, warp_barriers, locks, parts_of_warps, recursion, uses.block_sets],
        places: (uses.places.count, uses.places.written, uses.places.seldom),
        entries: entries_to_keep(&uses.entries),
        parameters: parameters.clone(),
        cost: [checked, pruned, speculated, instructions, instrumented],
    };
    let code = match code {
        Compiled::Cubin(bytes) => bytes.as_slice(),
        Compiled::Text(text) => text.as_bytes(),
    };
    let description = serde_json::to_vec(&Description::Ready(facts)).ok()?;
    Some(file(&description, &sites.to_keep()?, code))
}

/// An access: what it is, how strong, how many bytes, what else hb's entries know, and what it stores.
type AnyAccess = (KeptAccess, Strength, u32, [bool; 3], Option<u64>);

fn access_to_keep(checked: &CheckedAccess) -> AnyAccess {
    let CheckedAccess { access, strength, bytes, stored, .. } = *checked;
    let CheckedAccess { read_only_path, of_whole_warp, copies, .. } = *checked;
    let access = match access {
        Access::Load => KeptAccess::Load,
        Access::Store => KeptAccess::Store,
        Access::Atomic { block_scope } => KeptAccess::Atomic { block_scope },
    };
    (access, strength, bytes, [read_only_path, of_whole_warp, copies], stored)
}

/// Intervals, whether accesses scatter, entries of shared memory, and tiles.
type KeptEntries = (u32, bool, Option<([u32; 3], bool)>, Option<(u32, bool)>);

fn entries_to_keep(entries: &EntriesUse) -> KeptEntries {
    let EntriesUse { intervals, shared, scatters, tiles } = *entries;
    let shared = shared.map(|shared| {
        let SharedEntries { granule_shift, entry_shift, static_bytes, in_slot } = shared;
        ([granule_shift, entry_shift, static_bytes], in_slot)
    });
    let tiles = tiles.map(|Tiles { shift, beside_whole }| (shift, beside_whole));
    (intervals, scatters, shared, tiles)
}

fn kept_entries((intervals, scatters, shared, tiles): KeptEntries) -> EntriesUse {
    let shared = shared.map(|([granule_shift, entry_shift, static_bytes], in_slot)| {
        SharedEntries { granule_shift, entry_shift, static_bytes, in_slot }
    });
    let tiles = tiles.map(|(shift, beside_whole)| Tiles { shift, beside_whole });
    EntriesUse { intervals, shared, scatters, tiles }
}

fn variable_to_keep(variable: &VariableUse) -> (String, u64, bool, bool) {
    let VariableUse { name, bytes, constant, has_copy } = variable;
    (name.clone(), *bytes, *constant, *has_copy)
}

fn file(description: &[u8], sites: &[u8], code: &[u8]) -> Vec<u8> {
    let parts = [description, sites, code];
    let mut rest = Vec::new();
    parts.iter().for_each(|part| rest.extend((part.len() as u64).to_le_bytes()));
    parts.iter().for_each(|part| rest.extend_from_slice(part));
    [MARK, &Sha256::digest(&rest), &rest].concat()
}

/// What a file holds; nothing if it is damaged.
pub(super) fn read(bytes: &[u8]) -> Option<Kept> {
    let rest = bytes.strip_prefix(MARK)?;
    let (checksum, rest) = rest.split_at_checked(CHECKSUM)?;
    if *Sha256::digest(rest) != *checksum {
        return None;
    }
    let (lengths, mut rest) = rest.split_at_checked(3 * LENGTH)?;
    let mut parts: [&[u8]; 3] = [&[]; 3];
    for (part, length) in parts.iter_mut().zip(lengths.chunks_exact(LENGTH)) {
        let length = u64::from_le_bytes(length.try_into().ok()?);
        (*part, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    }
    let [description, sites, code] = parts;
    let facts = match serde_json::from_slice(description).ok()? {
        Description::Refused(refusal) => return Some(Err(refusal)),
        Description::Ready(facts) => facts,
    };
    let code = match facts.is_text {
        true => Compiled::Text(String::from_utf8(code.to_vec()).ok()?),
        false => Compiled::Cubin(code.to_vec()),
    };
    let [fences, warp_barriers, locks, parts_of_warps, recursion, block_sets] = facts.uses;
    let (count, written, seldom) = facts.places;
    let [checked, pruned, speculated, instructions, instrumented] = facts.cost;
    let variables = facts
        .variables
        .into_iter()
        .map(|(name, bytes, constant, has_copy)| VariableUse { name, bytes, constant, has_copy });
    Some(Ok(Ready {
        code,
        sites: Sites::kept(sites),
        accesses: facts.accesses.into_iter().map(kept_access).collect(),
        variables: variables.collect(),
        uses: Uses {
            fences,
            warp_barriers,
            locks,
            parts_of_warps,
            recursion,
            block_sets,
            places: EntryPlaces { count, written, seldom },
            entries: kept_entries(facts.entries),
        },
        parameters: facts.parameters,
        cost: Cost { checked, pruned, speculated, instructions, instrumented },
        copies: CopiesUse::default(),
        has_line_information: facts.has_line_information,
        infos: Vec::new(),
        paths: Paths::default(),
        facts: KernelFacts::default(),
    }))
}

fn kept_access(kept: AnyAccess) -> CheckedAccess {
    let (access, strength, bytes, [read_only_path, of_whole_warp, copies], stored) = kept;
    let access = match access {
        KeptAccess::Load => Access::Load,
        KeptAccess::Store => Access::Store,
        KeptAccess::Atomic { block_scope } => Access::Atomic { block_scope },
    };
    CheckedAccess { access, strength, bytes, read_only_path, of_whole_warp, copies, stored }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_event::{Site, SiteTable};

    fn sample(code: Compiled) -> Ready {
        let site = Site::new("ld.global.u32", 7, Vec::new());
        Ready {
            code,
            sites: SiteTable { sites: vec![site] }.into(),
            accesses: vec![
                CheckedAccess::new(Access::Load, Strength::Weak, 8),
                CheckedAccess {
                    access: Access::Atomic { block_scope: true },
                    strength: Strength::Volatile,
                    bytes: 4,
                    read_only_path: true,
                    of_whole_warp: false,
                    copies: true,
                    stored: Some(7),
                },
            ],
            variables: vec![VariableUse {
                name: "table".to_owned(),
                bytes: 40,
                constant: true,
                has_copy: true,
            }],
            uses: Uses { fences: true, locks: true, ..Uses::default() },
            parameters: vec![(0, 8), (8, 4)],
            cost: Cost {
                checked: 2,
                pruned: 1,
                instructions: 9,
                instrumented: 3,
                ..Cost::default()
            },
            has_line_information: true,
            copies: CopiesUse::default(),
            infos: Vec::new(),
            paths: Paths::default(),
            facts: KernelFacts::default(),
        }
    }

    #[test]
    fn what_is_read_is_what_was_kept() {
        for code in [Compiled::Cubin(vec![1, 2, 3]), Compiled::Text(".version 8.4".to_owned())] {
            let before = sample(code);
            let file = ready(&before).expect("a file");
            let Some(Ok(after)) = read(&file) else { panic!("it can be read") };
            assert_eq!(format!("{:?}", after.sites.table()), format!("{:?}", before.sites.table()));
            let without_sites =
                |ready: Ready| format!("{:?}", Ready { sites: Sites::kept(&[]), ..ready });
            assert_eq!(without_sites(after), without_sites(before));
        }
        let refusal = KeptRefusal::from(&Refusal::NoPtx);
        let kept = read(&refused(refusal.clone()));
        assert!(matches!(kept, Some(Err(kept)) if kept == refusal));
        assert_eq!(refusal.to_string(), Refusal::NoPtx.to_string());
    }

    #[test]
    fn what_is_damaged_is_not_there() {
        let file = ready(&sample(Compiled::Cubin(vec![9; 100]))).expect("a file");
        for length in 0..file.len() {
            assert!(read(&file[..length]).is_none(), "cut off at {length}");
        }
        for at in 0..file.len() {
            let mut damaged = file.clone();
            damaged[at] ^= 0x10;
            assert!(read(&damaged).is_none(), "another byte at {at}");
        }
    }
}
