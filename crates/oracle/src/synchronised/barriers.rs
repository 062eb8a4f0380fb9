//! Barriers of blocks, warps and clusters.

use super::place::{Place, Where};
use super::statement::{Statement, Test};
use super::templates::Generator;

impl Generator {
    /// Accesses of some threads of a block to one place.
    fn some_accesses(&mut self, block: Option<u32>, place: Place) -> Statement {
        let party = self.party_in(block);
        let accesses = self.accesses(place);
        self.guarded(&party, accesses)
    }

    /// A block, and a place that its threads use.
    fn block_and_place(&mut self) -> (Option<u32>, Place) {
        let block = Some(self.random.below(u64::from(self.extents.blocks)) as u32);
        let memory = if self.random.once_in(2) { Where::Shared } else { Where::Global };
        (block, self.data_in(memory))
    }

    /// Accesses on both sides of a barrier of the block.
    pub(super) fn block_barrier(&mut self) -> Vec<Statement> {
        let (block, place) = self.block_and_place();
        let mut all = vec![self.some_accesses(block, place)];
        let rounds = self.random.choose(&[1, 1, 2]);
        for _ in 0..rounds {
            if !self.slips() {
                let barrier = self.barrier();
                all.push(barrier);
            }
            all.push(self.some_accesses(block, place));
        }
        all
    }

    /// A barrier of all threads of each block.
    pub(super) fn barrier(&mut self) -> Statement {
        let warps = self.extents.warps();
        let number = self.random.below(4);
        let threads = warps * 32;
        match self.random.below(10) {
            0 => Statement::line(format!("barrier.sync {number};")),
            1 => Statement::line(format!("bar.red.popc.u32 %x0, {number}, %c;")),
            2 => Statement::line(format!("barrier.red.or.pred %c, {number}, %c;")),
            3 => Statement::line(format!("bar.sync {number}, {threads};")),
            4 | 5 if warps > 1 => {
                // Some only arrive: what the others do next is not before what these do next.
                let who =
                    vec![Test::new("%warp", "eq", self.random.below(u64::from(warps)) as u32)];
                let then = vec![Statement::line(format!("bar.arrive {number}, {threads};"))];
                let accesses = match self.random.once_in(2) {
                    true => {
                        let place = self.data();
                        self.accesses(place)
                    }
                    false => Vec::new(),
                };
                Statement::If {
                    who,
                    then: [then, accesses].concat(),
                    otherwise: vec![Statement::line(format!("bar.sync {number}, {threads};"))],
                }
            }
            6 if warps > 1 => {
                // Not all warps take part.
                let part = 1 + self.random.below(u64::from(warps)) as u32;
                let line = Statement::line(format!("bar.sync {number}, {};", part * 32));
                Statement::only(&[Test::new("%warp", "lt", part)], vec![line])
            }
            7 => {
                // Both ways of a branch lead to the barrier.
                let line = || vec![Statement::line(format!("barrier.sync {number};"))];
                let who = vec![Test::new("%lane", "lt", 1 + self.random.below(3) as u32)];
                Statement::If { who, then: line(), otherwise: line() }
            }
            _ => Statement::line("bar.sync 0;"),
        }
    }

    /// Each thread leaves something in its own word, and takes what a partner left there.
    pub(super) fn exchange(&mut self) -> Vec<Statement> {
        let (blocks, warps) = (self.extents.blocks, self.extents.warps());
        let (space, own, partner, scope) = match self.random.below(4) {
            0 | 1 => (".shared", "%sw+512", "%sx+512", "warp"),
            2 if warps > 1 => (".shared", "%sw+512", "%sy+512", "block"),
            3 if blocks > 1 => (".global", "%gw+512", "%gx+512", "grid"),
            _ => (".shared", "%sw+512", "%sx+512", "block"),
        };
        let (suffix, value) = self.random.choose(&[("u32", "%kt"), ("u32", "%k1"), ("u16", "%ht")]);
        let mut all = Vec::new();
        let rounds = self.random.choose(&[1, 1, 2]);
        for _ in 0..rounds {
            let store = format!("st{space}.{suffix} [{own}], {value};");
            all.push(match self.random.below(6) {
                0 => {
                    let lanes = 1 + self.random.below(8) as u32;
                    let who = vec![Test::new("%lane", "lt", lanes)];
                    Statement::Predicated { who, line: store }
                }
                _ => Statement::Line(store),
            });
            if !self.slips() {
                match scope {
                    "warp" => all.push(Statement::line("bar.warp.sync -1;")),
                    "block" => {
                        let barrier = self.barrier();
                        all.push(barrier);
                    }
                    _ => all.extend(self.meeting()),
                }
            }
            all.push(Statement::line(format!("ld{space}.u32 %x0, [{partner}];")));
            if !self.slips() {
                let barrier = self.barrier();
                all.push(barrier);
            }
        }
        all
    }

