//! Accesses of whole warps, of halves and of other parts of them: side by side, a step apart, backwards, all
//! at one place, or each lane somewhere else.
//!
//! Detectors take such accesses in one piece, and by other ways than those of single threads. Kernels of this
//! kind have few places, so that their accesses meet, and few of them, so that all pairs can be asked.

use super::statement::{Statement, Test};
use super::templates::Generator;
use super::{Extents, Layout};
use crate::random::Random;

/// Bytes of the shared memory that such accesses use.
const SHARED_BYTES: u32 = 1024;
/// Bytes of the global memory that they use.
const GLOBAL_BYTES: u32 = 1024;

/// Bytes of an access, its type, and the registers to load and to store.
type Shape = (u32, &'static str, &'static str, &'static str);

const SHAPES: [Shape; 11] = [
    (4, "u32", "%x0", "%kt"),
    (4, "u32", "%x0", "%k1"),
    (4, "f32", "%f0", "%f1"),
    (1, "u8", "%xh", "%ht"),
    (2, "u16", "%xh", "%ht"),
    (2, "v2.u8", "{%xh, %xh}", "{%ht, %h1}"),
    (8, "u64", "%xd0", "%dt"),
    (8, "v2.u32", "{%x0, %x1}", "{%kt, %k1}"),
    (16, "v4.u32", "{%x0, %x1, %x2, %x3}", "{%kt, %k1, %kt, %kt}"),
    (16, "v2.u64", "{%xd0, %xd1}", "{%dt, %d1}"),
    (4, "v2.u16", "{%xh, %xh}", "{%ht, %ht}"),
];

/// What an access does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Anything.
    Any,
    Read,
    /// Atomic updates.
    Update,
    /// Mostly a store, of each thread to a place of its own.
    OwnWord,
}

/// Launches of a few warps.
pub(super) fn extents(random: &mut Random) -> Extents {
    let few = [32, 32, 40, 48, 64, 64, 64, 64];
    let threads = match random.once_in(10) {
        true => random.choose(&[80, 96, 128, 192, 256]),
        false => random.choose(&few),
    };
    let blocks: u32 = match threads {
        ..=32 => random.choose(&[1, 2, 2, 3, 4]),
        33..=64 => random.choose(&[1, 1, 2]),
        _ => 1,
    };
    let cluster = if blocks.is_multiple_of(2) && random.once_in(8) { 2 } else { 1 };
    let layout = if random.once_in(10) { Layout::Square } else { Layout::Row };
    Extents { blocks, threads, cluster, layout }
}

impl Generator {
    /// A kernel whose accesses are mostly those of whole warps.
    pub(super) fn warp_wide_kernel(mut self) -> Vec<Statement> {
        let meet = !self.random.once_in(3);
        let in_global = !meet || self.random.once_in(5);
        let count = self.random.choose(&[2, 2, 3, 3, 4, 5, 6]);
        let mut all = Vec::new();
        if self.random.once_in(8) {
            // Warps that end early meet nobody any more.
            let warp = self.random.below(u64::from(self.extents.warps())) as u32;
            let mut who = vec![Test::new("%warp", self.random.choose(&["eq", "ge"]), warp)];
            who.extend(self.random.once_in(3).then(|| Test::new("%lane", "ge", 16)));
            let at = self.random.index(2);
            if at == 1 {
                all.push(self.wide_access(in_global, meet));
            }
            all.push(Statement::only(&who, vec![Statement::line("exit;")]));
        }
        for _ in 0..count {
            all.push(self.wide_access(in_global, meet));
            match self.random.below(8) {
                0..3 => all.push(self.wide_barrier()),
                3 if meet => all.extend(self.between()),
                4 => all.push(Statement::line("bar.sync 0;")),
                _ => {}
            }
        }
        all
    }

    /// A kernel of phases with barriers between them, in each of which everybody does the same kind of thing:
    /// what races comes late, when much has happened before.
    pub(super) fn phased_kernel(mut self) -> Vec<Statement> {
        let meet = !self.random.once_in(5);
        let in_global = self.random.once_in(if meet { 8 } else { 2 });
        let phases = 2 + self.random.below(4);
        let mut all = Vec::new();
        for _ in 0..phases {
            let kind = self.random.choose(&[Kind::Read, Kind::Read, Kind::Update, Kind::OwnWord]);
            let kind = if meet || kind != Kind::Update { kind } else { Kind::Read };
            let count = self.random.choose(&[1, 1, 2, 3]);
            for _ in 0..count {
                let access = self.wide_access_of(kind, in_global, meet);
                all.push(access);
            }
            if meet && self.random.once_in(5) {
                all.extend(self.between());
            }
            if !self.slips() {
                all.push(match self.random.once_in(10) {
                    true => self.wide_barrier(),
                    false => Statement::line("bar.sync 0;"),
                });
            }
            if self.random.once_in(10) {
                all.push(self.wide_access(in_global, meet));
            }
        }
        all
    }

