//! Blocks of the heap: where they begin, how large they are, and who allocated them.
//!
//! Blocks are the C library's. Each is 16 bytes larger than the program asked for, and has a note at its end; a table has
//! one bit for every 16 bytes of addresses, set where a block begins, so that the block of any address can be found.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::context::Context;
use crate::lock::locked;
use crate::system;

/// A block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) start: u64,
    /// As the program asked for.
    pub(crate) bytes: u64,
    pub(crate) thread: u32,
    pub(crate) calls: Context,
}

/// What a block has at its end.
#[repr(C)]
#[derive(Clone, Copy)]
struct Note {
    calls: u32,
    thread: u32,
    /// [`Note::MARK`] in the upper 16 bits.
    bytes: u64,
}

impl Note {
    const MARK: u64 = 0x5a7e << 48;
    const BYTES: u64 = (1 << 48) - 1;
}

/// Bytes that a block has for its note.
pub(crate) const NOTE: usize = size_of::<Note>();

/// All blocks.
#[derive(Default)]
pub(crate) struct Blocks {
    starts: Starts,
    freed: Mutex<VecDeque<Block>>,
}

/// So many blocks are remembered after they were freed.
const FREED: usize = 4096;

impl Blocks {
    /// A block was allocated with room for a note.
    ///
    /// # Safety
    ///
    /// The C library has so many usable bytes there, which are at least `bytes` and a note.
    pub(crate) unsafe fn add(&self, block: Block, usable: usize) {
        let note = Note {
            calls: block.calls.number(),
            thread: block.thread,
            bytes: Note::MARK | (block.bytes & Note::BYTES),
        };
        // SAFETY: the note is within the block, behind what the program uses.
        unsafe { note_place(block.start, usable).write_unaligned(note) };
        self.starts.set(block.start, true);
    }

    /// The block that begins here, if one does.
    ///
    /// # Safety
    ///
    /// If so, it is not freed meanwhile.
    pub(crate) unsafe fn at(&self, start: u64) -> Option<Block> {
        if !self.starts.is_set(start) {
            return None;
        }
        // SAFETY: a block begins here that was allocated by us, so it has a note at its end.
        let note = unsafe {
            let usable = libc_usable_size(start as *mut c_void);
            note_place(start, usable).read_unaligned()
        };
        let is_note = note.bytes & !Note::BYTES == Note::MARK;
        is_note.then_some(Block {
            start,
            bytes: note.bytes & Note::BYTES,
            thread: note.thread,
            calls: Context::from_number(note.calls),
        })
    }

    /// A block is about to be freed.
    pub(crate) fn remove(&self, block: Block) {
        self.starts.set(block.start, false);
        let mut freed = locked(&self.freed);
        if freed.len() == FREED {
            freed.pop_front();
        }
        freed.push_back(block);
    }

    /// The block that has this address, and whether it was freed.
    pub(crate) fn find(&self, address: u64) -> Option<(Block, bool)> {
        // SAFETY: a block that is freed at this moment leaves memory that is still mapped nearly always; its note is checked.
        let live = self.starts.last_before(address).and_then(|start| unsafe { self.at(start) });
        let has = |block: &Block| address - block.start < block.bytes.max(1);
        if let Some(block) = live.filter(has) {
            return Some((block, false));
        }
        let freed = locked(&self.freed);
        let gone = freed.iter().rev().find(|block| block.start <= address && has(block));
        gone.map(|block| (*block, true))
    }
}

fn note_place(start: u64, usable: usize) -> *mut Note {
    (start as usize + usable - NOTE) as *mut Note
}

/// The usable size of a block of the C library, with the note.
///
/// # Safety
///
/// The block is one of `malloc` and was not freed.
pub(crate) unsafe fn libc_usable_size(block: *mut c_void) -> usize {
    crate::linker::behind! {
        fn malloc_usable_size(block: *mut c_void) -> usize;
    }
    // SAFETY: the caller's promise.
    unsafe { malloc_usable_size(block) }
}

/// One bit for each 16 bytes of the address space, in two levels.
struct Starts {
    root: AtomicPtr<AtomicPtr<Bits>>,
}

