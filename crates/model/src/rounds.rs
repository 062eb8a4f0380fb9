//! LD's section 4.5: fewer copies than units, in several rounds, on both engines.
//!
//! In a round every unit (a warp or a block) has one of M copies. Units that share a copy are one group there, and groups are
//! compared. The next round divides each group into M again. Parts of different groups may share a copy: no race was found between
//! these groups. After k rounds groups have a `M^k`-th of the units, so that N units take `log_M N` rounds.

/// How units share copies, round by round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rounds {
    units: u64,
    /// At least 2, and not more than there are units.
    copies: u64,
}

impl Rounds {
    /// So many units with so many copies at most; two copies are needed to compare anything.
    pub fn new(units: u64, copies: u64) -> Rounds {
        Rounds { units, copies: copies.clamp(2, units.max(2)) }
    }

    /// The copies that are in use.
    pub fn copies(self) -> u64 {
        self.copies.min(self.units)
    }

    /// Rounds after which every two units had different copies once.
    pub fn count(self) -> u32 {
        let mut groups = 1u64;
        let mut rounds = 0;
        while groups < self.units {
            groups = groups.saturating_mul(self.copies);
            rounds += 1;
        }
        rounds
    }

    /// The group of a unit after so many rounds. Groups of a round are whole parts of groups of the round before, and
    /// differ in size by one unit at most.
    fn group(self, unit: u64, round: u32) -> u64 {
        let groups = (0..round)
            .fold(1u64, |groups, _| groups.saturating_mul(self.copies).min(1 << 62))
            .max(1);
        (u128::from(unit) * u128::from(groups) / u128::from(self.units.max(1))) as u64
    }

    /// The copy of a unit in a round, counted from 1.
    pub fn copy(self, unit: u64, round: u32) -> u64 {
        self.group(unit, round) % self.copies
    }

    /// The part of all pairs of units that have been compared after so many rounds, by looking at every pair.
    pub fn compared(self, rounds: u32) -> f64 {
        let (mut apart, mut pairs) = (0u64, 0u64);
        for one in 0..self.units {
            for other in 0..one {
                pairs += 1;
                let differ = |round| self.copy(one, round) != self.copy(other, round);
                apart += u64::from((1..=rounds).any(differ));
            }
        }
        apart as f64 / pairs.max(1) as f64
    }

    /// The same by the paper's equation 1, which takes all groups for equal in size.
    pub fn by_equation(self, rounds: u32) -> f64 {
        let (units, copies) = (self.units as f64, self.copies as f64);
        (units * (1.0 - copies.powi(-(rounds as i32))) / (units - 1.0)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of table I: copies, passes, and the percentage of pairs.
    const TABLE_I: [(u64, u32, u32); 10] = [
        (960, 2, 100),
        (31, 4, 100),
        (10, 6, 100),
        (6, 8, 100),
        (4, 10, 100),
        (2, 20, 100),
        (2, 10, 97),
        (2, 8, 94),
        (2, 6, 88),
        (2, 4, 75),
    ];

    #[test]
    fn table_i_by_looking_at_every_pair_of_960_warps() {
        for (copies, passes, percent) in TABLE_I {
            let rounds = Rounds::new(960, copies);
            let compared = rounds.compared(passes / 2);
            assert_eq!((compared * 100.0).round() as u32, percent, "{copies} copies, {passes}");
            let difference = (compared - rounds.by_equation(passes / 2)).abs();
            assert!(difference < 1e-3, "{copies} copies, {passes} passes: {difference}");
            if percent == 100 {
                assert_eq!((rounds.count() * 2, compared), (passes, 1.0), "{copies} copies");
                assert!(rounds.compared(passes / 2 - 1) < 1.0, "one round less is not enough");
            }
        }
    }

    #[test]
    fn fewer_copies_than_table_i_need_more_rounds() {
        for (copies, passes) in [(30, 4 + 2), (9, 6 + 2), (5, 8 + 2), (3, 10 + 4)] {
            assert_eq!(Rounds::new(960, copies).count() * 2, passes, "{copies} copies");
        }
    }

    #[test]
    fn groups_are_parts_of_groups() {
        for (units, copies) in [(8, 2), (7, 3), (960, 31), (33, 4), (1, 2)] {
            let rounds = Rounds::new(units, copies);
            for round in 1..=rounds.count() {
                for unit in 1..units {
                    let same = |round| rounds.group(unit, round) == rounds.group(unit - 1, round);
                    assert!(!same(round) || same(round - 1), "{units} units, {copies} copies");
                }
            }
        }
        let copies =
            |round| (0..8).map(|unit| Rounds::new(8, 2).copy(unit, round)).collect::<Vec<_>>();
        let expected: [Vec<u64>; 3] = [
            vec![0, 0, 0, 0, 1, 1, 1, 1],
            vec![0, 0, 1, 1, 0, 0, 1, 1],
            vec![0, 1, 0, 1, 0, 1, 0, 1],
        ];
        assert_eq!([1, 2, 3].map(copies), expected, "figure 5");
    }

    #[test]
    fn one_copy_each_takes_one_round() {
        assert_eq!(Rounds::new(16, 1000).count(), 1);
        assert_eq!(Rounds::new(16, 1000).copies(), 16);
        assert_eq!((Rounds::new(1, 5).count(), Rounds::new(1, 5).copies()), (0, 1));
    }
}
