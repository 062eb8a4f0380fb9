//! What registers hold at any time, whatever the order of the code is: joined over everything that writes them.

use crate::Register;
use std::collections::HashMap;

/// Registers that are not settled after looking through the code so often are not known.
const MOST_PASSES: usize = 64;

/// What a register may hold, of which two can be joined.
pub(crate) trait Join: Clone + PartialEq {
    /// What holds of both.
    fn join(&self, other: &Self) -> Self;
}

/// What is known of registers so far. A register that is not here was not written yet.
#[derive(Debug)]
pub(crate) struct Held<H>(HashMap<Register, H>);

impl<H: Join> Held<H> {
    /// Looks through the code until nothing is news. A `pass` says whether it had any.
    pub(crate) fn settle(mut pass: impl FnMut(&mut Held<H>) -> bool) -> Option<Held<H>> {
        let mut held = Held(HashMap::new());
        (0..MOST_PASSES).any(|_| !pass(&mut held)).then_some(held)
    }

    pub(crate) fn get(&self, register: Register) -> Option<&H> {
        self.0.get(&register)
    }

    /// Something is written to a register; nothing if that is not known yet. The answer is whether it is news.
    pub(crate) fn write(&mut self, to: Register, holds: Option<H>) -> bool {
        let Some(holds) = holds else { return false };
        let known = self.0.get(&to);
        let joined = known.map_or(holds.clone(), |known| known.join(&holds));
        if known == Some(&joined) {
            return false;
        }
        self.0.insert(to, joined);
        true
    }
}
