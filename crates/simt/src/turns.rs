//! The scheduler's choice: who goes next, and for how long.

use crate::rng::Random;
use crate::schedule::{DEEPEST, Policy, Schedule, Turn, Who};

/// The longest turn that chance gives.
const LONGEST_RANDOM: usize = 256;
/// The turn of the round-robin policy.
const ROUND: u64 = 64;
/// Who goes on and on falls to the end of the ranks after so many instructions, or so many turns, so
/// that somebody who waits in a loop lets go.
const LONGEST_RANK: u64 = 2048;
const MOST_RANKED_TURNS: u64 = 16;
/// The moments at which ranks change are within the first 2 to the power of this many instructions.
const HORIZON_BITS: usize = 20;

/// One who could go: a warp, or the copies of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// Where the block runs.
    pub(crate) slot: usize,
    pub(crate) warp: usize,
    /// The block in the grid, for an order that does not depend on slots.
    pub(crate) block: u32,
    /// How often it fell to the end of the ranks.
    pub(crate) demotions: u32,
}

/// The copies of a block, in the place of a warp.
pub(crate) const COPIES: usize = usize::MAX;

/// Makes the choices of one launch.
#[derive(Debug)]
pub(crate) struct Turns {
    rule: Rule,
    random: Random,
    /// Choices so far.
    count: u64,
    /// Who went last, and the instructions and turns that it had without a break.
    streak: (u32, usize, u64, u64),
}

#[derive(Debug)]
enum Rule {
    RoundRobin,
    Random,
    Pct {
        salt: u64,
        /// Instruction counts at which ranks change, last first.
        changes: Vec<u64>,
    },
    Replay {
        turns: Vec<Turn>,
        next: usize,
    },
}

/// What was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The number of the candidate.
    pub(crate) candidate: usize,
    pub(crate) length: u64,
    pub(crate) group: GroupChoice,
}

/// Which group of a warp.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GroupChoice {
    /// The ready group of this number, counted round and round.
    Number(u64),
    /// The one that this lane is in.
    Lane(u32),
}

/// A turn of a stored schedule that cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Impossible(pub(crate) Option<Turn>);