    /// A warp arrives at a barrier that another one waits at.
    pub(super) fn arrival(&mut self) -> Vec<Statement> {
        let (block, place) = self.block_and_place();
        let warps = self.extents.warps();
        if warps < 2 {
            return self.block_barrier();
        }
        let source = self.random.below(u64::from(warps)) as u32;
        let target = (source + 1 + self.random.below(u64::from(warps) - 1) as u32) % warps;
        let number = 1 + self.random.below(5);
        let mut all = Vec::new();
        let rounds = self.random.choose(&[1, 1, 2]);
        for _ in 0..rounds {
            let part = |generator: &mut Self, warp: u32, line: &str, first: bool| {
                let lane = Test::new("%lane", "eq", 0);
                let accesses = generator.accesses(place);
                let accesses = Statement::only(&[lane], accesses);
                let mut then = vec![Statement::line(line)];
                then.insert(usize::from(!first), accesses);
                if generator.random.once_in(5) {
                    let more = generator.accesses(place);
                    then.push(Statement::only(&[lane], more));
                }
                let mut who = vec![Test::new("%warp", "eq", warp)];
                if generator.extents.blocks > 1 && generator.random.once_in(2) {
                    who.extend(block.map(|block| Test::new("%blk", "eq", block)));
                }
                Statement::only(&who, then)
            };
            let arrive = format!("bar.arrive {number}, 64;");
            let wait = self.random.choose(&["bar.sync", "barrier.sync"]);
            let first = !self.slips();
            let source = part(self, source, &arrive, first);
            let target = part(self, target, &format!("{wait} {number}, 64;"), false);
            all.extend([source, target]);
        }
        all
    }

    /// Accesses on both sides of a barrier of the warp.
    pub(super) fn warp_barrier(&mut self) -> Vec<Statement> {
        let (block, place) = self.block_and_place();
        let mut all = vec![self.some_accesses(block, place)];
        let rounds = self.random.choose(&[1, 1, 2]);
        for _ in 0..rounds {
            let barrier = match self.random.below(6) {
                0 => {
                    let lanes = 1 + self.random.below(4) as u32;
                    let line = Statement::line(format!("bar.warp.sync {};", (1 << lanes) - 1));
                    Statement::only(&[Test::new("%lane", "lt", lanes)], vec![line])
                }
                1 => {
                    // Both ways of a branch have a barrier of their own.
                    let lanes = 1 + self.random.below(3) as u32;
                    let low = (1u32 << lanes) - 1;
                    Statement::If {
                        who: vec![Test::new("%lane", "lt", lanes)],
                        then: vec![Statement::line(format!("bar.warp.sync {low};"))],
                        otherwise: vec![Statement::line(format!("bar.warp.sync {};", !low))],
                    }
                }
                2 => Statement::line("vote.sync.ballot.b32 %x0, %c, -1;"),
                _ => Statement::line("bar.warp.sync -1;"),
            };
            if !self.slips() {
                all.push(barrier);
            }
            all.push(self.some_accesses(block, place));
        }
        all
    }

    /// Accesses around the two halves of a barrier of the cluster.
    pub(super) fn cluster_barrier(&mut self) -> Vec<Statement> {
        let memory = self.random.choose(&[Where::Shared, Where::Peer, Where::Global]);
        let other = match memory {
            Where::Shared => Where::Peer,
            Where::Peer => Where::Shared,
            Where::Global => Where::Global,
        };
        let place = self.data_in(memory);
        let there = Place { memory: other, ..place };
        let mut all = Vec::new();
        let rounds = self.random.choose(&[1, 1, 2]);
        for _ in 0..rounds {
            let place = if self.random.once_in(2) { place } else { there };
            let party = self.party();
            let accesses = self.accesses(place);
            all.push(self.guarded(&party, accesses));
            let order = match self.slips() || self.random.once_in(5) {
                true => ".relaxed",
                false => self.random.choose(&["", ".release"]),
            };
            if order == ".relaxed" && !self.slips() {
                let fence = match self.random.once_in(2) {
                    true => self.any_fence(),
                    false => Statement::line("fence.acq_rel.cluster;"),
                };
                all.push(fence);
            }
            all.push(Statement::line(format!("barrier.cluster.arrive{order};")));
            if self.random.once_in(4) {
                let statement = self.anything();
                all.push(statement);
            }
            let acquire = self.random.choose(&["", ".acquire"]);
            all.push(Statement::line(format!("barrier.cluster.wait{acquire};")));
        }
        let party = self.party();
        let accesses = self.accesses(there);
        all.push(self.guarded(&party, accesses));
        all
    }

    /// What all threads of a block, or of a cluster, need before they use what one of them made.
    pub(super) fn meeting(&mut self) -> Vec<Statement> {
        if self.extents.cluster > 1 && !self.random.once_in(4) {
            let order = if self.random.once_in(5) { ".relaxed" } else { "" };
            vec![
                Statement::line(format!("barrier.cluster.arrive{order};")),
                Statement::line("barrier.cluster.wait;"),
            ]
        } else {
            vec![Statement::line("bar.sync 0;")]
        }
    }
}