    /// A barrier of the block, of some of its warps, or of each warp.
    fn wide_barrier(&mut self) -> Statement {
        match self.random.below(8) {
            0 => self.barrier(),
            1 | 2 => Statement::line("bar.warp.sync -1;"),
            _ => Statement::line("bar.sync 0;"),
        }
    }

    /// Something else that orders threads, or that uses the same memory.
    fn between(&mut self) -> Vec<Statement> {
        match self.random.below(14) {
            0 => self.arrival(),
            1 => self.mbarrier(),
            2 => self.thread_copies(),
            3 => self.copies_at_mbarrier(),
            4 => self.bulk_copy_in(),
            5 => self.bulk_copy_out(),
            6 if self.extents.threads <= 128 => self.exchange(),
            7 => self.message(),
            8 => self.warp_barrier(),
            9 => vec![self.any_fence()],
            _ => vec![self.anything()],
        }
    }

    /// Who takes part: all, a warp, a part of each warp, a block.
    fn wide_party(&mut self) -> Vec<Test> {
        let Extents { blocks, threads, .. } = self.extents;
        let warps = u64::from(self.extents.warps());
        let mut who = Vec::new();
        if warps > 1 && self.random.once_in(2) {
            let comparison = self.random.choose(&["eq", "eq", "eq", "ne", "ge"]);
            who.push(Test::new("%warp", comparison, self.random.below(warps) as u32));
        }
        match self.random.below(10) {
            0 | 1 => who.push(Test::new("%lane", "ge", 16)),
            2 => who.push(Test::new("%lane", "lt", 16)),
            3 => {
                let comparison = self.random.choose(&["ge", "lt", "eq", "ne"]);
                who.push(Test::new("%lane", comparison, self.random.below(32) as u32));
            }
            4 => {
                let thread = self.random.below(u64::from(threads)) as u32;
                who.push(Test::new("%thr", self.random.choose(&["eq", "lt"]), thread));
            }
            _ => {}
        }
        if blocks > 1 && self.random.once_in(3) {
            let comparison = self.random.choose(&["eq", "eq", "ne"]);
            who.push(Test::new("%blk", comparison, self.random.below(u64::from(blocks)) as u32));
        }
        who
    }

    /// The number that each lane multiplies its step with, in `%i`, and the largest one.
    fn index(&mut self) -> (Vec<String>, u32) {
        let threads = self.extents.threads;
        let small = self.random.below(32);
        let one = |line: String| vec![line];
        match self.random.below(16) {
            0..4 => (one("mov.u32 %i, %lane;".into()), 31),
            4..7 => (one("mov.u32 %i, %thr;".into()), threads - 1),
            7 => (one("mov.u32 %i, %k0;".into()), 0),
            8 => (one(format!("xor.b32 %i, %lane, {small};")), 31),
            9 => (one("sub.u32 %i, 31, %lane;".into()), 31),
            10 => {
                let factor = 2 * self.random.below(16) + 1;
                let lines =
                    [format!("mul.lo.u32 %i, %lane, {factor};"), "and.b32 %i, %i, 31;".into()];
                (lines.to_vec(), 31)
            }
            11 => (one(format!("shr.u32 %i, %lane, {};", 1 + small % 4)), 15),
            12 => (one(format!("and.b32 %i, %lane, {small};")), 31),
            13 => (one("xor.b32 %i, %thr, 1;".into()), threads | 1),
            14 => (one("xor.b32 %i, %thr, 32;".into()), (threads - 1) | 63),
            // The upper half begins where the lower half would.
            _ => (one("and.b32 %i, %lane, 15;".into()), 15),
        }
    }

    /// One instruction of a party, or several steps of it.
    fn wide_access(&mut self, in_global: bool, meet: bool) -> Statement {
        self.wide_access_of(Kind::Any, in_global, meet)
    }

