//! What memory was before it was written to, piece by piece, so that writes can be told by values, and undone.
//!
//! Whoever runs a block on a copy of memory runs it in place: the first write to a piece keeps what was there. Afterwards
//! the pieces are compared, taken away as the content of the copy, and put back. So a copy costs what is written to it, and not what the
//! memory has.

use super::space::{DEVICE_BASE, DEVICE_BYTES, PAGE};

/// Bytes of one piece of memory.
pub const PIECE: usize = 64;

/// Pieces of a page, one bit each.
const PIECES_OF_PAGE: u64 = PAGE / PIECE as u64;

/// Where a piece of memory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// In the shared memory of the block that runs, so far from its start.
    Shared(u32),
    /// In device memory.
    Global(u64),
}

/// A piece of memory that was written to, and what was there before.
#[derive(Debug, Clone, Copy)]
pub struct Piece {
    /// Where it begins: a multiple of [`PIECE`].
    pub place: Place,
    /// What was there.
    pub before: [u8; PIECE],
}

/// The pieces that were written to since the last look.
#[derive(Debug)]
pub(crate) struct Writes {
    pieces: Vec<Piece>,
    /// For each page of device memory the number of its bits, plus one. Only what is touched takes memory.
    pages: Vec<u32>,
    /// The pages with a number, and a bit for each piece of them that is in the list.
    numbered: Vec<(u32, u64)>,
    /// A bit for each piece of shared memory that is in the list.
    shared: Vec<u64>,
}

impl Writes {
    pub(crate) fn new() -> Writes {
        Writes {
            pieces: Vec::new(),
            pages: vec![0; (DEVICE_BYTES / PAGE) as usize],
            numbered: Vec::new(),
            shared: Vec::new(),
        }
    }

    /// Bytes at a device address are about to be written, and lie at the pointer. Memory of the host that is registered is not
    /// kept: who runs on copies refuses it.
    ///
    /// # Safety
    /// The whole pieces around the bytes can be read there.
    #[inline(always)]
    pub(crate) unsafe fn global(&mut self, address: u64, bytes: u64, pointer: *const u8) {
        let first = (address - DEVICE_BASE) / PIECE as u64;
        let last = (address - DEVICE_BASE + bytes - 1) / PIECE as u64;
        let start = pointer.wrapping_sub((address % PIECE as u64) as usize);
        for piece in first..=last {
            let page = (piece / PIECES_OF_PAGE) as usize;
            let mut number = self.pages[page];
            if number == 0 {
                number = self.number(page);
            }
            let known = &mut self.numbered[number as usize - 1].1;
            let bit = 1 << (piece % PIECES_OF_PAGE);
            if *known & bit == 0 {
                *known |= bit;
                let place = Place::Global(DEVICE_BASE + piece * PIECE as u64);
                let at = start.wrapping_add((piece - first) as usize * PIECE);
                // SAFETY: the caller says that the piece can be read.
                let before = unsafe { at.cast::<[u8; PIECE]>().read_unaligned() };
                self.pieces.push(Piece { place, before });
            }
        }
    }

    #[cold]
    fn number(&mut self, page: usize) -> u32 {
        self.numbered.push((page as u32, 0));
        self.pages[page] = self.numbered.len() as u32;
        self.pages[page]
    }

    /// The same for the shared memory of the block, which begins at the pointer.
    ///
    /// # Safety
    /// The whole pieces around the bytes can be read there.
    #[inline(always)]
    pub(crate) unsafe fn shared(&mut self, offset: u64, bytes: u64, start: *const u8) {
        let first = offset as usize / PIECE;
        let last = (offset + bytes - 1) as usize / PIECE;
        for piece in first..=last {
            if self.shared.len() <= piece / 64 {
                self.shared.resize(piece / 64 + 1, 0);
            }
            let known = &mut self.shared[piece / 64];
            let bit = 1 << (piece % 64);
            if *known & bit == 0 {
                *known |= bit;
                let at = start.wrapping_add(piece * PIECE);
                // SAFETY: the caller says that the piece can be read.
                let before = unsafe { at.cast::<[u8; PIECE]>().read_unaligned() };
                self.pieces.push(Piece { place: Place::Shared((piece * PIECE) as u32), before });
            }
        }
    }

    /// Hands out the pieces, in the order in which they were first written to, and begins anew.
    pub(crate) fn take(&mut self, to: &mut Vec<Piece>) {
        for piece in &self.pieces {
            match piece.place {
                Place::Shared(offset) => self.shared[offset as usize / PIECE / 64] = 0,
                Place::Global(address) => {
                    let page = ((address - DEVICE_BASE) / PAGE) as usize;
                    self.numbered[self.pages[page] as usize - 1].1 = 0;
                }
            }
        }
        to.clear();
        std::mem::swap(&mut self.pieces, to);
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.take(&mut Vec::new());
        self.take_pages();
    }

    /// The pages of device memory that were ever written to, and forgets them. Nothing is in the list.
    pub(crate) fn take_pages(&mut self) -> Vec<u32> {
        debug_assert!(self.pieces.is_empty());
        let pages: Vec<u32> = self.numbered.drain(..).map(|(page, _)| page).collect();
        for page in &pages {
            self.pages[*page as usize] = 0;
        }
        pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_write_to_a_piece_keeps_what_was_there() {
        let mut memory = [7u8; 4 * PIECE];
        let mut writes = Writes::new();
        let start = memory.as_mut_ptr();
        let at = DEVICE_BASE + PIECE as u64;
        // SAFETY: all pieces are inside of the array.
        unsafe {
            // Two bytes on either side of a border.
            writes.global(at + PIECE as u64 - 1, 2, start.add(2 * PIECE - 1));
            start.add(2 * PIECE - 1).write(9);
            writes.global(at + 3, 4, start.add(PIECE + 3));
            start.add(PIECE + 3).write(9);
            writes.shared(5, 1, start);
            writes.shared(6, 1, start);
        }
        let mut pieces = Vec::new();
        writes.take(&mut pieces);
        let places: Vec<Place> = pieces.iter().map(|piece| piece.place).collect();
        let border = at + PIECE as u64;
        assert_eq!(places, [Place::Global(at), Place::Global(border), Place::Shared(0)]);
        assert!(pieces.iter().all(|piece| piece.before == [7; PIECE]));
        writes.take(&mut pieces);
        assert!(pieces.is_empty());
        assert_eq!(writes.take_pages(), [0]);
        assert!(writes.take_pages().is_empty());
    }
}
