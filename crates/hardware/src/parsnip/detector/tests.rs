//! Table 4.2, step by step.
//!
//! Where the table and its prose differ, it is the prose in step 6 (the entry of `t2` is its first), and the table in step 9 (there is
//! nothing behind the write). Software has the write of steps 9 and 11, too, and no older read: the thesis says that it could.

use super::super::reference::Ref;
use super::super::software::History;
use super::*;
use warpsan_thread_detect::{Clock, ThreadId};

const X: u64 = 0x40;

fn epoch(clock: u64, thread: u32) -> Epoch {
    Epoch::new(Clock::new(clock), ThreadId::new(thread).expect("an id"))
}

fn knows(epochs: &[(u64, u32)]) -> VectorClock {
    let mut clock = VectorClock::default();
    for (number, thread) in epochs {
        clock.set(ThreadId::new(*thread).expect("an id"), Clock::new(*number));
    }
    clock
}

struct Table42(Detector);

/// References, the held entries of the three tables, and what software has.
#[derive(Debug, PartialEq)]
struct State {
    primary: String,
    secondary: String,
    tables: [Vec<(usize, u64, u32)>; 3],
    software: (Epoch, Vec<Epoch>),
}

impl Table42 {
    /// `t3` has no free entry, and something else is of its epoch 16.
    fn new() -> Table42 {
        let mut detector = Detector::new(&Settings { predicts: false, ..Settings::default() });
        for number in 0..15 {
            let clock = if number == 4 { 16 } else { number as u64 + 1 };
            detector.parts.tables[3].hold(number, clock, 1);
        }
        Table42(detector)
    }

    /// An access by a thread that knows these epochs, its own first. The race that it finds, and the state behind it.
    fn access(&mut self, kind: Kind, known: &[(u64, u32)]) -> (Option<Epoch>, State) {
        let clock = knows(known);
        let own = epoch(known[0].0, known[0].1);
        let who = Who { epoch: own, clock: &clock };
        let mut race = None;
        self.0.check(&who, X / 64, 1, kind, &mut |_, conflict| race = Some(conflict.earlier));
        (race, self.state())
    }

    fn state(&self) -> State {
        let pair = &self.0.pairs[0];
        let reference = |line: &Option<Line>| {
            let one = line.as_ref().map_or(Ref::NOBODY, |line| line.get(0));
            format!("{one:?}")
        };
        let held = |thread: usize| {
            let mut held = self.0.parts.tables[thread].held();
            // Of `t3` the table shows one entry.
            held.retain(|(number, ..)| thread != 3 || *number == 4);
            held
        };
        let History { write, reads, .. } = pair.software.get(0).clone();
        State {
            primary: reference(&pair.primary),
            secondary: reference(&pair.secondary),
            tables: [held(1), held(2), held(3)],
            software: (write, reads.to_vec()),
        }
    }
}

#[test]
fn table_4_2() {
    use Kind::{Read, Write};
    let mut x = Table42::new();
    let mut step = |kind, known: &[(u64, u32)], race, primary: &str, secondary: &str, tables| {
        let (found, state) = x.access(kind, known);
        assert_eq!(found, race, "{primary}");
        assert_eq!((&*state.primary, &*state.secondary), (primary, secondary));
        assert_eq!(state.tables, tables, "{primary}");
        state.software
    };
    let of_t3 = vec![(4, 16, 1)];
    // 1: a software handler finds nothing, and the first entry of `t1` is free.
    let tables = [vec![(0, 1, 1)], vec![], of_t3.clone()];
    step(Write, &[(1, 1)], None, "t1,W,F,[0]", "-", tables.clone());
    // 2: the same epoch.
    step(Read, &[(1, 1)], None, "t1,W,F,[0]", "-", tables);
    // 3 is a release. 4: a new epoch, and the write gets second.
    let tables = [vec![(0, 1, 1), (1, 2, 1)], vec![], of_t3.clone()];
    step(Read, &[(2, 1)], None, "t1,R,T,[1]", "t1,W,F,[0]", tables);
    // 5 is an acquire. 6: a read beside the last one, which goes to software.
    let tables = [vec![(0, 1, 1)], vec![(0, 1, 1)], of_t3];
    let software = step(Read, &[(1, 2), (1, 1)], None, "t2,R,T,[0]", "t1,W,T,[0]", tables);
    assert_eq!(software.1, [epoch(2, 1)]);
    // 7 and 8 order `t2` before `t3`. 9: `t1` has read, too.
    let of_t3 = vec![(4, 16, 2)];
    let tables = [vec![], vec![], of_t3.clone()];
    let known = [(16, 3), (1, 1), (1, 2)];
    let software = step(Write, &known, Some(epoch(2, 1)), "t3,W,F,[4]", "-", tables.clone());
    assert_eq!(software, (epoch(16, 3), vec![]));
    // 10 is a release. 11: there is no room for the clock 17.
    let known = [(17, 3), (1, 1), (1, 2)];
    let software = step(Read, &known, None, "t3,R,T,_", "t3,W,F,[4]", tables);
    assert_eq!(software.1, [epoch(17, 3)]);
    // 12 is a release. 13: the writer is the last reader, and nobody else has read.
    let tables = [vec![], vec![], vec![(4, 16, 1)]];
    let known = [(18, 3), (1, 1), (1, 2)];
    let software = step(Write, &known, None, "t3,W,F,_", "-", tables.clone());
    assert_eq!(software, (epoch(18, 3), vec![]));
    // 14: `t2` has not heard of that. Its read is recorded all the same.
    let (found, _) = x.access(Read, &[(2, 2), (1, 1)]);
    assert_eq!(found, Some(epoch(18, 3)));
}
