//! Whether the compositions of a thread find a second word.

/// How many compositions of a thread found no second word, one after another.
#[derive(Default)]
pub(crate) struct Solitude {
    missed: u32,
}

impl Solitude {
    /// One in so many is shared nevertheless, to find out whether another word has it now.
    const TRIED: u32 = 16;

    /// Another word had it.
    pub(super) fn end(&mut self) {
        self.missed = self.missed.saturating_sub(2);
    }

    /// No other word had it.
    pub(super) fn go_on(&mut self, limit: u32) {
        self.missed = if self.missed >= limit + Self::TRIED { limit + 1 } else { self.missed + 1 };
    }

    /// Whether the next one will hardly have a second word.
    pub(super) fn is_likely(&self, limit: u32) -> bool {
        self.missed >= limit && self.missed != limit + Self::TRIED
    }
}
