//! What copies of memory changed, who changed the same, and what all of them together make of it: sections 4.1 to 4.3.
//!
//! Changes are sorted by address, and one sweep over them does everything: writes, conflicts and the union (the paper's fused
//! kernel). Each piece of memory is looked at once, by one who needs no locks.

use crate::pieces::{Bytes, Content, blend, differing};
use smallvec::{SmallVec, smallvec};
use warpsan_simt::{BlockRun, PIECE, Piece, Place};

/// The number of a private copy, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct CopyId(pub(crate) u32);

/// A piece of memory that one copy changed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Changed {
    pub(crate) place: Place,
    /// S: what was there before the region.
    pub(crate) before: Content,
    /// P1: what the copy has there.
    pub(crate) after: Content,
    /// The bytes in which they differ; at least one.
    pub(crate) bytes: Bytes,
}

/// All that one copy changed.
pub(crate) type Changes = Vec<Changed>;

/// Takes what was written away as the changes of a copy, and puts back what was there before.
pub(crate) fn take_changes(
    run: &mut BlockRun<'_>,
    written: &[Piece],
    keeps: impl Fn(Place) -> bool,
) -> Changes {
    let mut changes = Vec::new();
    for piece in written {
        let after = run.content(piece.place);
        let bytes = differing(&piece.before, &after);
        if bytes == 0 {
            continue;
        }
        run.put(piece.place, &piece.before);
        if keeps(piece.place) {
            let Piece { place, before } = *piece;
            changes.push(Changed { place, before, after, bytes });
        }
    }
    changes
}

/// A piece of memory that copies changed.
#[derive(Debug, Clone)]
pub(crate) struct UnionPiece {
    pub(crate) place: Place,
    /// S.
    pub(crate) before: Content,
    /// U: where several copies changed a byte, it is the last one's.
    pub(crate) after: Content,
    /// Bytes that somebody changed.
    pub(crate) changed: Bytes,
    /// Bytes that more than one changed.
    pub(crate) contested: Bytes,
    /// Who changed which of them, in the order of copies.
    pub(crate) writers: SmallVec<[(CopyId, Bytes); 2]>,
    /// For each writer, the number of the piece among its changes.
    numbers: SmallVec<[u32; 2]>,
}

/// What all copies together changed, in the order of places.
#[derive(Debug, Default)]
pub(crate) struct Union {
    pub(crate) pieces: Vec<UnionPiece>,
}

impl Union {
    /// Merges copies in their order.
    pub(crate) fn of(copies: &[Changes]) -> Union {
        let mut order: Vec<(Place, u32, u32)> = Vec::new();
        for (copy, changes) in copies.iter().enumerate() {
            let places = changes.iter().enumerate();
            order.extend(places.map(|(at, changed)| (changed.place, copy as u32, at as u32)));
        }
        order.sort_unstable();
        let mut pieces: Vec<UnionPiece> = Vec::with_capacity(order.len());
        for (place, copy, at) in order {
            let changed = &copies[copy as usize][at as usize];
            let id = CopyId(copy);
            match pieces.last_mut() {
                Some(piece) if piece.place == place => {
                    piece.contested |= piece.changed & changed.bytes;
                    piece.changed |= changed.bytes;
                    piece.after = blend(&piece.after, &changed.after, changed.bytes);
                    piece.writers.push((id, changed.bytes));
                    piece.numbers.push(at);
                }
                _ => pieces.push(UnionPiece {
                    place,
                    before: changed.before,
                    after: blend(&changed.before, &changed.after, changed.bytes),
                    changed: changed.bytes,
                    contested: 0,
                    writers: smallvec![(id, changed.bytes)],
                    numbers: smallvec![at],
                }),
            }
        }
        Union { pieces }
    }

    pub(crate) fn find(&self, place: Place) -> Option<&UnionPiece> {
        let found = self.pieces.binary_search_by_key(&place, |piece| piece.place);
        found.ok().map(|at| &self.pieces[at])
    }

    /// Pieces with bytes that more than one copy changed.
    pub(crate) fn contested(&self) -> impl Iterator<Item = &UnionPiece> {
        self.pieces.iter().filter(|piece| piece.contested != 0)
    }

