//! Statements that compute in the registers of one thread.

use super::writer::Writer;

impl Writer {
    pub(super) fn arithmetic(&mut self) {
        match self.random.below(12) {
            0..6 => self.integer(),
            6 => self.predicated(),
            7 => self.wide(),
            8 => self.short(),
            9 => self.single(),
            10 => self.double(),
            _ => self.bits(),
        }
    }

    fn integer(&mut self) {
        let two = [
            "add.u32",
            "sub.u32",
            "mul.lo.u32",
            "mul.hi.u32",
            "mul.hi.s32",
            "min.u32",
            "max.s32",
            "and.b32",
            "or.b32",
            "xor.b32",
            "add.sat.s32",
            "sub.sat.s32",
            "mul24.lo.s32",
            "shl.b32",
            "shr.u32",
            "shr.s32",
        ];
        let three = [
            "mad.lo.u32",
            "mad.hi.s32",
            "sad.s32",
            "dp4a.u32.s32",
            "shf.l.wrap.b32",
            "prmt.b32",
            "bfe.s32",
        ];
        let (result, first, second) = (self.register(), self.register(), self.value());
        match self.random.below(6) {
            0 => {
                let opcode = self.random.choose(&["div.u32", "rem.u32", "div.s32", "rem.s32"]);
                // The divisor is neither zero nor minus one.
                self.line(format!("and.b32 %t0, {second}, 0x7fffffff;"));
                self.line("or.b32 %t0, %t0, 1;");
                self.line(format!("{opcode} {result}, {first}, %t0;"));
            }
            1 => {
                let (opcode, second, third) =
                    (self.random.choose(&three), self.register(), self.register());
                self.line(format!("{opcode} {result}, {first}, {second}, {third};"));
            }
            2 => {
                let (table, third) = (self.random.below(256), self.register());
                self.line(format!("lop3.b32 {result}, {first}, {second}, {third}, {table};"));
            }
            _ => {
                let opcode = self.random.choose(&two);
                self.line(format!("{opcode} {result}, {first}, {second};"));
            }
        }
    }

    /// A comparison into a predicate, used as a guard or to select.
    fn predicated(&mut self) {
        let comparison =
            self.random.choose(&["eq.u32", "ne.s32", "lt.u32", "le.s32", "gt.s32", "hi.u32"]);
        let (first, second) = (self.register(), self.value());
        let (result, other) = (self.register(), self.value());
        self.line(format!("setp.{comparison} %p1|%p2, {first}, {second};"));
        match self.random.below(4) {
            0 => self.line(format!("@%p1 add.u32 {result}, {result}, {other};")),
            1 => self.line(format!("@!%p1 xor.b32 {result}, {result}, {other};")),
            2 => self.line(format!("selp.b32 {result}, {first}, {other}, %p2;")),
            _ => {
                self.line(format!("setp.lt.and.s32 %p3, {result}, {other}, !%p1;"));
                self.line(format!("selp.b32 {result}, {other}, {first}, %p3;"));
            }
        }
    }

    /// Numbers of 64 bits, and carries.
    fn wide(&mut self) {
        let (result, other, first, second) =
            (self.register(), self.register(), self.register(), self.register());
        match self.random.below(3) {
            0 => {
                self.line(format!("mul.wide.s32 %w0, {first}, {second};"));
                self.line(format!("cvt.s64.s32 %w1, {result};"));
                let opcode =
                    self.random.choose(&["add.s64", "sub.s64", "xor.b64", "max.s64", "mul.lo.u64"]);
                self.line(format!("{opcode} %w0, %w0, %w1;"));
                self.line("mov.b64 {%t0, %t1}, %w0;");
                self.line(format!("xor.b32 {result}, %t0, %t1;"));
            }
            1 => {
                self.line(format!("add.cc.u32 %t0, {first}, {second};"));
                self.line(format!("addc.u32 %t1, {result}, 0;"));
                self.line(format!("mov.b32 {other}, %t0;"));
                self.line(format!("mov.b32 {result}, %t1;"));
            }
            _ => {
                self.line(format!("mov.b64 %w0, {{{first}, {second}}};"));
                let amount = self.random.below(64);
                let opcode = self.random.choose(&["shl.b64", "shr.u64", "shr.s64"]);
                self.line(format!("{opcode} %w0, %w0, {amount};"));
                self.line("popc.b64 %t0, %w0;");
                self.line("cvt.u32.u64 %t1, %w0;");
                self.line(format!("add.u32 {result}, %t0, %t1;"));
            }
        }
    }