impl Turns {
    /// `salt` distinguishes launches, and parts of one.
    pub(crate) fn new(schedule: &Schedule, salt: u64) -> Turns {
        let mut random = Random::new(schedule.seed ^ salt.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let rule = match &schedule.policy {
            Policy::RoundRobin => Rule::RoundRobin,
            Policy::Random => Rule::Random,
            Policy::Pct { depth } => {
                let salt = random.next();
                let horizon = 1 << (6 + random.below(HORIZON_BITS - 6));
                let mut changes: Vec<u64> =
                    (1..(*depth).min(DEEPEST)).map(|_| random.below(horizon) as u64).collect();
                changes.sort_unstable_by(|one, other| other.cmp(one));
                Rule::Pct { salt, changes }
            }
            Policy::Replay(turns) => Rule::Replay { turns: turns.clone(), next: 0 },
        };
        Turns { rule, random, count: 0, streak: (u32::MAX, 0, 0, 0) }
    }

    /// Chooses among candidates, of which there is at least one. `now` counts instructions.
    pub(crate) fn choose(
        &mut self,
        candidates: &[Candidate],
        now: u64,
    ) -> Result<Choice, Impossible> {
        self.count += 1;
        let number = self.count;
        Ok(match &mut self.rule {
            Rule::RoundRobin => Choice {
                candidate: (number % candidates.len() as u64) as usize,
                length: ROUND,
                group: GroupChoice::Number(number / candidates.len() as u64),
            },
            Rule::Random => Choice {
                candidate: self.random.below(candidates.len()),
                length: 1 + self.random.below(LONGEST_RANDOM) as u64,
                group: GroupChoice::Number(self.random.next()),
            },
            Rule::Pct { salt, changes } => {
                let rank = |one: &Candidate| {
                    let name = u64::from(one.block) << 32 ^ one.warp as u64;
                    (one.demotions, Random::new(*salt ^ name).next())
                };
                let first = candidates.iter().enumerate().min_by_key(|(_, one)| rank(one));
                let until_change = changes.last().map_or(LONGEST_RANK, |at| at.saturating_sub(now));
                Choice {
                    candidate: first.map_or(0, |(number, _)| number),
                    length: until_change.clamp(1, LONGEST_RANK),
                    group: GroupChoice::Number(self.random.next()),
                }
            }
            Rule::Replay { turns, next } => {
                let turn = turns.get(*next).copied();
                *next += 1;
                let found = turn.and_then(|turn| {
                    let wanted = match turn.who {
                        Who::Warp { warp, .. } => warp as usize,
                        Who::Copies => COPIES,
                    };
                    let is_it = |one: &Candidate| one.block == turn.block && one.warp == wanted;
                    Some((turn, candidates.iter().position(is_it)?))
                });
                let Some((turn, candidate)) = found else { return Err(Impossible(turn)) };
                let group = match turn.who {
                    Who::Warp { lane, .. } => GroupChoice::Lane(lane),
                    Who::Copies => GroupChoice::Number(0),
                };
                Choice { candidate, length: u64::from(turn.length), group }
            }
        })
    }

    /// The turn of a stored schedule that was just chosen, and turned out not to be possible. None if no
    /// stored schedule chose it.
    pub(crate) fn refuse(&self) -> Option<Impossible> {
        match &self.rule {
            Rule::Replay { turns, next } => {
                Some(Impossible(turns.get(next.wrapping_sub(1)).copied()))
            }
            Rule::RoundRobin | Rule::Random | Rule::Pct { .. } => None,
        }
    }

    /// Whether the one who ran until `now`, for so many instructions, falls to the end of the ranks.
    pub(crate) fn is_demoted(&mut self, who: &Candidate, now: u64, ran: u64) -> bool {
        let Rule::Pct { changes, .. } = &mut self.rule else { return false };
        let mut changed = false;
        while changes.last().is_some_and(|at| *at <= now) {
            changes.pop();
            changed = true;
        }
        let (block, warp, instructions, turns) = self.streak;
        let same = (block, warp) == (who.block, who.warp);
        let (instructions, turns) = if same { (instructions + ran, turns + 1) } else { (ran, 1) };
        let falls = changed || instructions >= LONGEST_RANK || turns >= MOST_RANKED_TURNS;
        self.streak = (who.block, who.warp, instructions, turns);
        if falls {
            self.streak = (u32::MAX, 0, 0, 0);
        }
        falls
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(count: usize) -> Vec<Candidate> {
        (0..count).map(|warp| Candidate { slot: 0, warp, block: 0, demotions: 0 }).collect()
    }

    #[test]
    fn round_robin_lets_everybody_go() {
        let schedule = Schedule { policy: Policy::RoundRobin, seed: 0 };
        let mut turns = Turns::new(&schedule, 0);
        let all = candidates(3);
        let chosen: Vec<usize> = (0..6).map(|_| turns.choose(&all, 0).unwrap().candidate).collect();
        assert_eq!(chosen, [1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn the_first_in_rank_goes_until_it_falls() {
        let schedule = Schedule { policy: Policy::Pct { depth: 2 }, seed: 5 };
        let mut turns = Turns::new(&schedule, 0);
        let mut all = candidates(4);
        let first = turns.choose(&all, 0).unwrap().candidate;
        assert_eq!(turns.choose(&all, 1).unwrap().candidate, first);
        all[first].demotions = 1;
        assert_ne!(turns.choose(&all, 2).unwrap().candidate, first);
        assert!(turns.is_demoted(&all[0], u64::MAX, 0), "a change of ranks is due");
        assert!(!turns.is_demoted(&all[0], u64::MAX, 0), "there is no other");
        assert!(turns.is_demoted(&all[0], u64::MAX, LONGEST_RANK));
        let falls: Vec<bool> =
            (0..MOST_RANKED_TURNS).map(|_| turns.is_demoted(&all[1], u64::MAX, 1)).collect();
        assert!(falls[falls.len() - 1] && !falls[0], "short turns without end count too");
    }

    #[test]
    fn a_stored_schedule_is_taken_turn_by_turn() {
        let turn = Turn { block: 0, who: Who::Warp { warp: 2, lane: 7 }, length: 9 };
        let schedule = Schedule { policy: Policy::Replay(vec![turn, turn]), seed: 0 };
        let mut turns = Turns::new(&schedule, 0);
        let choice = turns.choose(&candidates(4), 0).unwrap();
        assert_eq!((choice.candidate, choice.length, choice.group), (2, 9, GroupChoice::Lane(7)));
        assert_eq!(turns.choose(&candidates(1), 0), Err(Impossible(Some(turn))));
        assert_eq!(turns.choose(&candidates(4), 0), Err(Impossible(None)));
    }
}
