//! What a thread knows of threads anywhere.

use super::Thread;
use std::sync::Arc;

/// Threads that are known up to the same clock. A block comes before its warps, and a warp before its threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Floor {
    block: u32,
    /// From 1; 0 is the whole block.
    warp: u16,
    /// From 1; 0 is the whole warp.
    lane: u8,
}

/// Whom a floor is about.
pub(super) enum Whom {
    Block,
    Warp(u16),
    Lane(u16, u8),
}

impl Floor {
    pub(super) fn of_block(block: u32) -> Floor {
        Floor { block, warp: 0, lane: 0 }
    }

    pub(super) fn of_warp(block: u32, warp: u16) -> Floor {
        Floor { block, warp: warp + 1, lane: 0 }
    }

    pub(super) fn of_thread(thread: Thread) -> Floor {
        Floor { block: thread.block, warp: thread.warp + 1, lane: thread.lane + 1 }
    }

    pub(super) fn whom(self) -> Whom {
        match (self.warp, self.lane) {
            (0, _) => Whom::Block,
            (warp, 0) => Whom::Warp(warp - 1),
            (warp, lane) => Whom::Lane(warp - 1, lane - 1),
        }
    }

    /// Whether all threads of another floor are among those of this one.
    fn includes(self, other: Floor) -> bool {
        self.block == other.block
            && (self.warp == 0 || self.warp == other.warp && [0, other.lane].contains(&self.lane))
    }
}

/// Floors of neighbouring blocks, sorted. None says less than one that includes it.
type Page = Vec<(Floor, u32)>;

/// Blocks whose floors are on one page, as a power of two.
const PAGE_SHIFT: u32 = 7;

/// A sparse vector clock: the clock of a thread is the highest one that is given for it, its warp and its block, and 0
/// where nothing is given. The thesis' map has an entry for each thread, so that one hand-over from a block that has
/// met at a barrier is a thousand entries; here it is a few. What is handed from block to block is mostly the same, so it is on
/// pages, sorted by their numbers, that are shared until they differ.
#[derive(Debug, Clone, Default)]
pub(crate) struct Floors(Vec<(u32, Arc<Page>)>);

impl Floors {
    fn page(&self, block: u32) -> Option<&Arc<Page>> {
        let place = self.0.binary_search_by_key(&(block >> PAGE_SHIFT), |(number, _)| *number);
        place.ok().map(|place| &self.0[place].1)
    }

    /// What is said of a block.
    pub(super) fn of_block(&self, block: u32) -> &[(Floor, u32)] {
        let page = self.page(block).map_or(&[][..], |page| page);
        let first = page.partition_point(|(floor, _)| floor.block < block);
        let behind = page.partition_point(|(floor, _)| floor.block <= block);
        &page[first..behind]
    }

    /// The clock of a thread.
    pub(crate) fn of(&self, thread: Thread) -> u32 {
        let own = Floor::of_thread(thread);
        let here = self.of_block(thread.block).iter().filter(|(floor, _)| floor.includes(own));
        here.map(|(_, clock)| *clock).max().unwrap_or(0)
    }

    /// Threads are known up to this clock, at least.
    pub(crate) fn raise(&mut self, floor: Floor, clock: u32) {
        if clock > 0 {
            self.join(&Floors(vec![(floor.block >> PAGE_SHIFT, Arc::new(vec![(floor, clock)]))]));
        }
    }

    /// Whatever one of the two knows.
    pub(crate) fn join(&mut self, other: &Floors) {
        let mut places = 0;
        for (number, theirs) in &other.0 {
            places += self.0[places..].partition_point(|(mine, _)| mine < number);
            match self.0.get_mut(places) {
                Some((mine, page)) if mine == number => {
                    if !Arc::ptr_eq(page, theirs) {
                        let joined = joined(page, theirs);
                        // Pages that are shared stay so.
                        *page =
                            if joined == **theirs { Arc::clone(theirs) } else { Arc::new(joined) };
                    }
                }
                _ => self.0.insert(places, (*number, Arc::clone(theirs))),
            }
        }
    }

    /// Whether anything is said of a block.
    pub(super) fn mentions(&self, block: u32) -> bool {
        !self.of_block(block).is_empty()
    }

