//! One entry for one pair of lines: what is seen of a pair under several kinds becomes one race, with the others in a
//! note of it.
//!
//! The race that is shown is a most severe one, so that no error hides behind a warning, and its severity decides about
//! the exit code. Of several as severe as it, that with the first kind of [`RaceKind::precedence`] is shown, and of
//! those the first that was seen.

use crate::{EntryKey, Race, RaceKind, Severity};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::HashMap;

/// Occurrences of a pair of lines under another kind, or with another severity, than that of its entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlsoSeen {
    /// What is wrong there.
    pub kind: RaceKind,
    /// How bad it is.
    pub severity: Severity,
    /// How often it was seen.
    pub count: u64,
    /// What would order the two.
    pub advice: String,
}

/// Less is shown in preference.
type Rank = (Reverse<Severity>, u32);

impl Race {
    /// The entry that it belongs to.
    pub fn entry(&self) -> EntryKey {
        EntryKey::of(self)
    }

    /// How often the pair of lines was seen, under any kind.
    pub fn occurrences(&self) -> u64 {
        self.also_seen.iter().fold(self.count, |sum, also| sum.saturating_add(also.count))
    }

    /// What is wrong at the pair of lines, with how often it was seen; that of the entry itself first.
    pub fn kinds(&self) -> impl Iterator<Item = (RaceKind, u64)> {
        let others = self.also_seen.iter().map(|also| (also.kind, also.count));
        std::iter::once((self.kind, self.count)).chain(others)
    }

    /// Adds another race of the same entry.
    fn absorb(&mut self, mut other: Race) {
        if other.rank() < self.rank() {
            std::mem::swap(self, &mut other);
        }
        let Race { kind, severity, count, advice, also_seen, .. } = other;
        self.add(AlsoSeen { kind, severity, count, advice });
        also_seen.into_iter().for_each(|also| self.add(also));
    }

    fn add(&mut self, seen: AlsoSeen) {
        let what = (seen.kind, seen.severity);
        let mut others = self.also_seen.iter_mut();
        let count = match others.find(|other| (other.kind, other.severity) == what) {
            _ if (self.kind, self.severity) == what => &mut self.count,
            Some(other) => &mut other.count,
            None => {
                self.also_seen.push(seen);
                self.also_seen.sort_by_key(|also| rank(also.severity, also.kind));
                return;
            }
        };
        *count = count.saturating_add(seen.count);
    }

    fn rank(&self) -> Rank {
        rank(self.severity, self.kind)
    }
}

fn rank(severity: Severity, kind: RaceKind) -> Rank {
    (Reverse(severity), kind.precedence())
}

/// Adds races to the entries there are. A new entry comes behind the others.
pub fn add_to_entries(entries: &mut Vec<Race>, races: impl IntoIterator<Item = Race>) {
    let mut known: HashMap<EntryKey, usize> =
        entries.iter().enumerate().map(|(index, race)| (race.entry(), index)).collect();
    for race in races {
        let index = *known.entry(race.entry()).or_insert(entries.len());
        match entries.get_mut(index) {
            Some(entry) => entry.absorb(race),
            None => entries.push(race),
        }
    }
}

#[cfg(test)]
mod tests;