    /// Numbers of 16 and 8 bits.
    fn short(&mut self) {
        let (result, first, second) = (self.register(), self.register(), self.register());
        self.line(format!("cvt.u16.u32 %h0, {first};"));
        self.line(format!("cvt.sat.s16.s32 %h1, {second};"));
        let opcode =
            self.random.choose(&["add.s16", "sub.u16", "mul.lo.s16", "max.s16", "and.b16"]);
        self.line(format!("{opcode} %h2, %h0, %h1;"));
        let conversion =
            self.random.choose(&["cvt.u32.u16", "cvt.s32.s16", "cvt.s32.s8", "cvt.u32.u8"]);
        self.line(format!("{conversion} %t0, %h2;"));
        self.line(format!("add.u32 {result}, {result}, %t0;"));
    }

    /// Single precision, whose NaNs are all the same.
    fn single(&mut self) {
        let (result, first, second) = (self.register(), self.register(), self.register());
        let from = self.random.choose(&["cvt.rn.f32.s32", "cvt.rz.f32.u32", "mov.b32"]);
        self.line(format!("{from} %f0, {first};"));
        self.line(format!("cvt.rn.f32.s32 %f1, {second};"));
        let opcode = self.random.choose(&[
            "add.rn.f32",
            "mul.rz.f32",
            "sub.rn.ftz.f32",
            "div.rn.f32",
            "max.f32",
            "min.NaN.f32",
            "add.rn.sat.f32",
        ]);
        self.line(format!("{opcode} %f2, %f0, %f1;"));
        if self.random.once_in(2) {
            self.line("fma.rn.f32 %f2, %f2, %f1, %f0;");
        }
        if self.random.once_in(3) {
            self.line("sqrt.rn.f32 %f2, %f2;");
        }
        let to = self.random.choose(&["cvt.rzi.s32.f32", "cvt.rni.sat.u32.f32", "add.rn.f32"]);
        if to == "add.rn.f32" {
            // The sum is the number itself, or the one NaN that arithmetic gives.
            self.line(format!("{to} {result}, %f2, 0f00000000;"));
        } else {
            self.line(format!("{to} {result}, %f2;"));
        }
    }

    /// Double precision between integers, where no NaN comes up.
    fn double(&mut self) {
        let (result, first, second) = (self.register(), self.register(), self.register());
        self.line(format!("cvt.rn.f64.s32 %d0, {first};"));
        self.line(format!("cvt.rn.f64.u32 %d1, {second};"));
        let opcode = self.random.choose(&["add.rn.f64", "mul.rn.f64", "sub.rz.f64", "max.f64"]);
        self.line(format!("{opcode} %d0, %d0, %d1;"));
        self.line("fma.rn.f64 %d0, %d0, %d0, %d1;");
        self.line("mov.b64 {%t0, %t1}, %d0;");
        self.line(format!("xor.b32 {result}, %t0, %t1;"));
    }

    fn bits(&mut self) {
        let (result, first, second) = (self.register(), self.register(), self.value());
        match self.random.below(3) {
            0 => {
                let opcode = self.random.choose(&[
                    "brev.b32",
                    "popc.b32",
                    "clz.b32",
                    "bfind.u32",
                    "not.b32",
                    "abs.s32",
                ]);
                self.line(format!("{opcode} {result}, {first};"));
            }
            1 => {
                let (start, length) = (self.random.below(40), self.random.below(40));
                // ptxas 13.0 takes a constant length modulo 32 unless the field begins at the lowest bit. The
                // manual does not, nor does the GPU with lengths in registers: no such lengths here.
                let length = if start == 0 { length.min(32) } else { length % 32 };
                self.line(format!("bfi.b32 {result}, {first}, {result}, {start}, {length};"));
            }
            _ => {
                let opcode = self.random.choose(&["bmsk.clamp.b32", "szext.wrap.u32"]);
                self.line(format!("and.b32 %t0, {second}, 31;"));
                self.line(format!("{opcode} %t0, {first}, %t0;"));
                self.line(format!("add.u32 {result}, {result}, %t0;"));
            }
        }
    }
}
