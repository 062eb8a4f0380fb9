//! The state of an `mbarrier` object, as it lies in shared memory.

/// What the counts can be, as the manual has it.
const MOST: u64 = (1 << 20) - 1;
const COUNT_BITS: u32 = 20;
const TRANSACTION_BITS: u32 = 21;
/// Marks an object that was initialised.
const MARK: u64 = 0b10;

/// An `mbarrier` object: how many arrivals and bytes the current phase waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mbarrier {
    bits: u64,
}

impl Mbarrier {
    pub(crate) fn init(count: u32) -> Mbarrier {
        let count = u64::from(count) & MOST;
        let mut state = Mbarrier { bits: MARK << 62 };
        state.set(0, COUNT_BITS, count);
        state.set(COUNT_BITS, COUNT_BITS, count);
        state
    }

    pub(crate) fn of(bits: u64) -> Mbarrier {
        Mbarrier { bits }
    }

    pub(crate) fn bits(self) -> u64 {
        self.bits
    }

    pub(crate) fn is_valid(self) -> bool {
        self.bits >> 62 == MARK
    }

    /// Whether an odd number of phases is complete.
    pub(crate) fn parity(self) -> bool {
        self.bits >> 61 & 1 == 1
    }

    /// Arrivals that the phase still waits for.
    pub(crate) fn pending(self) -> u32 {
        self.get(0, COUNT_BITS) as u32
    }

    pub(crate) fn arrive(&mut self, count: u32, drop: bool) -> Result<(), &'static str> {
        let pending = u64::from(self.pending());
        let count = u64::from(count);
        let too_many = "more arrivals at an mbarrier than its phase expects";
        self.set(0, COUNT_BITS, pending.checked_sub(count).ok_or(too_many)?);
        if drop {
            let expected = self.get(COUNT_BITS, COUNT_BITS);
            self.set(COUNT_BITS, COUNT_BITS, expected.checked_sub(count).ok_or(too_many)?);
        }
        Ok(())
    }

    /// The phase waits for one arrival more.
    pub(crate) fn expect_one_more(&mut self) -> Result<(), &'static str> {
        let pending = u64::from(self.pending()) + 1;
        if pending > MOST {
            return Err("an mbarrier that waits for more than 1048575 arrivals");
        }
        self.set(0, COUNT_BITS, pending);
        Ok(())
    }

    pub(crate) fn add_transactions(&mut self, bytes: i64) -> Result<(), &'static str> {
        let count = self.transactions() + bytes;
        if count.unsigned_abs() > MOST {
            return Err("an mbarrier that waits for more than 1048575 bytes");
        }
        let bits = count as u64 & ((1 << TRANSACTION_BITS) - 1);
        self.set(2 * COUNT_BITS, TRANSACTION_BITS, bits);
        Ok(())
    }

    fn transactions(self) -> i64 {
        let unused = 64 - TRANSACTION_BITS;
        let bits = self.get(2 * COUNT_BITS, TRANSACTION_BITS);
        ((bits << unused) as i64) >> unused
    }

    /// Begins the next phase if nothing is waited for. Returns whether it did.
    pub(crate) fn complete_if_due(&mut self) -> bool {
        let due = self.pending() == 0 && self.transactions() == 0;
        if due {
            let expected = self.get(COUNT_BITS, COUNT_BITS);
            self.set(0, COUNT_BITS, expected);
            self.bits ^= 1 << 61;
        }
        due
    }

    fn get(self, first: u32, bits: u32) -> u64 {
        self.bits >> first & ((1 << bits) - 1)
    }

    fn set(&mut self, first: u32, bits: u32, value: u64) {
        let ones = ((1 << bits) - 1) << first;
        self.bits = (self.bits & !ones) | value << first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_needs_its_arrivals_and_its_bytes() {
        let mut state = Mbarrier::init(2);
        state.add_transactions(32).unwrap();
        state.arrive(1, false).unwrap();
        assert!(!state.complete_if_due());
        state.arrive(1, false).unwrap();
        assert!(!state.complete_if_due(), "bytes are missing");
        assert!(state.arrive(1, false).is_err());
        state.add_transactions(-32).unwrap();
        assert!(state.complete_if_due());
        assert!(state.parity());
        assert_eq!(state.pending(), 2);
    }

    #[test]
    fn bytes_may_come_before_they_are_expected() {
        let mut state = Mbarrier::init(1);
        state.add_transactions(-16).unwrap();
        state.add_transactions(16).unwrap();
        state.arrive(1, false).unwrap();
        assert!(state.complete_if_due());
    }

    #[test]
    fn who_drops_out_is_not_expected_again() {
        let mut state = Mbarrier::init(2);
        state.arrive(1, true).unwrap();
        state.arrive(1, false).unwrap();
        assert!(state.complete_if_due());
        assert_eq!(state.pending(), 1);
        assert!(!Mbarrier::of(0).is_valid());
    }
}
