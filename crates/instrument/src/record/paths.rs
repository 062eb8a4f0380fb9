//! Where the paths of a kernel reconverge, as far as instructions there are shipped.
//!
//! A device may run lanes of a warp without reconvergence where their paths in the code reconverge. Who makes up for that on
//! the host has to know which lanes are on their way to the same instruction.

use warpsan_ir::{Function, Op};

/// Where a site stands in the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Position {
    block: u32,
    at: u32,
}

/// The sites of a kernel, and where its paths reconverge.
#[derive(Debug, Clone, Default)]
pub struct Paths {
    sites: Vec<Position>,
    /// For each basic block, the one where its lanes reconverge next, if there is one. Lanes that end on the way are
    /// not waited for.
    next: Vec<Option<u32>>,
    /// The first block of the function that is being added; the blocks of all functions are numbered in one row.
    first_block: u32,
    /// Where the kernel begins.
    entry: u32,
}

impl Paths {
    /// A function follows, whose sites are added next.
    pub(crate) fn begin(&mut self, function: &Function) {
        let first = self.next.len() as u32;
        self.first_block = first;
        if function.is_kernel {
            self.entry = first;
        }
        let graph = &function.control_flow;
        for (number, block) in graph.blocks.iter().enumerate() {
            let last = &function.code[block.end as usize - 1];
            let next = match last.op {
                Op::Branch { reconverge, .. } if last.guard.is_some() => {
                    reconverge.map(|at| graph.block_of(at))
                }
                Op::BranchIndexed { reconverge, .. } => reconverge.map(|at| graph.block_of(at)),
                _ => graph.successors(number).next(),
            };
            self.next.push(next.map(|block| first + block as u32));
        }
    }

    /// The next site is the instruction with this number.
    pub(crate) fn add(&mut self, function: &Function, at: usize) {
        let block = self.first_block + function.control_flow.block_of(at as u32) as u32;
        self.sites.push(Position { block, at: at as u32 });
    }

    /// Whether a lane that was shipped at a site, or nowhere yet, comes to another one if it does not end before. It
    /// may still not be shipped there, if that instruction has a guard.
    pub fn is_ahead(&self, site: u32, of: Option<u32>) -> bool {
        let Some(to) = self.sites.get(site as usize) else { return false };
        let mut block = match of.map(|of| self.sites.get(of as usize)) {
            None => Some(self.entry),
            Some(None) => return false,
            Some(Some(from)) if from.block == to.block && from.at < to.at => return true,
            Some(Some(from)) => self.next[from.block as usize],
        };
        // Code that never ends has no last block.
        for _ in 0..self.next.len() {
            match block {
                None => return false,
                Some(here) if here == to.block => return true,
                Some(here) => block = self.next[here as usize],
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{instrumented_with, module};
    use crate::{DevicePlan, Shipping};

    /// Which sites are ahead of the beginning of a kernel and of each of its sites, the last of which is its end.
    fn ahead(body: &str) -> Vec<Vec<u32>> {
        let made = instrumented_with(&module(body), DevicePlan::Ship(Shipping::Everything))
            .expect("it can");
        let sites = 0..made.sites.sites.len() as u32;
        let of = |from: Option<u32>| {
            sites.clone().filter(|site| made.paths.is_ahead(*site, from)).collect()
        };
        std::iter::once(None).chain(sites.clone().map(Some)).map(of).collect()
    }

    #[test]
    fn what_is_behind_a_reconvergence_point_is_ahead_of_its_paths() {
        let body = "
            setp.eq.u32 %p1, %r1, 3;
            @%p1 bra ELSE;
            st.global.u32 [%rd1], %r1;
            bra JOIN;
        ELSE:
            st.global.u32 [%rd1+4], %r1;
        JOIN:
            ld.global.u32 %r1, [%rd1];";
        let expected: [&[u32]; 5] = [&[2, 3], &[2, 3], &[2, 3], &[3], &[]];
        assert_eq!(ahead(body), expected);
    }

    #[test]
    fn what_is_behind_a_loop_is_ahead_and_its_next_round_is_not() {
        let body = "
        LOOP:
            st.global.u32 [%rd1], %r1;
            st.global.u32 [%rd1+4], %r1;
            setp.eq.u32 %p1, %r1, 3;
            @%p1 bra LOOP;
            ld.global.u32 %r1, [%rd1];";
        let expected: [&[u32]; 5] = [&[0, 1, 2, 3], &[1, 2, 3], &[2, 3], &[3], &[]];
        assert_eq!(ahead(body), expected);
    }

    #[test]
    fn lanes_that_end_early_are_no_reason_not_to_come() {
        let body = "
            setp.eq.u32 %p1, %r1, 3;
            @%p1 bra REST;
            st.global.u32 [%rd1], %r1;
            ret;
        REST:
            ld.global.u32 %r1, [%rd1];";
        let expected: [&[u32]; 5] = [&[2, 3], &[1], &[], &[3], &[]];
        assert_eq!(ahead(body), expected);
    }

    #[test]
    fn code_that_never_ends_has_an_answer() {
        let body = "
        LOOP:
            st.global.u32 [%rd1], %r1;
            bra LOOP;";
        assert_eq!(ahead(body), [[0], [0]]);
    }
}