    fn wide_access_of(&mut self, kind: Kind, in_global: bool, meet: bool) -> Statement {
        let who = match kind == Kind::Any || self.random.once_in(3) {
            true => self.wide_party(),
            false => Vec::new(),
        };
        let in_global = in_global && !self.random.once_in(8);
        let limit = if in_global { GLOBAL_BYTES } else { SHARED_BYTES };
        let is_update = match kind {
            Kind::Any => meet && self.random.once_in(5),
            kind => kind == Kind::Update,
        };
        let (bytes, suffix, to, value) = match is_update || self.random.once_in(2) {
            true => SHAPES[0],
            false => self.random.choose(&SHAPES),
        };
        let (mut lines, most) = match kind {
            Kind::OwnWord => (vec!["mov.u32 %i, %thr;".into()], self.extents.threads - 1),
            _ => self.index(),
        };
        let step = match kind {
            Kind::OwnWord => bytes,
            _ => bytes * self.random.choose(&[1, 1, 1, 1, 2, 4, 8, 33]),
        };
        let several = self.random.once_in(6);
        let lines_of_memory = self.random.choose(&[1, 1, 2, 8]);
        let mut offset = match self.random.once_in(2) {
            true => 0,
            false => bytes * self.random.below(u64::from(lines_of_memory * 128 / bytes)) as u32,
        };
        if several {
            offset %= 128;
        }
        // The upper half of a warp may be the one that begins with the first byte.
        let upper = who.contains(&Test::new("%lane", "ge", 16)) && self.random.once_in(2);
        lines.push(format!("mul.lo.u32 %a, %i, {step};"));
        if upper && lines[0] == "mov.u32 %i, %lane;" && 15 * step + 128 + bytes <= limit {
            lines.push(format!("sub.u32 %a, %a, {};", 16 * step));
            // Only the upper half has addresses that are there.
            offset %= 128;
        } else if most * step + offset + bytes > limit {
            offset %= 128;
            lines.push(format!("and.b32 %a, %a, {};", limit / 2 - 1));
        }
        let (space, address) = self.wide_address(in_global, offset, &mut lines);
        let access = match self.random.below(9) {
            _ if is_update => self.wide_update(space, &address),
            0..6 if kind == Kind::OwnWord => format!("st{space}.{suffix} {address}, {value};"),
            0..3 if kind == Kind::Any => format!("st{space}.{suffix} {address}, {value};"),
            3 if meet && self.random.once_in(3) => {
                let scope = self.any_scope();
                format!("ld.relaxed.{scope}{space}.{suffix} {to}, {address};")
            }
            4 if in_global && self.random.once_in(4) => {
                format!("ld.global.nc.{suffix} {to}, {address};")
            }
            _ => format!("ld{space}.{suffix} {to}, {address};"),
        };
        let is_upper = lines.iter().any(|line| line.starts_with("sub.u32 %a"));
        let mut all: Vec<Statement> = lines.into_iter().map(Statement::Line).collect();
        let further = bytes * self.random.choose(&[1, 8, 32]);
        if several && !is_upper {
            // Several steps, one after the other.
            let attempts = 2 + self.random.below(3) as u32;
            let wrap = format!("and.b32 %a, %a, {};", limit / 2 - 1);
            let mut attempt =
                vec![Statement::line(format!("add.u32 %a, %a, {further};")), Statement::line(wrap)];
            // The address is made again from the offset.
            if in_global {
                attempt.push(Statement::line("cvt.u64.u32 %ga, %a;"));
                attempt.push(Statement::line("add.u64 %ga, %ga, %gb;"));
            }
            attempt.insert(0, Statement::Line(access));
            all.push(Statement::Poll { attempts, attempt, then: Vec::new() });
        } else {
            all.push(Statement::Line(access));
        }
        match who.is_empty() {
            true => Statement::Together(all),
            // The addresses are those of all, the access that of some.
            false if self.random.once_in(3) && matches!(all.last(), Some(Statement::Line(_))) => {
                if let Some(Statement::Line(line)) = all.pop() {
                    all.push(Statement::Predicated { who, line });
                }
                Statement::Together(all)
            }
            false => Statement::only(&who, all),
        }
    }

    /// The address from the offset in `%a`.
    fn wide_address(
        &mut self,
        in_global: bool,
        offset: u32,
        lines: &mut Vec<String>,
    ) -> (&'static str, String) {
        if in_global {
            if self.extents.blocks > 1 && self.random.once_in(3) {
                // Each block has its own half of a line, or its own line.
                let apart = self.random.choose(&[64, 128]);
                lines.push(format!("mad.lo.u32 %a, %blk, {apart}, %a;"));
            }
            lines.push("cvt.s64.s32 %ga, %a;".into());
            lines.push("add.u64 %ga, %ga, %gb;".into());
            return (".global", format!("[%ga+{offset}]"));
        }
        // The shared memory begins at zero, but nobody knows that.
        lines.push("add.u32 %a, %a, %sb;".into());
        (".shared", format!("[%a+{offset}]"))
    }

    /// A warp-wide atomic update, with or without a result.
    fn wide_update(&mut self, space: &str, address: &str) -> String {
        let scope = self.any_scope();
        let order = match self.random.below(6) {
            0 => format!(".relaxed.{scope}"),
            1 => format!(".acq_rel.{scope}"),
            _ => String::new(),
        };
        let operation = self.random.choose(&["add.u32", "add.u32", "add.u32", "max.u32", "or.b32"]);
        match self.random.below(8) {
            0..4 => format!("atom{order}{space}.{operation} %x0, {address}, %k1;"),
            4 | 5 if order.is_empty() => format!("red{space}.{operation} {address}, %k1;"),
            6 => format!("atom{order}{space}.exch.b32 %x0, {address}, %kt;"),
            _ => format!("atom{order}{space}.{operation} %x0, {address}, %kt;"),
        }
    }
}
