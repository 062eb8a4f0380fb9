//! Where lanes that part at a branch meet again: the branch's immediate post-dominator.

use crate::{Instruction, Op};

/// Fills in `meet` of every branch that can part the lanes of a warp.
pub(crate) fn run(code: &mut [Instruction]) {
    let blocks = Blocks::of(code);
    let meeting = blocks.immediate_post_dominators();
    for (index, block) in blocks.starts.iter().enumerate() {
        let last = blocks.end(index) - 1;
        debug_assert!(*block as usize <= last);
        let instruction = &mut code[last];
        if let (Op::Branch { meet, .. }, true) = (&mut instruction.op, instruction.guard.is_some())
        {
            *meet = meeting[index].map(|block| blocks.starts[block]);
        }
    }
}

/// Straight pieces of code, and the edges between them.
struct Blocks {
    /// The first instruction of each, ascending.
    starts: Vec<u32>,
    successors: Vec<Vec<usize>>,
    length: usize,
}

impl Blocks {
    fn of(code: &[Instruction]) -> Blocks {
        let mut leads = vec![false; code.len() + 1];
        leads[0] = true;
        for (index, instruction) in code.iter().enumerate() {
            match instruction.op {
                Op::Branch { target, .. } => {
                    leads[target as usize] = true;
                    leads[index + 1] = true;
                }
                Op::Exit | Op::Trap => leads[index + 1] = true,
                _ => {}
            }
        }
        let starts: Vec<u32> = (0..code.len() as u32).filter(|at| leads[*at as usize]).collect();
        let block_at = |at: u32| starts.partition_point(|start| *start <= at) - 1;
        let mut blocks = Blocks { successors: Vec::new(), length: code.len(), starts: Vec::new() };
        for (index, _) in starts.iter().enumerate() {
            let end = starts.get(index + 1).map_or(code.len(), |next| *next as usize);
            let last = &code[end - 1];
            let mut next = Vec::new();
            let falls_through = match last.op {
                Op::Branch { target, .. } => {
                    next.push(block_at(target));
                    last.guard.is_some()
                }
                Op::Exit | Op::Trap => last.guard.is_some(),
                _ => true,
            };
            if falls_through && end < code.len() {
                next.push(block_at(end as u32));
            }
            blocks.successors.push(next);
        }
        blocks.starts = starts;
        blocks
    }

    fn end(&self, block: usize) -> usize {
        self.starts.get(block + 1).map_or(self.length, |next| *next as usize)
    }

    /// The iterative algorithm on the reversed graph, with one exit added behind all blocks that
    /// leave. None means that the paths meet only at the end of the kernel, or never.
    fn immediate_post_dominators(&self) -> Vec<Option<usize>> {
        let count = self.starts.len();
        let exit = count;
        let order = self.reverse_post_order_from_exit();
        let mut position = vec![usize::MAX; count + 1];
        for (rank, block) in order.iter().enumerate() {
            position[*block] = rank;
        }
        let mut dominator = vec![usize::MAX; count + 1];
        dominator[exit] = exit;
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order.iter().skip(1) {
                let leaves = self.successors[block].is_empty();
                let next = self.successors[block].iter().copied().chain(leaves.then_some(exit));
                let mut best = usize::MAX;
                for successor in next.filter(|successor| dominator[*successor] != usize::MAX) {
                    best = match best {
                        usize::MAX => successor,
                        other => intersect(other, successor, &dominator, &position),
                    };
                }
                if best != usize::MAX && dominator[block] != best {
                    dominator[block] = best;
                    changed = true;
                }
            }
        }
        (0..count).map(|block| Some(dominator[block]).filter(|found| *found < exit)).collect()
    }

    fn reverse_post_order_from_exit(&self) -> Vec<usize> {
        let exit = self.starts.len();
        let mut predecessors = vec![Vec::new(); exit + 1];
        for (block, successors) in self.successors.iter().enumerate() {
            for successor in successors {
                predecessors[*successor].push(block);
            }
            if successors.is_empty() {
                predecessors[exit].push(block);
            }
        }
        let mut seen = vec![false; exit + 1];
        let mut post_order = Vec::new();
        let mut stack = vec![(exit, 0)];
        seen[exit] = true;
        while let Some((block, next)) = stack.pop() {
            if let Some(&predecessor) = predecessors[block].get(next) {
                stack.push((block, next + 1));
                if !seen[predecessor] {
                    seen[predecessor] = true;
                    stack.push((predecessor, 0));
                }
            } else {
                post_order.push(block);
            }
        }
        post_order.reverse();
        post_order
    }
}

fn intersect(mut a: usize, mut b: usize, dominator: &[usize], position: &[usize]) -> usize {
    while a != b {
        while position[a] > position[b] {
            a = dominator[a];
        }
        while position[b] > position[a] {
            b = dominator[b];
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Predicate;
    use warpsan_model::SiteId;

    fn plain(op: Op) -> Instruction {
        Instruction { guard: None, op, site: SiteId(0) }
    }

    fn guarded(op: Op) -> Instruction {
        Instruction { guard: Some((Predicate(0), false)), ..plain(op) }
    }

    fn jump(target: u32) -> Op {
        Op::Branch { target, meet: None }
    }

    fn meets(mut code: Vec<Instruction>) -> Vec<Option<u32>> {
        run(&mut code);
        code.iter()
            .filter_map(|instruction| match instruction.op {
                Op::Branch { meet, .. } if instruction.guard.is_some() => Some(meet),
                _ => None,
            })
            .collect()
    }

    #[test]
    fn both_sides_of_an_if_meet_behind_it() {
        let code = vec![
            guarded(jump(3)),
            plain(Op::Nothing),
            plain(jump(4)),
            plain(Op::Nothing),
            plain(Op::Exit),
        ];
        assert_eq!(meets(code), [Some(4)]);
    }

    #[test]
    fn a_loop_meets_at_its_exit() {
        let code = vec![plain(Op::Nothing), guarded(jump(0)), plain(Op::Exit)];
        assert_eq!(meets(code), [Some(2)]);
    }

    #[test]
    fn paths_that_end_apart_never_meet() {
        let code = vec![guarded(jump(2)), plain(Op::Exit), plain(Op::Exit)];
        assert_eq!(meets(code), [None]);
    }

    #[test]
    fn a_loop_without_end_is_survived() {
        let code = vec![guarded(jump(2)), plain(Op::Exit), plain(jump(2))];
        assert_eq!(meets(code), [Some(1)], "the side that never ends does not count");
    }
}
