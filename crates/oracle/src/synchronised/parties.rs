//! Who does something.

use super::statement::{Statement, Test};
use super::templates::Generator;

/// Threads that do the same, and the blocks they are in.
#[derive(Clone, Debug)]
pub(super) struct Party {
    pub(super) who: Vec<Test>,
    /// The one block that it is in.
    pub(super) block: Option<u32>,
}

impl Generator {
    /// Some threads, mostly one.
    pub(super) fn party(&mut self) -> Party {
        let block = self.random.below(u64::from(self.extents.blocks)) as u32;
        self.party_in(Some(block))
    }

    /// Some threads of this block; of any, if none is said.
    pub(super) fn party_in(&mut self, block: Option<u32>) -> Party {
        let mut who = Vec::new();
        let block = match block {
            Some(block) if self.extents.blocks > 1 => {
                if self.random.once_in(12) {
                    None
                } else {
                    who.push(Test::new("%blk", "eq", block));
                    Some(block)
                }
            }
            block => block,
        };
        let (threads, warps) = (self.extents.threads, self.extents.warps());
        let thread = self.some_thread();
        match self.random.below(20) {
            0..15 => who.push(Test::new("%thr", "eq", thread)),
            15 => who.push(Test::new("%thr", "lt", 1 + self.random.below(4) as u32)),
            16 if warps > 1 => who.push(Test::new("%warp", "eq", thread / 32)),
            17 => {
                who.push(Test::new("%lane", "eq", thread % 32));
            }
            18 => {
                who.push(Test::new("%warp", "eq", thread / 32));
                who.push(Test::new("%lane", "lt", 2));
            }
            _ if threads <= 4 => {}
            _ => who.push(Test::new("%thr", "ge", threads - 2)),
        }
        Party { who, block }
    }

    /// A thread of a block, mostly at the beginning of a warp.
    pub(super) fn some_thread(&mut self) -> u32 {
        let threads = u64::from(self.extents.threads);
        let warps = u64::from(self.extents.warps());
        let thread = self.random.below(warps) * 32 + self.random.below(3);
        if thread < threads && !self.random.once_in(5) {
            thread as u32
        } else {
            self.random.below(threads) as u32
        }
    }

    /// The parties do their parts: one after the other in the text, or on both ways of branches.
    pub(super) fn parts(&mut self, parts: Vec<(Party, Vec<Statement>)>) -> Vec<Statement> {
        if self.random.once_in(2) {
            return parts.into_iter().map(|(party, part)| self.guarded(&party, part)).collect();
        }
        let mut otherwise = Vec::new();
        for (party, then) in parts.into_iter().rev() {
            let nested = std::mem::take(&mut otherwise);
            otherwise = match party.who.as_slice() {
                [] => vec![Statement::Together(then), Statement::Together(nested)],
                who => vec![Statement::If { who: who.to_vec(), then, otherwise: nested }],
            };
        }
        otherwise
    }

    /// A party does something; one instruction perhaps without a branch.
    pub(super) fn guarded(&mut self, party: &Party, mut part: Vec<Statement>) -> Statement {
        if part.len() == 1 && self.random.once_in(2) {
            match part.remove(0) {
                Statement::Line(line) => {
                    return Statement::Predicated { who: party.who.clone(), line };
                }
                other => part.push(other),
            }
        }
        Statement::only(&party.who, part)
    }
}
