//! A part of a file, with checked reads that know their place in the whole.

use crate::FatbinError;

/// Bytes and where they start in the file that they come from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Region<'d> {
    pub(crate) bytes: &'d [u8],
    /// The offset of the first byte in the file.
    pub(crate) base: u64,
}

impl<'d> Region<'d> {
    pub(crate) fn whole(bytes: &'d [u8]) -> Region<'d> {
        Region { bytes, base: 0 }
    }

    pub(crate) fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Where a place in this region is in the file.
    pub(crate) fn offset(&self, at: u64) -> u64 {
        self.base.saturating_add(at)
    }

    /// A part of this region; `what` is for the message when it is not all there.
    pub(crate) fn part(
        &self,
        at: u64,
        length: u64,
        what: &'static str,
    ) -> Result<Region<'d>, FatbinError> {
        let bytes = usize::try_from(at)
            .ok()
            .zip(at.checked_add(length).and_then(|end| usize::try_from(end).ok()))
            .and_then(|(start, end)| self.bytes.get(start..end));
        match bytes {
            Some(bytes) => Ok(Region { bytes, base: self.offset(at) }),
            None => Err(FatbinError::Truncated {
                at: self.offset(at),
                what,
                needed: length,
                available: self.length().saturating_sub(at),
            }),
        }
    }

    fn array<const N: usize>(&self, at: u64, what: &'static str) -> Result<[u8; N], FatbinError> {
        let mut array = [0; N];
        array.copy_from_slice(self.part(at, N as u64, what)?.bytes);
        Ok(array)
    }

    pub(crate) fn u16(&self, at: u64, what: &'static str) -> Result<u16, FatbinError> {
        self.array(at, what).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&self, at: u64, what: &'static str) -> Result<u32, FatbinError> {
        self.array(at, what).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&self, at: u64, what: &'static str) -> Result<u64, FatbinError> {
        self.array(at, what).map(u64::from_le_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_know_their_place_in_the_file() {
        let region = Region { bytes: &[1, 0, 2, 0], base: 100 };
        assert_eq!(region.u16(2, "a number"), Ok(2));
        let error = region.u32(2, "a number").unwrap_err();
        let expected =
            FatbinError::Truncated { at: 102, what: "a number", needed: 4, available: 2 };
        assert_eq!(error, expected);
        for (at, length) in [(0, u64::MAX), (u64::MAX, 1), (u64::MAX, u64::MAX), (5, 0)] {
            assert!(region.part(at, length, "a part").is_err(), "{at} {length}");
        }
        assert_eq!(region.part(4, 0, "a part").unwrap().length(), 0);
    }
}
