//! Kernels as PTX.

use std::fmt::Write;

use super::statement::{Statement, Test};
use super::{Extents, SynchronisedKernel};

/// Positions, addresses and values that all kernels use. `%gb`, `%sb` and `%rb` are the beginnings of global
/// memory, of the block's own shared memory and of that of the other block of its cluster; `%gt`, `%st` and
/// `%rt` are the thread's own word of the first four there. Behind that each thread has a word:
/// its own is at `%sw` or `%gw`, those of partners in its warp, in another warp and in another block are at
/// `%sx`, `%sy` and `%gx`. Accesses of whole warps make an address in `%a` or `%ga`. What ends with `t` differs between threads.
const PROLOGUE: &[&str] = &[
    ".reg .pred %p, %q, %g, %c;",
    ".reg .b16 %h1, %h3, %ht, %xh;",
    ".reg .b32 %thr, %blk, %warp, %lane, %zero, %sb, %rb, %peer, %k0, %k1, %kt, %x<4>, %n<64>;",
    ".reg .b32 %st, %rt;",
    ".reg .b64 %gt;",
    ".reg .f32 %f<2>;",
    ".reg .b64 %gb, %sg, %d1, %dt, %xd<2>, %state;",
    ".reg .b128 %q1, %xq;",
    ".reg .b32 %sw, %sx, %sy;",
    ".reg .b64 %gw, %gx;",
    ".reg .b32 %i, %a;",
    ".reg .b64 %ga;",
    ".shared .align 128 .b8 s[1024];",
    "ld.param.u64 %gb, [p];",
    "ld.param.u32 %zero, [z];",
    "mov.u32 %thr, %tid.y;",
    "mov.u32 %x0, %ntid.x;",
    "mov.u32 %x1, %tid.x;",
    "mad.lo.u32 %thr, %thr, %x0, %x1;",
    "mov.u32 %blk, %ctaid.y;",
    "mov.u32 %x0, %nctaid.x;",
    "mov.u32 %x1, %ctaid.x;",
    "mad.lo.u32 %blk, %blk, %x0, %x1;",
    "shr.u32 %warp, %thr, 5;",
    "and.b32 %lane, %thr, 31;",
    "mov.u32 %sb, s;",
    "add.u32 %sb, %sb, %zero;",
    "cvt.u64.u32 %sg, %sb;",
    "cvta.shared.u64 %sg, %sg;",
    "and.b32 %x0, %thr, 3;",
    "shl.b32 %x0, %x0, 2;",
    "add.u32 %st, %sb, %x0;",
    "cvt.u64.u32 %gt, %x0;",
    "add.u64 %gt, %gt, %gb;",
    "mad.lo.u32 %sw, %thr, 4, %sb;",
    "xor.b32 %x0, %thr, 1;",
    "mad.lo.u32 %sx, %x0, 4, %sb;",
    "xor.b32 %x0, %thr, 32;",
    "mad.lo.u32 %sy, %x0, 4, %sb;",
    "mad.lo.u32 %x0, %blk, 128, %thr;",
    "mad.wide.u32 %gw, %x0, 4, %gb;",
    "xor.b32 %x0, %x0, 128;",
    "mad.wide.u32 %gx, %x0, 4, %gb;",
    "mov.f32 %f0, 0f3F800000;",
    "mov.f32 %f1, 0f3F800000;",
    "mov.u32 %k0, 0;",
    "mov.u32 %k1, 1;",
    "mad.lo.u32 %kt, %blk, 1000, %thr;",
    "add.u32 %kt, %kt, 1;",
    "mov.b16 %h1, 1;",
    "mov.b16 %h3, 3;",
    "cvt.u16.u32 %ht, %kt;",
    "mov.b64 %d1, 1;",
    "cvt.u64.u32 %dt, %kt;",
    "mov.b128 %q1, {%d1, %dt};",
];

const CLUSTER_PROLOGUE: &[&str] = &[
    "mov.u32 %peer, %cluster_ctarank;",
    "xor.b32 %peer, %peer, 1;",
    "mapa.shared::cluster.u32 %rb, %sb, %peer;",
    "mapa.shared::cluster.u32 %rt, %st, %peer;",
];

pub(super) fn module(kernel: &SynchronisedKernel) -> String {
    let Extents { blocks, threads, cluster, layout } = kernel.extents;
    let mut writer = Writer::default();
    let _ = writeln!(
        writer.text,
        ".version 8.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 z)\n{{"
    );
    PROLOGUE.iter().for_each(|line| writer.line(line));
    if cluster > 1 {
        CLUSTER_PROLOGUE.iter().for_each(|line| writer.line(line));
    }
    let _ = writeln!(
        writer.text,
        "// {blocks} blocks of {threads} threads, clusters of {cluster}, {layout:?}"
    );
    writer.statements(&kernel.statements);
    writer.line("ret;");
    writer.text.push_str("}\n");
    writer.text
}

#[derive(Default)]
struct Writer {
    text: String,
    labels: usize,
    polls: usize,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text.push('\t');
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("$L{}", self.labels)
    }

    fn mark(&mut self, label: &str) {
        self.text.push_str(label);
        self.text.push_str(":\n");
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Line(line) => self.line(line),
            Statement::Together(statements) => self.statements(statements),
            Statement::If { who, then, otherwise } => {
                let other = self.label();
                for test in who {
                    let Test { register, number, .. } = test;
                    self.line(&format!("setp.{}.u32 %p, {register}, {number};", test.opposite()));
                    self.line(&format!("@%p bra {other};"));
                }
                self.statements(then);
                if otherwise.is_empty() {
                    self.mark(&other);
                } else {
                    let end = self.label();
                    self.line(&format!("bra {end};"));
                    self.mark(&other);
                    self.statements(otherwise);
                    self.mark(&end);
                }
            }
            Statement::Predicated { who, line } => {
                for (index, test) in who.iter().enumerate() {
                    let Test { register, number, comparison } = test;
                    let (and, with) = if index == 0 { ("", "") } else { (".and", ", %g") };
                    self.line(&format!(
                        "setp.{comparison}{and}.u32 %g, {register}, {number}{with};"
                    ));
                }
                let guard = if who.is_empty() { "" } else { "@%g " };
                self.line(&format!("{guard}{line}"));
            }
            Statement::Poll { attempts, attempt, then } => {
                let (again, done, end) = (self.label(), self.label(), self.label());
                let counter = self.polls % 64;
                self.polls += 1;
                self.line(&format!("mov.u32 %n{counter}, 0;"));
                // A kernel that was made smaller may try nothing.
                self.line("setp.ne.u32 %q, %zero, 0;");
                self.mark(&again);
                self.statements(attempt);
                self.line(&format!("@%q bra {done};"));
                self.line(&format!("add.u32 %n{counter}, %n{counter}, 1;"));
                self.line(&format!("setp.lt.u32 %c, %n{counter}, {attempts};"));
                self.line(&format!("@%c bra {again};"));
                self.line(&format!("bra {end};"));
                self.mark(&done);
                self.statements(then);
                self.mark(&end);
            }
        }
    }
}
