use crate::SiteId;

/// In which order a pass of a loop comes to the instructions of a kernel. It tells whether a thread that was at one
/// instruction, and then at another, has begun another pass in between.
///
/// Empty where that cannot be told: of functions that are called, and of loops that have several entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassOrder {
    /// Where each site stands.
    pub places: Vec<PassPlace>,
    /// The loops.
    pub loops: Vec<PassLoop>,
}

/// Where an instruction stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PassPlace {
    /// Its number in the order. Every way from an instruction to one that does not stand behind it begins another pass of
    /// the innermost loop around the two.
    pub number: u32,
    /// The innermost loop around it.
    pub innermost: Option<u32>,
    /// The last barrier of the whole block, `__syncthreads()`, that every way to it passes.
    pub barrier: Option<SiteId>,
    /// The last barrier of the block or of the warp, `__syncwarp()`, that every way to it passes.
    pub any_barrier: Option<SiteId>,
}

/// A loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassLoop {
    /// The loop around it, which stands behind it in the list.
    pub parent: Option<u32>,
    /// An instruction that begins another pass.
    pub back: SiteId,
    /// The number of its first barrier of the whole block.
    pub first_barrier: Option<u32>,
}

impl PassOrder {
    /// The loop of which a thread has begun another pass that was at the one instruction, and then came to the other.
    pub fn passed_between(&self, one: SiteId, other: SiteId) -> Option<&PassLoop> {
        let (from, to) = (self.place(one)?, self.place(other)?);
        let common = self.innermost_around([from, to])?;
        (to.number <= from.number).then(|| &self.loops[common as usize])
    }

    /// The loop of which one thread of a block has begun another pass, and another one has not, since they were together at
    /// a barrier of the block: the other one came to `first` from there, and the one to `second`.
    pub fn passed_since_barrier(&self, first: SiteId, second: SiteId) -> Option<&PassLoop> {
        let (stays, goes) = (self.place(first)?, self.place(second)?);
        let barrier = self.place(stays.barrier?)?;
        // Every way to the first access has come to this barrier in the same pass; no way leads in one pass from it, nor
        // from a barrier behind it, to the second.
        let common = self.innermost_around([barrier, goes])?;
        let of_loop = &self.loops[common as usize];
        let is_around = self.innermost_around([barrier, goes, stays]) == Some(common);
        (is_around && goes.number < of_loop.first_barrier?).then_some(of_loop)
    }

    /// Whether a loop that is around the one instruction is not around the other: whoever comes to the other has left it.
    pub fn is_in_loop_apart_from(&self, one: SiteId, other: SiteId) -> bool {
        let (Some(inside), Some(outside)) = (self.place(one), self.place(other)) else {
            return false;
        };
        inside.innermost.is_some() && self.innermost_around([inside, outside]) != inside.innermost
    }

    /// Where an instruction stands, if that is known.
    pub fn place(&self, site: SiteId) -> Option<&PassPlace> {
        self.places.get(site.0 as usize)
    }

    /// The innermost loop around all of these.
    fn innermost_around<const N: usize>(&self, places: [&PassPlace; N]) -> Option<u32> {
        let mut loops = places.map(|place| place.innermost);
        loop {
            // A loop stands before those around it, so the lowest one cannot be around the others.
            let lowest = loops.iter().flatten().copied().min()?;
            if loops.iter().all(|one| *one == Some(lowest)) {
                return Some(lowest);
            }
            for one in loops.iter_mut().filter(|one| **one == Some(lowest)) {
                *one = self.loops[lowest as usize].parent;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTER: u32 = 1;
    const INNER: u32 = 0;

    fn place(number: u32, innermost: Option<u32>, barrier: Option<u32>) -> PassPlace {
        let barrier = barrier.map(SiteId);
        PassPlace { number, innermost, barrier, any_barrier: barrier }
    }

    /// 0: before the loops; 1: in the outer one; 2: its barrier; 3, 4: in the inner one; 5: in the outer one; 6: after them.
    fn order() -> PassOrder {
        let places = vec![
            place(0, None, None),
            place(1, Some(OUTER), None),
            place(2, Some(OUTER), None),
            place(3, Some(INNER), Some(2)),
            place(4, Some(INNER), Some(2)),
            place(5, Some(OUTER), Some(2)),
            place(6, None, Some(2)),
        ];
        let inner = PassLoop { parent: Some(OUTER), back: SiteId(4), first_barrier: None };
        let outer = PassLoop { parent: None, back: SiteId(5), first_barrier: Some(2) };
        PassOrder { places, loops: vec![inner, outer] }
    }

    #[test]
    fn who_comes_to_what_does_not_stand_behind_has_begun_another_pass() {
        let order = order();
        let back = |one, other| {
            order.passed_between(SiteId(one), SiteId(other)).map(|passed| passed.back.0)
        };
        assert_eq!(
            (back(4, 3), back(3, 3), back(5, 3), back(4, 1)),
            (Some(4), Some(4), Some(5), Some(5))
        );
        assert_eq!((back(3, 4), back(1, 5)), (None, None), "the same pass will do");
        assert_eq!((back(6, 0), back(0, 0), back(6, 3)), (None, None, None), "not in one loop");
        assert_eq!(PassOrder::default().passed_between(SiteId(0), SiteId(0)), None);
    }

    #[test]
    fn who_was_at_a_barrier_and_comes_to_what_stands_before_has_begun_another_pass() {
        let order = order();
        let back = |first, second| {
            order.passed_since_barrier(SiteId(first), SiteId(second)).map(|passed| passed.back.0)
        };
        assert_eq!((back(5, 1), back(3, 1)), (Some(5), Some(5)));
        assert_eq!(back(5, 3), None, "a way leads there from the barrier in the same pass");
        assert_eq!(back(4, 3), None, "the same inner loop, after the barrier");
        assert_eq!((back(1, 1), back(1, 5)), (None, None), "the first is not behind a barrier");
        assert_eq!((back(6, 1), back(5, 0)), (None, None), "not in one loop");
    }

    #[test]
    fn a_loop_is_left_by_who_comes_to_what_it_is_not_around() {
        let order = order();
        let left = |one, other| order.is_in_loop_apart_from(SiteId(one), SiteId(other));
        assert!(left(3, 5) && left(3, 0) && left(5, 6));
        assert!(!left(3, 4) && !left(5, 3) && !left(0, 3));
    }
}
