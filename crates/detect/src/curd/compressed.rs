//! From the sets of threads to one set of a block, as in figure 6.5 of the thesis. Knows no events.
//!
//! The regions come in the order of the rows in which the sets of threads are interleaved, so that the left neighbour of a
//! region is most often that of the thread before. One bitmap says which regions are behind their left neighbour, another
//! one which overlap or adjoin it; each run of the latter becomes one region. The thesis computes this with many threads; here
//! sixty-four regions make one word of each bitmap.

use super::regions::{Merge, Region};

const BITS: usize = u64::BITS as usize;

/// Room for the work, which is kept.
#[derive(Debug, Default)]
pub(super) struct Compressor {
    ordering: Vec<u64>,
    mergeability: Vec<u64>,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Compression {
    /// The regions that were made are in the order of memory, and none overlaps another.
    pub(super) is_sorted: bool,
}

impl Compressor {
    /// Puts the compressed regions behind those that `compressed` has.
    pub(super) fn compress(
        &mut self,
        regions: &[Region],
        compressed: &mut Vec<Region>,
    ) -> Compression {
        self.ordering.clear();
        self.mergeability.clear();
        for begin in (0..regions.len()).step_by(BITS) {
            let end = (begin + BITS).min(regions.len());
            let (mut ordering, mut mergeability) = (0, 0);
            for index in begin.max(1)..end {
                let (left, region) = (&regions[index - 1], &regions[index]);
                ordering |= u64::from(region.start >= left.start) << (index - begin);
                let touches = region.start <= left.end && left.start <= region.end;
                mergeability |= u64::from(touches) << (index - begin);
            }
            self.ordering.push(ordering);
            self.mergeability.push(mergeability);
        }
        let mut is_sorted = true;
        let first_of_these = compressed.len();
        for (word, (ordering, mergeability)) in
            self.ordering.iter().zip(&self.mergeability).enumerate()
        {
            let begin = word * BITS;
            let known = (regions.len() - begin).min(BITS);
            let all = u64::MAX >> (BITS - known);
            is_sorted &= (ordering | u64::from(word == 0)) & all == all;
            for (bit, region) in regions[begin..begin + known].iter().enumerate() {
                let run = compressed[first_of_these..].last_mut();
                match run {
                    Some(run) if mergeability >> bit & 1 == 1 => {
                        if let Some((both, _)) = run.merged(region) {
                            *run = both;
                        }
                    }
                    last => {
                        // A run that reaches beyond its last region may reach into this one.
                        is_sorted &= last.is_none_or(|last| last.end < region.start);
                        compressed.push(*region);
                    }
                }
            }
        }
        Compression { is_sorted }
    }
}

#[cfg(test)]
mod tests;
