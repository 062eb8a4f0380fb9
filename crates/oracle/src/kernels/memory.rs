//! Statements over memory that belongs to one thread, and over inputs that nobody writes.

use super::INPUT_WORDS;
use super::writer::Writer;

/// The first of the thread's cells that are free to work with, in bytes.
pub(super) const FREE_CELLS: u64 = 48;

impl Writer {
    pub(super) fn memory(&mut self) {
        match self.random.below(6) {
            0 => self.local_array(),
            1 => self.input(),
            2 => self.own_shared(),
            3 => self.vector(),
            4 => self.narrow(),
            _ => self.own_global(),
        }
    }

    /// A store to and a load from an array whose index the thread computes.
    fn local_array(&mut self) {
        let (value, index, result, other) =
            (self.register(), self.register(), self.register(), self.register());
        self.line("mov.u32 %array, array;");
        self.line(format!("and.b32 %t0, {index}, 7;"));
        self.line("mad.lo.u32 %t0, %t0, 4, %array;");
        self.line(format!("st.local.b32 [%t0], {value};"));
        self.line(format!("and.b32 %t1, {other}, 7;"));
        self.line("mad.lo.u32 %t1, %t1, 4, %array;");
        if self.random.once_in(2) {
            self.line(format!("ld.local.b32 {result}, [%t1];"));
        } else {
            self.line("cvt.u64.u32 %w0, %t1;");
            self.line("cvta.local.u64 %w0, %w0;");
            self.line(format!("ld.b32 {result}, [%w0];"));
        }
    }

    fn input(&mut self) {
        let (result, index) = (self.register(), self.register());
        self.line(format!("and.b32 %t0, {index}, {};", INPUT_WORDS - 1));
        self.line("mad.wide.u32 %w0, %t0, 4, %inputs;");
        let opcode = self.random.choose(&[
            "ld.global.b32",
            "ld.global.nc.b32",
            "ld.weak.global.u32",
            "ld.global.ca.s32",
        ]);
        self.line(format!("{opcode} {result}, [%w0];"));
    }

    fn own_shared(&mut self) {
        let (value, result, cell, other) =
            (self.register(), self.register(), 4 * self.random.below(4), 4 * self.random.below(4));
        self.line(format!("ld.shared.b32 %t0, [%own_shared+{cell}];"));
        self.line(format!("add.u32 %t0, %t0, {value};"));
        self.line(format!("st.shared.b32 [%own_shared+{cell}], %t0;"));
        self.line(format!("ld.volatile.shared.b32 {result}, [%own_shared+{other}];"));
    }

    fn own_global(&mut self) {
        let (value, result) = (self.register(), self.register());
        let (cell, other) =
            (FREE_CELLS + 4 * self.random.below(4), FREE_CELLS + 4 * self.random.below(4));
        self.line(format!("ld.global.b32 %t0, [%own+{cell}];"));
        self.line(format!("xor.b32 %t0, %t0, {value};"));
        let store =
            self.random.choose(&["st.global.b32", "st.relaxed.gpu.global.b32", "st.global.wb.b32"]);
        self.line(format!("{store} [%own+{cell}], %t0;"));
        if self.random.once_in(3) {
            self.line("membar.gl;");
        }
        self.line("cvta.global.u64 %w0, %own;");
        self.line(format!("ld.b32 {result}, [%w0+{other}];"));
    }

    fn vector(&mut self) {
        let (first, second, result) = (self.register(), self.register(), self.register());
        if self.random.once_in(2) {
            self.line(format!("st.global.v2.b32 [%own+{FREE_CELLS}], {{{first}, {second}}};"));
            self.line(format!("ld.global.v4.b32 {{%t0, %t1, %t2, %t3}}, [%own+{FREE_CELLS}];"));
        } else {
            self.line(format!(
                "st.shared.v4.b32 [%own_shared], {{{first}, {second}, {result}, {first}}};"
            ));
            self.line("ld.shared.v2.b64 {%w0, %w1}, [%own_shared];");
            self.line("mov.b64 {%t0, %t1}, %w0;");
            self.line("mov.b64 {%t2, %t3}, %w1;");
        }
        self.line("xor.b32 %t0, %t0, %t3;");
        self.line("add.u32 %t0, %t0, %t1;");
        self.line(format!("sub.u32 {result}, %t0, %t2;"));
    }

    /// Bytes and halves of words.
    fn narrow(&mut self) {
        let (value, result, place) = (self.register(), self.register(), self.random.below(4));
        self.line(format!("st.shared.u8 [%own_shared+{place}], {value};"));
        self.line(format!("ld.shared.s8 %t0, [%own_shared+{place}];"));
        self.line(format!("st.global.u16 [%own+{}], {value};", FREE_CELLS + 2 * place));
        self.line(format!("ld.global.s16 %t1, [%own+{}];", FREE_CELLS + 2 * place));
        self.line(format!("mad.lo.u32 {result}, %t0, %t1, {result};"));
    }
}
