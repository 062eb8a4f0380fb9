//! The interconnect: packets of flits, one port into it and one out of it at each end.
//!
//! It is a crossbar: packets meet at ports, not on the way. A port passes a flit in a cycle.

use crate::configuration::FLIT_BYTES;

/// One side of one end.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Port {
    free: u64,
    /// Flits that went through.
    pub(crate) flits: u64,
}

impl Port {
    /// When a packet that is there at `now` has passed.
    pub(crate) fn pass(&mut self, now: u64, flits: u32) -> u64 {
        let flits = u64::from(flits);
        self.free = self.free.max(now) + flits;
        self.flits += flits;
        self.free
    }
}

/// Flits of a packet: its head, and so many bytes of data.
pub(crate) fn flits(data_bytes: u32) -> u32 {
    1 + data_bytes.div_ceil(FLIT_BYTES)
}

/// Bytes of the 32-byte parts of a line that have one of these words.
pub(crate) fn bytes_of_sectors(words: u32) -> u32 {
    (0..4).map(|sector| u32::from(words >> (8 * sector) & 0xff != 0) * 32).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_wait_for_each_other_at_a_port() {
        let mut port = Port::default();
        assert_eq!(port.pass(10, 5), 15);
        assert_eq!(port.pass(11, 1), 16, "it waits for the one before");
        assert_eq!(port.pass(100, 2), 102, "the port is idle");
        assert_eq!(port.flits, 8);
        assert_eq!(port.pass(50, 0), 102, "nothing passes nobody");
    }

    #[test]
    fn data_takes_flits_behind_the_head() {
        assert_eq!([0, 1, 32, 33, 128].map(flits), [1, 2, 2, 3, 5]);
    }

    #[test]
    fn only_parts_of_a_line_that_are_asked_for_travel() {
        assert_eq!(bytes_of_sectors(u32::MAX), 128);
        assert_eq!(bytes_of_sectors(1), 32);
        assert_eq!(bytes_of_sectors(0x8000_0101), 96);
        assert_eq!(bytes_of_sectors(0), 0);
    }
}