/// For 64 KiB of addresses.
type Bits = [AtomicU64; WORDS];

const WORDS: usize = 64;

const LEVEL_BITS: u32 = 16;
const TABLE: usize = 1 << LEVEL_BITS;
const GRANULE: u64 = 16;

impl Default for Starts {
    fn default() -> Starts {
        Starts { root: AtomicPtr::new(std::ptr::null_mut()) }
    }
}

impl Starts {
    /// What a pointer leads to; it is made if that is asked for.
    fn below<T>(pointer: &AtomicPtr<T>, bytes: usize, make: bool) -> Option<&T> {
        let mut seen = pointer.load(Ordering::Acquire);
        if seen.is_null() && make {
            let new = system::map(bytes)?.cast::<T>();
            let put = pointer.compare_exchange(seen, new, Ordering::AcqRel, Ordering::Acquire);
            seen = match put {
                Ok(_) => new,
                Err(other) => {
                    // SAFETY: it was mapped just now, and nobody else knows it.
                    unsafe { system::unmap(new.cast(), bytes) };
                    other
                }
            };
        }
        // SAFETY: tables are zeroed when they are new, and stay.
        unsafe { seen.as_ref() }
    }

    fn bits(&self, address: u64, make: bool) -> Option<&Bits> {
        let pointer_table = TABLE * size_of::<usize>();
        // The upper level has an entry for 4 GiB each; what it points to are bits, 512 bytes for each 64 KiB, all in one mapping, of
        // which the system gives the pages that are used.
        let root = Self::below(&self.root, pointer_table, make)?;
        let upper = usize::try_from(address >> 32).ok().filter(|index| *index < TABLE)?;
        // SAFETY: the table has an entry for each index below its size.
        let entry = unsafe { &*std::ptr::from_ref(root).add(upper) };
        let first = Self::below(entry, TABLE * size_of::<Bits>(), make)?;
        // SAFETY: the mapping has bits for 4 GiB of addresses.
        Some(unsafe { &*std::ptr::from_ref(first).add((address >> LEVEL_BITS) as usize % TABLE) })
    }

    fn place(address: u64) -> (usize, u64) {
        let granule = address / GRANULE % 4096;
        ((granule / 64) as usize, 1 << (granule % 64))
    }

    fn set(&self, address: u64, value: bool) {
        let Some(bits) = self.bits(address, true) else { return };
        let (word, bit) = Self::place(address);
        if value {
            bits[word].fetch_or(bit, Ordering::Relaxed);
        } else {
            bits[word].fetch_and(!bit, Ordering::Relaxed);
        }
    }

    fn is_set(&self, address: u64) -> bool {
        let (word, bit) = Self::place(address);
        address.is_multiple_of(GRANULE)
            && self
                .bits(address, false)
                .is_some_and(|bits| bits[word].load(Ordering::Relaxed) & bit != 0)
    }

    /// The last start at or before an address, within 64 GiB of it.
    fn last_before(&self, address: u64) -> Option<u64> {
        let (word, bit) = Self::place(address);
        let piece = address >> LEVEL_BITS << LEVEL_BITS;
        let here = self.last_in(piece, word, bit | (bit - 1));
        here.or_else(|| {
            let mut pieces =
                (1..=1_u64 << 20).map_while(|back| piece.checked_sub(back << LEVEL_BITS));
            pieces.find_map(|piece| self.last_in(piece, WORDS - 1, u64::MAX))
        })
    }

    /// The last start in a piece of 64 KiB, up to these bits of a word.
    fn last_in(&self, piece: u64, last: usize, mask: u64) -> Option<u64> {
        let bits = self.bits(piece, false)?;
        let masked = |word: usize| {
            let all = bits[word].load(Ordering::Relaxed);
            if word == last { all & mask } else { all }
        };
        (0..=last).rev().find_map(|word| Self::highest(piece, word, masked(word)))
    }

    fn highest(piece: u64, word: usize, bits: u64) -> Option<u64> {
        let granule = word as u64 * 64 + u64::from(bits.checked_ilog2()?);
        Some(piece + granule * GRANULE)
    }
}