    /// Drops what is said of a block.
    pub(super) fn forget(&mut self, block: u32) {
        if self.mentions(block) {
            let number = block >> PAGE_SHIFT;
            for (_, page) in self.0.iter_mut().filter(|(other, _)| *other == number) {
                Arc::make_mut(page).retain(|(floor, _)| floor.block != block);
            }
            self.0.retain(|(_, page)| !page.is_empty());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn joined(first: &[(Floor, u32)], second: &[(Floor, u32)]) -> Page {
    let mut joined = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.iter().peekable(), second.iter().peekable());
    let mut wider = Wider::default();
    loop {
        let (floor, clock) = match (first.peek(), second.peek()) {
            (None, None) => return joined,
            (Some((floor, one)), Some((other, two))) if floor == other => (*floor, *one.max(two)),
            (Some((floor, clock)), Some((other, _))) if floor < other => (*floor, *clock),
            (Some((floor, clock)), None) | (_, Some((floor, clock))) => (*floor, *clock),
        };
        first.next_if(|(other, _)| *other == floor);
        second.next_if(|(other, _)| *other == floor);
        if wider.says_less(floor, clock) {
            joined.push((floor, clock));
        }
    }
}

/// The block and the warp that were seen last in the order of floors.
#[derive(Default)]
struct Wider([Option<(Floor, u32)>; 2]);

impl Wider {
    /// Whether those that include a floor say less than it; from then on, it is one of them.
    fn says_less(&mut self, floor: Floor, clock: u32) -> bool {
        let includes = |(wider, _): &(Floor, u32)| wider.includes(floor);
        let known = self.0.into_iter().flatten().filter(includes).map(|(_, clock)| clock).max();
        match floor.whom() {
            Whom::Block => self.0[0] = Some((floor, clock)),
            Whom::Warp(_) => self.0[1] = Some((floor, clock)),
            Whom::Lane(..) => {}
        }
        clock > known.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(block: u32, warp: u16, lane: u8) -> Thread {
        Thread { block, warp, lane }
    }

    #[test]
    fn the_highest_clock_that_is_given_for_a_thread_counts() {
        let mut floors = Floors::default();
        assert!(floors.is_empty());
        floors.raise(Floor::of_thread(thread(1, 0, 3)), 9);
        floors.raise(Floor::of_warp(1, 0), 5);
        floors.raise(Floor::of_block(1), 2);
        floors.raise(Floor::of_warp(0, 7), 0);
        let known = [(1, 0, 3), (1, 0, 4), (1, 1, 3), (0, 7, 0), (2, 0, 3)];
        let known = known.map(|(block, warp, lane)| floors.of(thread(block, warp, lane)));
        assert_eq!(known, [9, 5, 2, 0, 0]);
        assert!(floors.mentions(1) && !floors.mentions(0));
        floors.forget(1);
        assert!(floors.is_empty());
    }

    #[test]
    fn what_a_wider_floor_says_is_said_once() {
        let mut floors = Floors::default();
        floors.raise(Floor::of_thread(thread(1, 0, 3)), 4);
        floors.raise(Floor::of_warp(1, 2), 7);
        floors.raise(Floor::of_warp(1, 0), 4);
        let mut other = Floors::default();
        other.raise(Floor::of_thread(thread(1, 2, 0)), 8);
        other.raise(Floor::of_block(1), 6);
        floors.join(&other);
        let clocks: Vec<u32> = floors.of_block(1).iter().map(|(_, clock)| *clock).collect();
        assert_eq!(clocks, [6, 7, 8]);
    }
    #[test]
    fn pages_are_shared_until_they_differ() {
        let mut first = Floors::default();
        (0..1000).for_each(|block| first.raise(Floor::of_block(block), 3));
        let mut second = first.clone();
        second.raise(Floor::of_block(500), 4);
        let shared = |one: &Floors, other: &Floors| {
            let pairs = one.0.iter().zip(&other.0);
            pairs.filter(|(one, other)| Arc::ptr_eq(&one.1, &other.1)).count()
        };
        assert_eq!((first.0.len(), shared(&first, &second)), (8, 7));
        first.join(&second);
        assert_eq!((first.of(thread(500, 0, 0)), shared(&first, &second)), (4, 8));
        first.forget(7);
        assert_eq!((first.of(thread(7, 0, 0)), first.of(thread(8, 0, 0))), (0, 3));
        assert_eq!(second.of(thread(7, 0, 0)), 3);
    }
}
