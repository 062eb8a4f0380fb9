//! Statements of several threads: barriers, exchange through memory, instructions of a warp, accumulation.

use super::memory::FREE_CELLS;
use super::writer::Writer;

/// The operation of each cell that threads accumulate in: no two operations meet in one cell.
const OF_CELL: [&str; 6] = ["add.u32", "or.b32", "xor.b32", "max.u32", "min.s32", "max.s32"];

impl Writer {
    /// A statement that all threads of the block execute.
    pub(super) fn cooperation(&mut self) {
        match self.random.below(9) {
            0 | 1 => self.exchange_shared(),
            2 => self.exchange_global(),
            3 => self.read_common(),
            4 => self.barrier_reduction(),
            5 => self.vote(),
            6 if self.warps_are_whole() => self.match_lanes(),
            7 if self.warps_are_whole() => self.redux(),
            _ if self.warps_are_whole() => self.shuffle(),
            _ => self.vote(),
        }
    }

    fn barrier(&mut self) {
        let block = self.block;
        let whole = self.warps_are_whole();
        match self.random.below(4) {
            0 if whole => self.line(format!("bar.sync 1, {block};")),
            1 => self.line("barrier.sync 0;"),
            2 => self.line("barrier.sync.aligned 2;"),
            _ => self.line("bar.sync 0;"),
        }
    }

    /// The number of another thread of the block in `%t0`.
    fn other_thread(&mut self) {
        let distance = 1 + self.random.below(u64::from(self.block) - 1);
        self.line(format!("add.u32 %t0, %thread, {distance};"));
        self.line(format!("rem.u32 %t0, %t0, {};", self.block));
    }

    fn exchange_shared(&mut self) {
        let (value, result, cell) = (self.register(), self.register(), 4 * self.random.below(4));
        self.line(format!("st.shared.b32 [%own_shared+{cell}], {value};"));
        self.barrier();
        self.other_thread();
        self.line("mov.u32 %t1, own_cells;");
        self.line("mad.lo.u32 %t0, %t0, 16, %t1;");
        self.line(format!("ld.shared.b32 %t1, [%t0+{cell}];"));
        self.line(format!("add.u32 {result}, {result}, %t1;"));
        self.barrier();
    }

    fn exchange_global(&mut self) {
        let (value, result) = (self.register(), self.register());
        let cell = FREE_CELLS + 4 * self.random.below(4);
        self.line(format!("st.global.b32 [%own+{cell}], {value};"));
        self.barrier();
        self.other_thread();
        self.line("sub.u32 %t0, %t0, %thread;");
        self.line("mad.wide.s32 %w0, %t0, 64, %own;");
        self.line(format!("ld.global.b32 %t1, [%w0+{cell}];"));
        self.line(format!("xor.b32 {result}, {result}, %t1;"));
        self.barrier();
    }

    /// What all threads of the block have accumulated so far.
    fn read_common(&mut self) {
        let (result, cell) = (self.register(), 4 * self.random.below(6));
        self.barrier();
        self.line(format!("ld.shared.b32 %t0, [%common_shared+{cell}];"));
        self.line(format!("add.u32 {result}, {result}, %t0;"));
        self.barrier();
    }

    fn barrier_reduction(&mut self) {
        let (value, result) = (self.register(), self.register());
        self.line(format!("setp.lt.s32 %p1, {value}, {result};"));
        if self.random.once_in(2) {
            self.line("bar.red.popc.u32 %t0, 0, %p1;");
        } else {
            let opcode = self.random.choose(&["and", "or"]);
            self.line(format!("barrier.red.{opcode}.pred %p2, 3, %p1;"));
            self.line("selp.b32 %t0, 5, 9, %p2;");
        }
        self.line(format!("add.u32 {result}, {result}, %t0;"));
    }

    fn vote(&mut self) {
        let (value, result) = (self.register(), self.register());
        self.line(format!("setp.gt.u32 %p1, {value}, {result};"));
        if self.random.once_in(2) {
            self.line("vote.sync.ballot.b32 %t0, %p1, %mask;");
        } else {
            let mode = self.random.choose(&["any", "all", "uni"]);
            self.line(format!("vote.sync.{mode}.pred %p2, %p1, %mask;"));
            self.line("selp.b32 %t0, 3, 11, %p2;");
        }
        self.line(format!("xor.b32 {result}, {result}, %t0;"));
        if self.random.once_in(3) {
            self.line("bar.warp.sync %mask;");
        }
    }

    fn shuffle(&mut self) {
        let (value, result) = (self.register(), self.register());
        let mode = self.random.choose(&["up", "down", "bfly", "idx"]);
        let lane = self.random.below(32);
        // The width of the segments that exchange, and the last lane for all modes but `up`.
        let width = 1u64 << (1 + self.random.below(5));
        let clamp = (32 - width) << 8 | if mode == "up" { 0 } else { 31 };
        self.line(format!("shfl.sync.{mode}.b32 %t0|%p1, {value}, {lane}, {clamp}, -1;"));
        self.line("selp.b32 %t1, 1, 0, %p1;");
        self.line(format!("mad.lo.u32 {result}, %t0, 3, {result};"));
        self.line(format!("add.u32 {result}, {result}, %t1;"));
    }

    fn match_lanes(&mut self) {
        let (value, result) = (self.register(), self.register());
        let low_bits = (1 << self.random.below(4)) - 1;
        self.line(format!("and.b32 %t0, {value}, {low_bits};"));
        if self.random.once_in(2) {
            self.line("match.any.sync.b32 %t1, %t0, -1;");
        } else {
            self.line("match.all.sync.b32 %t1|%p1, %t0, -1;");
        }
        self.line(format!("xor.b32 {result}, {result}, %t1;"));
    }

    fn redux(&mut self) {
        let (value, result) = (self.register(), self.register());
        let kinds =
            ["add.s32", "min.u32", "max.s32", "and.b32", "or.b32", "xor.b32", "min.s32", "add.u32"];
        let kind = self.random.choose(&kinds);
        self.line(format!("redux.sync.{kind} %t0, {value}, -1;"));
        self.line(format!("sub.u32 {result}, %t0, {result};"));
    }

    /// A contribution to a cell of the block or of the grid. The old value is never used: it depends on order.
    pub(super) fn accumulation(&mut self) {
        let value = self.register();
        let index = self.random.below(OF_CELL.len() as u64);
        let (operation, cell) = (OF_CELL[index as usize], 4 * index);
        let (name, kind) = operation.split_once('.').unwrap_or((operation, "u32"));
        match self.random.below(6) {
            0 => self.line(format!("red.shared.{name}.{kind} [%common_shared+{cell}], {value};")),
            1 => self
                .line(format!("atom.shared.{name}.{kind} %t0, [%common_shared+{cell}], {value};")),
            2 => self.line(format!("atom.global.{name}.{kind} %t0, [%common+{cell}], {value};")),
            3 => {
                let order = self.random.choose(&["relaxed.gpu", "relaxed.sys", "release.gpu"]);
                self.line(format!("red.{order}.global.{name}.{kind} [%common+{cell}], {value};"));
            }
            4 => {
                self.line(format!("cvt.u64.u32 %w0, {value};"));
                self.line("red.global.add.u64 [%common+32], %w0;");
            }
            _ => {
                self.line("cvta.global.u64 %w1, %common;");
                self.line(format!("atom.acq_rel.gpu.{name}.{kind} %t0, [%w1+{cell}], {value};"));
            }
        }
    }
}
