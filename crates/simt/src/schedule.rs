//! Which warp goes next: plain data that prints in one line and is read back.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// More changes of ranks than this are as good as chance.
pub(crate) const DEEPEST: u32 = 1000;

/// How warps of a launch take turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// By what rule.
    pub policy: Policy,
    /// What chance is made of.
    pub seed: u64,
}

/// Rules of taking turns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Policy {
    /// One after the other, so many instructions each.
    RoundRobin,
    /// Whoever chance picks, for as long as chance says.
    Random,
    /// Probabilistic concurrency testing: chance gives priorities, the first in rank runs, and at
    /// `depth` - 1 moments that chance picks the one that runs falls to the end.
    Pct {
        /// How many orderings have to come together for a bug to show.
        depth: u32,
    },
    /// These turns, one after the other.
    Replay(Vec<Turn>),
}

/// One turn of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The block in the grid.
    pub block: u32,
    /// Who.
    pub who: Who,
    /// Instructions; 1 for copies.
    pub length: u32,
}

/// Who has a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The group of a warp that this lane is in.
    Warp {
        /// The warp in its block.
        warp: u32,
        /// A lane of the group.
        lane: u32,
    },
    /// The asynchronous copies of the block.
    Copies,
}

impl Schedule {
    /// Chance, from this seed.
    pub fn random(seed: u64) -> Schedule {
        Schedule { policy: Policy::Random, seed }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.policy {
            Policy::RoundRobin => write!(f, "round-robin:{}", self.seed),
            Policy::Random => write!(f, "random:{}", self.seed),
            Policy::Pct { depth } => write!(f, "pct:{depth}:{}", self.seed),
            Policy::Replay(turns) => {
                write!(f, "replay:{}:", self.seed)?;
                for (number, turn) in turns.iter().enumerate() {
                    let comma = if number == 0 { "" } else { "," };
                    match turn.who {
                        Who::Warp { warp, lane } => {
                            write!(f, "{comma}{}.{warp}.{lane}x{}", turn.block, turn.length)?;
                        }
                        Who::Copies => write!(f, "{comma}{}.cx{}", turn.block, turn.length)?,
                    }
                }
                Ok(())
            }
        }
    }
}

/// A text that is no schedule.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{text}` is no schedule: {what}; a schedule is `random:SEED`, `round-robin`, `pct:DEPTH:SEED` or `replay:SEED:TURNS`"
)]
pub struct ScheduleError {
    text: String,
    what: &'static str,
}

impl FromStr for Schedule {
    type Err = ScheduleError;

    fn from_str(text: &str) -> Result<Schedule, ScheduleError> {
        let shown: String = text.chars().take(60).collect();
        let wrong = |what| ScheduleError { text: shown.clone(), what };
        let mut parts = text.trim().splitn(3, ':');
        let name = parts.next().unwrap_or_default();
        let number = |part: Option<&str>, what| match part {
            None => Ok(0),
            Some(part) => part.parse::<u64>().map_err(|_| wrong(what)),
        };
        let policy = match name {
            "round-robin" => Policy::RoundRobin,
            "random" => Policy::Random,
            "pct" => {
                let depth = number(parts.next(), "its depth is no number")?;
                let depth = u32::try_from(depth.max(1)).unwrap_or(u32::MAX);
                if depth > DEEPEST {
                    return Err(wrong("its depth is larger than 1000"));
                }
                Policy::Pct { depth }
            }
            "replay" => Policy::Replay(Vec::new()),
            _ => return Err(wrong("there is no such policy")),
        };
        let seed = number(parts.next(), "its seed is no number")?;
        let policy = match (policy, parts.next()) {
            (Policy::Replay(_), turns) => {
                let turns = turns.unwrap_or_default().split(',').filter(|turn| !turn.is_empty());
                let turns =
                    turns.map(|turn| self::turn(turn).ok_or_else(|| wrong("a turn is wrong")));
                Policy::Replay(turns.collect::<Result<_, _>>()?)
            }
            (policy, None) => policy,
            (_, Some(_)) => return Err(wrong("something is behind the seed")),
        };
        Ok(Schedule { policy, seed })
    }
}

/// `block.warp.lanexlength`, or `block.cxlength` for copies.
fn turn(text: &str) -> Option<Turn> {
    let (place, length) = text.split_once('x')?;
    let length = length.parse().ok()?;
    let mut parts = place.split('.');
    let block = parts.next()?.parse().ok()?;
    let who = match parts.next()? {
        "c" => Who::Copies,
        warp => Who::Warp {
            warp: warp.parse().ok()?,
            lane: parts.next()?.parse().ok().filter(|lane| *lane < 32)?,
        },
    };
    parts.next().is_none().then_some(Turn { block, who, length })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_read_back_as_they_print() {
        let turns = vec![
            Turn { block: 3, who: Who::Warp { warp: 1, lane: 31 }, length: 64 },
            Turn { block: 0, who: Who::Copies, length: 1 },
        ];
        for policy in [
            Policy::RoundRobin,
            Policy::Random,
            Policy::Pct { depth: 3 },
            Policy::Replay(turns),
            Policy::Replay(Vec::new()),
        ] {
            let schedule = Schedule { policy, seed: 77 };
            let line = schedule.to_string();
            assert!(!line.contains('\n'));
            assert_eq!(line.parse(), Ok(schedule), "{line}");
        }
        assert_eq!("round-robin".parse::<Schedule>().map(|one| one.seed), Ok(0));
    }

    #[test]
    fn what_is_no_schedule_is_an_error() {
        for text in
            ["", "fair:1", "random:x", "pct:a:1", "replay:0:1.2", "replay:0:1.2.99x4", "random:1:2"]
        {
            let error = text.parse::<Schedule>().unwrap_err().to_string();
            assert!(error.contains("is no schedule"), "{error}");
        }
    }
}
