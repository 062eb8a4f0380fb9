//! What is on its way through the machine.

/// What it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A load that fills a line of the L1.
    Load,
    /// A load around the L1.
    LoadAround,
    /// A store.
    Store,
    /// An atomic whose old value goes back.
    Atomic,
    /// An atomic that is only acknowledged.
    Reduction,
    /// The packet of a load that sent no request: only the detector wants it.
    OfHit,
    /// The packet of a fence.
    OfFence,
    /// The lookup of a line of metadata.
    Lookup,
}

impl Kind {
    /// Whether it wants the line of the program.
    pub(crate) fn is_request(self) -> bool {
        !matches!(self, Kind::OfHit | Kind::OfFence | Kind::Lookup)
    }

    /// Whether it changes the line.
    pub(crate) fn changes(self) -> bool {
        !matches!(self, Kind::Load | Kind::LoadAround)
    }
}

/// The number of a transaction, or none.
pub(crate) type Number = u32;
/// No transaction.
pub(crate) const NOBODY: Number = u32::MAX;

/// One thing on its way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transaction {
    pub(crate) kind: Kind,
    pub(crate) line: u32,
    pub(crate) words: u32,
    pub(crate) lanes: u8,
    pub(crate) most_on_a_word: u8,
    /// Its flits on the way out.
    pub(crate) flits: u32,
    /// Whose it is; for a lookup, the partition where its packet came in.
    pub(crate) from: u32,
    /// The warp's place there.
    pub(crate) warp: u32,
    /// For a packet of a hit: lookups that have not ended. For a lookup: that packet, or nobody.
    pub(crate) link: u32,
    /// Who waits for the same line of memory behind it, or looks up the same line of metadata.
    pub(crate) next: Number,
}

/// All that are on their way; numbers are used again.
#[derive(Debug, Default)]
pub(crate) struct Transactions {
    all: Vec<Transaction>,
    free: Vec<Number>,
}

impl Transactions {
    pub(crate) fn begin(&mut self, transaction: Transaction) -> Number {
        match self.free.pop() {
            Some(number) => {
                self.all[number as usize] = transaction;
                number
            }
            None => {
                self.all.push(transaction);
                self.all.len() as Number - 1
            }
        }
    }

    pub(crate) fn end(&mut self, number: Number) -> Transaction {
        self.free.push(number);
        self.all[number as usize]
    }

    pub(crate) fn get(&self, number: Number) -> &Transaction {
        &self.all[number as usize]
    }

    pub(crate) fn get_mut(&mut self, number: Number) -> &mut Transaction {
        &mut self.all[number as usize]
    }

    /// How many have begun and not ended.
    pub(crate) fn open(&self) -> usize {
        self.all.len() - self.free.len()
    }
}
