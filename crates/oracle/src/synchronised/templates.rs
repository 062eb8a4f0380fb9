//! What a kernel is put together from.

use super::Extents;
use super::place::Where;
use super::statement::Statement;
use crate::random::Random;

/// Makes kernels.
pub(super) struct Generator {
    pub(super) random: Random,
    pub(super) extents: Extents,
    /// Places for data in each memory.
    pub(super) slots: u64,
    /// The flag that was given out last.
    pub(super) flags: u32,
    /// `mbarrier` objects that were given out.
    pub(super) objects: u32,
    /// In how many pieces one is left out or weakened.
    pub(super) sloppiness: u64,
}

impl Generator {
    pub(super) fn new(mut random: Random, extents: Extents) -> Self {
        let slots = random.choose(&[1, 2, 4, 4]);
        let sloppiness = random.choose(&[6, 10, 20, 40, 1_000_000]);
        let flags = random.below(8) as u32;
        Self { random, extents, slots, flags, objects: 0, sloppiness }
    }

    /// Whether a piece is left out or weakened.
    pub(super) fn slips(&mut self) -> bool {
        self.random.once_in(self.sloppiness)
    }

    pub(super) fn kernel(mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        let count = self.random.choose(&[1, 1, 1, 2, 2, 3]);
        for _ in 0..count {
            let more = self.template();
            statements = match self.random.below(3) {
                0 => self.mixed(statements, more),
                _ => [statements, more].concat(),
            };
        }
        let extra = self.random.choose(&[0, 0, 0, 0, 0, 1, 2]);
        for _ in 0..extra {
            let at = self.random.index(statements.len() + 1);
            let statement = self.anything();
            statements.insert(at, statement);
        }
        if self.slips() && !statements.is_empty() {
            let at = self.random.index(statements.len());
            statements.remove(at);
        }
        if self.random.once_in(30) {
            let at = self.random.index(statements.len() + 1);
            let party = self.party();
            statements.insert(at, Statement::only(&party.who, vec![Statement::line("exit;")]));
        }
        statements
    }

    /// Two lists in one, each in its own order.
    fn mixed(&mut self, one: Vec<Statement>, other: Vec<Statement>) -> Vec<Statement> {
        let (mut one, mut other) = (one.into_iter().peekable(), other.into_iter().peekable());
        let mut all = Vec::new();
        while one.peek().is_some() || other.peek().is_some() {
            let first = other.peek().is_none() || one.peek().is_some() && self.random.once_in(2);
            all.extend(if first { one.next() } else { other.next() });
        }
        all
    }

    fn template(&mut self) -> Vec<Statement> {
        match self.random.below(38) {
            0..6 => self.message(),
            6..8 => self.lock(),
            8 => self.fences_across(),
            9 => self.grid_barrier(),
            10..13 => self.block_barrier(),
            13..15 => self.warp_barrier(),
            15 | 16 if self.extents.cluster > 1 => self.cluster_barrier(),
            17..20 => self.mbarrier(),
            20 | 21 => self.thread_copies(),
            22 | 23 => self.copies_at_mbarrier(),
            24 | 25 => self.bulk_copy_in(),
            26 | 27 => self.bulk_copy_out(),
            28 if self.extents.cluster > 1 => self.stores_to_peer(),
            29 => self.chain_of_updates(),
            30 => self.observation(),
            31 => self.arrival(),
            32 => self.late_acquire(),
            33..35 => self.exchange(),
            35 => self.counter_of_warps(),
            36 => self.ticket(),
            _ => self.chaos(),
        }
    }

    /// Accesses and fences without a reason.
    fn chaos(&mut self) -> Vec<Statement> {
        let count = 2 + self.random.below(6);
        (0..count).map(|_| self.anything()).collect()
    }

    /// Something that some threads do.
    pub(super) fn anything(&mut self) -> Statement {
        let party = self.party();
        let mut part = Vec::new();
        let count = self.random.choose(&[1, 1, 1, 2]);
        for _ in 0..count {
            part.push(match self.random.below(12) {
                0 => self.any_fence(),
                1 => self.proxy_fence(),
                2 => {
                    let flag = self.flag();
                    self.any_access(flag)
                }
                _ => {
                    let place = self.data();
                    self.any_access(place)
                }
            });
        }
        self.guarded(&party, part)
    }

    /// One to two accesses of a place.
    pub(super) fn accesses(&mut self, place: super::place::Place) -> Vec<Statement> {
        let count = self.random.choose(&[1, 1, 1, 2]);
        let access = |generator: &mut Self| match generator.random.once_in(8) {
            true => generator.any_access(place),
            false => generator.weak_access(place),
        };
        (0..count).map(|_| access(self)).collect()
    }

    /// A place in global memory, or in the shared memory if all are in one block.
    pub(super) fn data_for(&mut self, blocks: &[Option<u32>]) -> super::place::Place {
        let together = self.are_together(blocks);
        let shared = together && self.random.once_in(2);
        self.data_in(if shared { Where::Shared } else { Where::Global })
    }

    pub(super) fn flag_for(&mut self, blocks: &[Option<u32>]) -> super::place::Place {
        let together = self.are_together(blocks);
        let shared = together && self.random.once_in(2);
        self.flag_in(if shared { Where::Shared } else { Where::Global })
    }

    fn are_together(&self, blocks: &[Option<u32>]) -> bool {
        self.extents.blocks == 1
            || blocks.iter().all(|block| block.is_some() && *block == blocks[0])
    }

    /// A scope that includes all these blocks; sometimes it does not.
    pub(super) fn scope_for(&mut self, blocks: &[Option<u32>]) -> &'static str {
        if self.slips() {
            return self.any_scope();
        }
        let one_cluster = match blocks {
            [Some(first), rest @ ..] => rest
                .iter()
                .all(|block| block.is_some_and(|block| self.extents.are_together(*first, block))),
            _ => false,
        };
        if self.are_together(blocks) {
            self.any_scope()
        } else if one_cluster {
            self.random.choose(&["cluster", "cluster", "gpu", "sys"])
        } else {
            self.random.choose(&["gpu", "gpu", "sys"])
        }
    }
}
