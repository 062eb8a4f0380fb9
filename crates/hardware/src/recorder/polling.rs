//! Loops that poll: a strong load or an atomic that leaves memory as it is, made again by the same lanes and
//! the same instruction, with nothing in between. What ends such a loop is a write of another warp that came after its first turn.

use crate::workload::Poll;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};
use warpsan_event::{Access, AccessKind};
use warpsan_model::SiteId;

/// Operations that no warp ever has: nobody is known who ends the loop.
const NEVER: u32 = u32::MAX;

/// The last write to a word.
#[derive(Debug, Clone, Copy)]
struct Change {
    when: u64,
    block: u32,
    warp: u32,
    /// How many operations the warp had with it.
    operations: u32,
}

/// The last turn of a warp that changed nothing.
#[derive(Debug, Clone, Copy)]
struct Turn {
    site: SiteId,
    /// A hash of the lanes and their addresses.
    places: u64,
    /// How many operations the warp had with it.
    operations: u32,
    /// When the first turn was made, and how many there were.
    since: u64,
    turns: u32,
}

/// What is known of strong accesses of a launch.
#[derive(Debug, Default)]
pub(super) struct Polling {
    /// By the first word of a write, which stands for all of its words.
    changes: FxHashMap<u64, Change>,
    turns: FxHashMap<(u32, u32), Turn>,
    accesses: u64,
}

impl Polling {
    /// Looks at a strong access of a warp that has had so many operations. If it is one more turn of the last of
    /// them, says what that one polls for.
    pub(super) fn look_at(&mut self, access: &Access<'_>, before: u32) -> Option<Poll> {
        let (_, address) = access.lanes().next()?;
        let (block, warp) = (access.block.0, access.warp);
        self.accesses += 1;
        let mut places = FxHasher::default();
        access.lanes().for_each(|lane| lane.hash(&mut places));
        let places = places.finish();
        let last = self.turns.remove(&(block, warp)).filter(|last| {
            (last.site, last.places, last.operations) == (access.site, places, before)
        });
        let operations = if last.is_some() { before } else { before + 1 };
        let since = last.map_or(self.accesses, |last| last.since);
        let turns = last.map_or(1, |last| last.turns + 1);
        let changed = self.changes.get(&(address / 4)).copied();
        if leaves_memory(access) {
            let turn = Turn { site: access.site, places, operations, since, turns };
            self.turns.insert((block, warp), turn);
        } else if access.kind != AccessKind::Read {
            let change = Change { when: self.accesses, block, warp, operations };
            self.changes.insert(address / 4, change);
        }
        last?;
        let by_another =
            changed.filter(|by| by.when > since && (by.block, by.warp) != (block, warp));
        let nobody = Change { when: 0, block, warp, operations: NEVER };
        let Change { block, warp, operations, .. } = by_another.unwrap_or(nobody);
        Some(Poll { operation: before - 1, turns, block, warp, operations })
    }

    /// A launch has ended.
    pub(super) fn clear(&mut self) {
        *self = Polling::default();
    }
}

/// Whether an access leaves memory as it was, as far as the recording says.
fn leaves_memory(access: &Access<'_>) -> bool {
    let mut changes = access.values.chunks_exact(2);
    match access.kind {
        AccessKind::Read => true,
        AccessKind::ReadModifyWrite if access.wrote == 0 => true,
        AccessKind::ReadModifyWrite if access.bytes <= 8 && !access.values.is_empty() => {
            changes.all(|values| values[0] == values[1])
        }
        _ => false,
    }
}
