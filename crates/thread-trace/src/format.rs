//! The binary file: a head, then blocks, each with its length and a checksum, so that what a process wrote before it was killed
//! can be read.
//!
//! Little-endian. Head: the bytes `WSTHREAD`, the version (4 bytes), then a block with the number of the process and the file
//! of its program. A block: the length of its content (4 bytes), FNV-1a of the content (8 bytes), the content. The content of
//! the others is entries: a tag (1 byte), and what the tag asks for, as numbers of seven bits a byte, the lowest first.
//! Addresses are differences from the address before in the same block, folded so that small ones of either sign are short.
//! A trace that is whole ends with the entry `END`.

/// The version of the format.
pub const VERSION: u32 = 2;

pub(crate) const MAGIC: &[u8; 8] = b"WSTHREAD";
/// Length and checksum of a block.
pub(crate) const BLOCK_HEAD: usize = 4 + 8;
/// No block is longer: a length that says more is damaged.
pub(crate) const LONGEST_BLOCK: usize = 16 << 20;

/// Tags of entries that are no events.
pub(crate) const PLACE: u8 = 0x80;
pub(crate) const MODULE: u8 = 0x81;
pub(crate) const END: u8 = 0x82;

/// Who was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The number of the process.
    pub process: u32,
    /// The file of its program.
    pub program: String,
}

pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
