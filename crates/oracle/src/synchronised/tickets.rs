//! Counters that fences stand around: tickets that one thread draws for its block, and counters of whole warps.

use super::statement::{Statement, Test};
use super::templates::Generator;

impl Generator {
    /// A block writes, and one of its threads draws a ticket; a thread of another block draws a later one, and its block
    /// reads. Fences and tickets are of different threads, with barriers between them.
    pub(super) fn ticket(&mut self) -> Vec<Statement> {
        let parties = [self.party(), self.party()];
        let blocks = [parties[0].block, parties[1].block];
        let (data, counter) = (self.data_for(&blocks), self.flag_for(&blocks));
        let (space, at) = (counter.memory.space(), counter.at(0));
        let mut all = Vec::new();
        let accesses = self.accesses(data);
        all.push(self.guarded(&parties[0], accesses));
        self.fence_of_some(blocks[0], &blocks, &mut all);
        self.meet(&mut all);
        let drawing = self.party_in(blocks[0]);
        let scope = self.scope_for(&blocks);
        let draw = match self.random.below(4) {
            0 => format!("st.relaxed.{scope}{space}.u32 {at}, %k1;"),
            1 => format!("red.relaxed.{scope}{space}.add.u32 {at}, %k1;"),
            _ => format!("atom.relaxed.{scope}{space}.add.u32 %x0, {at}, %k1;"),
        };
        all.push(self.guarded(&drawing, vec![Statement::Line(draw)]));
        let scope = self.scope_for(&blocks);
        let look = match self.random.below(3) {
            0 => format!("atom.relaxed.{scope}{space}.add.u32 %x0, {at}, %k0;"),
            _ => format!("ld.relaxed.{scope}{space}.u32 %x0, {at};"),
        };
        let wait = Statement::Poll {
            attempts: self.random.choose(&[3, 10, 20]),
            attempt: vec![Statement::Line(look), Statement::line("setp.ne.u32 %q, %x0, 0;")],
            then: Vec::new(),
        };
        let waiting = self.party_in(blocks[1]);
        all.push(Statement::only(&waiting.who, vec![wait]));
        self.meet(&mut all);
        self.fence_of_some(blocks[1], &blocks, &mut all);
        if self.random.once_in(3) {
            self.meet(&mut all);
        }
        let accesses = self.accesses(data);
        all.push(self.guarded(&parties[1], accesses));
        all
    }

    /// Mostly a barrier of all threads.
    fn meet(&mut self, all: &mut Vec<Statement>) {
        if !self.slips() && !self.random.once_in(6) {
            let barrier = self.barrier();
            all.push(barrier);
        }
    }

    /// A fence of all threads, or of some of a block.
    fn fence_of_some(
        &mut self,
        block: Option<u32>,
        blocks: &[Option<u32>],
        all: &mut Vec<Statement>,
    ) {
        if self.slips() {
            return;
        }
        let scope = self.scope_for(blocks);
        let order = self.random.choose(&["sc", "sc", "sc", "sc", "sc", "acq_rel"]);
        let fence = Statement::line(format!("fence.{order}.{scope};"));
        match self.random.once_in(3) {
            true => {
                let party = self.party_in(block);
                all.push(self.guarded(&party, vec![fence]));
            }
            false => all.push(fence),
        }
    }

    /// Whole warps leave something, add to one counter behind a fence, and take what others left.
    pub(super) fn counter_of_warps(&mut self) -> Vec<Statement> {
        let (blocks, warps) = (self.extents.blocks, self.extents.warps());
        let (space, own, partner, scope) = match self.random.below(4) {
            0 | 1 => (".shared", "%sw+512", "%sx+512", "cta"),
            2 if warps > 1 => (".shared", "%sw+512", "%sy+512", "cta"),
            _ if blocks > 1 => (".global", "%gw+512", "%gx+512", "gpu"),
            _ => (".shared", "%sw+512", "%sx+512", "cta"),
        };
        let counter = self.flag_for(&[None]);
        let (counter_space, at) = (counter.memory.space(), counter.at(0));
        let scope = if self.random.once_in(2) { "gpu" } else { scope };
        let mut part = vec![Statement::line(format!("st{space}.u32 [{own}], %kt;"))];
        for _ in 0..self.random.choose(&[1, 1, 2, 3]) {
            if !self.slips() {
                let order = self.random.choose(&["sc", "sc", "acq_rel"]);
                part.push(Statement::line(format!("fence.{order}.{scope};")));
            }
            let update = match self.random.below(5) {
                0 => format!("red.relaxed.{scope}{counter_space}.add.u32 {at}, %k1;"),
                1 => format!("ld.relaxed.{scope}{counter_space}.u32 %x0, {at};"),
                _ => format!("atom.relaxed.{scope}{counter_space}.add.u32 %x0, {at}, %k1;"),
            };
            let update = Statement::Line(update);
            part.push(match self.random.once_in(5) {
                true => {
                    let lanes = 2 + self.random.below(20) as u32;
                    Statement::only(&[Test::new("%lane", "lt", lanes)], vec![update])
                }
                false => update,
            });
            if self.random.once_in(8) {
                self.meet(&mut part);
            }
        }
        if !self.slips() {
            let order = self.random.choose(&["sc", "acq_rel", "acquire"]);
            part.push(Statement::line(format!("fence.{order}.{scope};")));
        }
        part.push(Statement::line(format!("ld{space}.u32 %x0, [{partner}];")));
        match self.random.below(4) {
            0 if warps > 1 => {
                let warp = self.random.below(u64::from(warps)) as u32;
                vec![Statement::only(&[Test::new("%warp", "eq", warp)], part)]
            }
            _ => part,
        }
    }
}
