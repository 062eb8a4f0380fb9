//! EpochPair: the last write and the last read.

use warpsan_thread_clock::Epoch;

use super::record::Record;

/// A record as an EpochPair (figure 3.4): `[header, write, read]`. FastTrack's change under the record's lock, SlimFast's never.
#[derive(Clone, Copy)]
pub(crate) struct Pair(pub(crate) Record);

impl Pair {
    const READ: usize = 2;

    pub(crate) fn fill(self, write: Epoch, read: Epoch) {
        self.set_write(write);
        self.set_read(read);
    }

    #[inline(always)]
    pub(crate) fn write(self) -> Epoch {
        Epoch::from_bits(self.0.get(Record::WRITE))
    }

    #[inline(always)]
    pub(crate) fn read(self) -> Epoch {
        Epoch::from_bits(self.0.get(Self::READ))
    }

    pub(crate) fn set_write(self, epoch: Epoch) {
        self.0.set(Record::WRITE, epoch.bits());
    }

    pub(crate) fn set_read(self, epoch: Epoch) {
        self.0.set(Self::READ, epoch.bits());
    }
}