    /// Bytes that a copy other than this one changed, and where.
    pub(crate) fn changed_by_others(
        &self,
        own: CopyId,
    ) -> impl Iterator<Item = (&UnionPiece, Bytes)> {
        self.pieces.iter().filter_map(move |piece| {
            let others = piece.writers.iter().filter(|(copy, _)| *copy != own);
            let bytes = others.fold(0, |bytes, (_, changed)| bytes | changed);
            (bytes != 0).then_some((piece, bytes))
        })
    }

    /// Memory that holds U gets what it would be without the changes of one copy: P2. Bytes that others have changed, too, are
    /// theirs then.
    pub(crate) fn revert(&self, run: &mut BlockRun<'_>, copies: &[Changes], own: CopyId) {
        for changed in &copies[own.0 as usize] {
            let now = run.content(changed.place);
            let mut content = blend(&now, &changed.before, changed.bytes);
            let piece =
                self.find(changed.place).filter(|piece| piece.contested & changed.bytes != 0);
            for (&(copy, bytes), &at) in
                piece.iter().flat_map(|piece| piece.writers.iter().zip(&piece.numbers))
            {
                if copy != own {
                    let other = &copies[copy.0 as usize][at as usize];
                    content = blend(&content, &other.after, bytes & changed.bytes);
                }
            }
            run.put(changed.place, &content);
        }
    }

    /// Compares memory with U, where a copy was run in it again: the bytes in which it differs, which were then put back.
    /// A byte that several copies changed has to be what this copy made of it before.
    pub(crate) fn compare(
        &self,
        run: &mut BlockRun<'_>,
        own: &Changes,
        written: &[Piece],
        keeps: impl Fn(Place) -> bool,
    ) -> Vec<(Place, Bytes)> {
        let mut differences = Vec::new();
        let mut look =
            |run: &mut BlockRun<'_>, place: Place, expected: &Content, union: &Content| {
                let now = run.content(place);
                let bytes = differing(&now, expected);
                if bytes != 0 && keeps(place) {
                    differences.push((place, bytes));
                }
                if differing(&now, union) != 0 {
                    run.put(place, union);
                }
            };
        for changed in own {
            let Some(piece) = self.find(changed.place) else { continue };
            let contested = piece.contested & changed.bytes;
            let expected = blend(&piece.after, &changed.after, contested);
            look(run, changed.place, &expected, &piece.after);
        }
        for piece in written {
            // Where the copy had changed something before, this was looked at, and memory is U again.
            match self.find(piece.place) {
                Some(union) => look(run, piece.place, &union.after, &union.after),
                None => look(run, piece.place, &piece.before, &piece.before),
            }
        }
        differences.sort_unstable_by_key(|(place, _)| *place);
        differences
    }

    /// Bytes of private copies that are held for it.
    pub(crate) fn bytes_of(copies: &[Changes]) -> u64 {
        copies.iter().map(|changes| (changes.len() * PIECE) as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(place: u32, bytes: &[(usize, u8)]) -> Changed {
        let before = [0; PIECE];
        let mut after = before;
        for (at, byte) in bytes {
            after[*at] = *byte;
        }
        Changed { place: Place::Shared(place), before, after, bytes: differing(&before, &after) }
    }

    #[test]
    fn neighbouring_bytes_do_not_conflict_and_the_same_byte_does() {
        let copies = [
            vec![change(64, &[(0, 1), (1, 2)])],
            vec![change(0, &[(9, 9)])],
            vec![change(64, &[(2, 3)])],
        ];
        let union = Union::of(&copies);
        assert_eq!(union.contested().count(), 0);
        assert_eq!(union.pieces.len(), 2);
        assert_eq!(union.pieces[1].after[..4], [1, 2, 3, 0]);
        let copies = [copies[0].clone(), vec![change(64, &[(1, 7)])]];
        let union = Union::of(&copies);
        let [piece] = &union.pieces[..] else { panic!("one piece") };
        assert_eq!((piece.contested, piece.changed), (0b10, 0b11));
        assert_eq!(piece.after[..2], [1, 7], "the last one's");
        let others: Vec<Bytes> = union.changed_by_others(CopyId(0)).map(|one| one.1).collect();
        assert_eq!(others, [0b10]);
    }

    #[test]
    fn a_value_that_is_stored_again_is_no_write() {
        let unchanged = change(0, &[]);
        assert_eq!(unchanged.bytes, 0, "section 4.7: restored values are not seen");
    }
}
