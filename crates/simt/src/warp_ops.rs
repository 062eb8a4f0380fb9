//! Operations among the lanes of one warp. They make lanes wait; they order no memory.

use crate::step::Context;
use crate::warp::{Warp, lanes};
use warpsan_ir::{Op, ShuffleMode, VoteMode};

impl Context<'_, '_> {
    /// `shfl.sync` and `vote.sync`, once all lanes that they name are there.
    pub(crate) fn collective(&mut self, warp: &mut Warp, mask: u32, op: &Op) {
        match op {
            Op::Shuffle { mode, to, valid, from, by, clamp, .. } => {
                let (from, by, clamp) = (warp.value(*from), warp.value(*by), warp.value(*clamp));
                let mut result = [0u64; 32];
                let mut found = 0;
                for lane in lanes(mask) {
                    let (source, in_range) = shuffle_source(*mode, lane, by[lane], clamp[lane]);
                    // A lane that does not take part has no defined value; its own is as good.
                    let source = if mask >> source & 1 == 1 { source } else { lane };
                    result[lane] = from[source];
                    found |= u32::from(in_range) << lane;
                }
                warp.set(*to, mask, |lane| result[lane] & 0xFFFF_FFFF);
                if let Some(valid) = valid {
                    warp.set_predicate(*valid, mask, found);
                }
            }
            Op::Vote { mode, to_predicate, to_register, of, .. } => {
                let votes = warp.condition(*of) & mask;
                let truth = match mode {
                    VoteMode::All => votes == mask,
                    VoteMode::Any => votes != 0,
                    VoteMode::Uni => votes == mask || votes == 0,
                    VoteMode::Ballot => false,
                };
                if let Some(to) = to_predicate {
                    warp.set_predicate(*to, mask, if truth { u32::MAX } else { 0 });
                }
                if let Some(to) = to_register {
                    warp.set(*to, mask, |_| u64::from(votes));
                }
            }
            _ => {}
        }
    }
}

/// The lane that a lane reads from, and whether it is inside its segment.
fn shuffle_source(mode: ShuffleMode, lane: usize, by: u64, clamp: u64) -> (usize, bool) {
    let lane = lane as i64;
    let by = (by & 31) as i64;
    let bound = (clamp & 31) as i64;
    let segment = ((clamp >> 8) & 31) as i64;
    let most = (lane & segment) | (bound & !segment);
    let least = lane & segment;
    let (source, in_range) = match mode {
        ShuffleMode::Up => (lane - by, lane - by >= most),
        ShuffleMode::Down => (lane + by, lane + by <= most),
        ShuffleMode::Bfly => (lane ^ by, lane ^ by <= most),
        ShuffleMode::Idx => {
            let source = least | (by & !segment);
            (source, source <= most)
        }
    };
    if in_range { (source as usize & 31, true) } else { (lane as usize, false) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_follow_the_manual() {
        // The clamp values are those that CUDA's `__shfl_*_sync` pass for width 32 and 8.
        assert_eq!(shuffle_source(ShuffleMode::Down, 3, 16, 31), (19, true));
        assert_eq!(shuffle_source(ShuffleMode::Down, 20, 16, 31), (20, false));
        assert_eq!(shuffle_source(ShuffleMode::Up, 3, 4, 0), (3, false));
        assert_eq!(shuffle_source(ShuffleMode::Up, 5, 4, 0), (1, true));
        assert_eq!(shuffle_source(ShuffleMode::Bfly, 5, 1, 31), (4, true));
        assert_eq!(shuffle_source(ShuffleMode::Idx, 9, 2, 0x181F), (10, true));
        assert_eq!(shuffle_source(ShuffleMode::Down, 6, 3, 0x181F), (6, false));
    }
}
