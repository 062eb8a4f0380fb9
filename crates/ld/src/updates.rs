//! Atomic updates in copies of memory: those that may be made in any order are made once more where copies become one.

use crate::pieces::Bytes;
use crate::union::{Changes, Union};
use rustc_hash::FxHashMap;
use warpsan_simt::{BlockRun, PIECE, Place, Update};

/// The piece that a place is in, and how far from its start.
fn piece_of(place: Place) -> (Place, usize) {
    match place {
        Place::Shared(offset) => {
            let within = offset % PIECE as u32;
            (Place::Shared(offset - within), within as usize)
        }
        Place::Global(address) => {
            let within = address % PIECE as u64;
            (Place::Global(address - within), within as usize)
        }
    }
}

fn number(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// Takes updates out of the changes of a copy: what only updates changed is no write. Where a copy wrote to a place besides, its
/// value counts as written, and its updates are left out.
pub(crate) fn take_out(changes: &mut Changes, updates: &mut Vec<Update>) {
    if updates.is_empty() {
        return;
    }
    let at: FxHashMap<Place, usize> =
        changes.iter().enumerate().map(|(at, changed)| (changed.place, at)).collect();
    // What each place would be, had only updates changed it.
    let mut values: FxHashMap<(Place, usize), u64> = FxHashMap::default();
    for update in updates.iter() {
        let (piece, within) = piece_of(update.place);
        let Some(&changed) = at.get(&piece) else { continue };
        let before = &changes[changed].before[within..within + update.bytes()];
        let value = values.entry((update.place, update.bytes())).or_insert_with(|| number(before));
        *value = update.apply(*value);
    }
    let is_pure = |update: &Update| {
        let (piece, within) = piece_of(update.place);
        // Updates that changed nothing in sum have left no change, and do no harm.
        let Some(&changed) = at.get(&piece) else { return true };
        let after = &changes[changed].after[within..within + update.bytes()];
        let mask = if update.bytes() == 8 { u64::MAX } else { (1 << (update.bytes() * 8)) - 1 };
        let value = values.get(&(update.place, update.bytes()));
        value.is_some_and(|value| value & mask == number(after))
    };
    updates.retain(is_pure);
    for update in updates.iter() {
        let (piece, within) = piece_of(update.place);
        if let Some(&changed) = at.get(&piece) {
            let ones: Bytes = (1 << update.bytes()) - 1;
            changes[changed].bytes &= !(ones << within);
        }
    }
    changes.retain(|changed| changed.bytes != 0);
}

/// Makes updates in the memory of a block.
pub(crate) fn make(run: &mut BlockRun<'_>, updates: &[Update]) {
    for update in updates {
        let (piece, within) = piece_of(update.place);
        let mut content = run.content(piece);
        let bytes = &mut content[within..within + update.bytes()];
        let value = update.apply(number(bytes));
        bytes.copy_from_slice(&value.to_le_bytes()[..update.bytes()]);
        run.put(piece, &content);
    }
}

/// Makes updates of device memory in a union, whose pieces have to be there.
pub(crate) fn make_in(union: &mut Union, updates: &[Update]) {
    for update in updates {
        let (piece, within) = piece_of(update.place);
        let Ok(at) = union.pieces.binary_search_by_key(&piece, |piece| piece.place) else {
            continue;
        };
        let piece = &mut union.pieces[at];
        let bytes = &mut piece.after[within..within + update.bytes()];
        let value = update.apply(number(bytes));
        bytes.copy_from_slice(&value.to_le_bytes()[..update.bytes()]);
        let ones: Bytes = (1 << update.bytes()) - 1;
        piece.changed |= ones << within;
    }
}

/// The pieces that updates are in.
pub(crate) fn pieces(updates: &[Update]) -> impl Iterator<Item = Place> + '_ {
    updates.iter().map(|update| piece_of(update.place).0)
}
