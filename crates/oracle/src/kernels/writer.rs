//! The text as it grows, the registers it uses, and which kinds of statements follow each other.

use std::fmt::Display;

use super::{VALUES, WORDS_OF_THREAD};
use crate::random::Random;

/// How deep loops and branches are nested at most.
pub(super) const DEEPEST: usize = 3;

/// What is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A function: it has few registers and no memory but its own.
    Function,
    /// The kernel.
    Kernel,
}

pub(super) struct Writer {
    pub(super) random: Random,
    pub(super) text: String,
    pub(super) place: Place,
    /// The names of the functions that can be called.
    pub(super) functions: Vec<String>,
    /// One of the functions calls itself.
    pub(super) has_recursion: bool,
    pub(super) block: u32,
    name: String,
    labels: usize,
    /// Statements that may still be nested: ptxas takes minutes for kernels of thousands of lines.
    nested: usize,
}

impl Writer {
    pub(super) fn new(name: &str, block: u32, random: Random) -> Self {
        Self {
            random,
            text: String::new(),
            place: Place::Function,
            functions: Vec::new(),
            has_recursion: false,
            block,
            name: name.to_owned(),
            labels: 0,
            nested: 60,
        }
    }

    pub(super) fn line(&mut self, text: impl Display) {
        self.text.push_str(&format!("\t{text}\n"));
    }

    pub(super) fn label(&mut self) -> String {
        self.labels += 1;
        format!("$L_{}_{}", self.name, self.labels)
    }

    pub(super) fn mark(&mut self, label: &str) {
        self.text.push_str(&format!("{label}:\n"));
    }

    /// A name that nothing else in the module has.
    pub(super) fn unique(&mut self, what: &str) -> String {
        self.labels += 1;
        format!("{what}_{}_{}", self.name, self.labels)
    }

    /// A register that carries a value.
    pub(super) fn register(&mut self) -> String {
        let count = if self.place == Place::Function { 4 } else { VALUES };
        format!("%r{}", self.random.below(count))
    }

    /// A register, or sometimes a number.
    pub(super) fn value(&mut self) -> String {
        if !self.random.once_in(5) {
            return self.register();
        }
        let numbers = [0, 1, 2, 3, 7, 31, 32, 255, 65535, 0x7fff_ffff, -1, -2, -128, 0x0101_0101];
        self.random.choose(&numbers).to_string()
    }

    /// The registers of every function and of the kernel.
    fn declare(&mut self) {
        self.line(format!(".reg .b32 %r<{VALUES}>, %t<8>, %f<4>, %i<{0}>, %n<{0}>;", DEEPEST + 2));
        self.line(".reg .b16 %h<4>;");
        self.line(".reg .b64 %w<4>, %d<2>;");
        self.line(".reg .pred %p<6>;");
    }

    /// A function of two numbers that gives one.
    pub(super) fn function(&mut self) {
        let name = self.unique("function");
        self.begin_function(&name);
        for _ in 0..2 + self.random.below(5) {
            self.statement(DEEPEST - 1, false);
        }
        self.end_function(name);
    }

    /// A function that calls itself as often as the low bits of its second argument say.
    pub(super) fn recursive_function(&mut self) {
        let name = self.unique("recursive");
        self.has_recursion = true;
        self.begin_function(&name);
        let end = self.label();
        self.line("and.b32 %r1, %r1, 7;");
        self.line("setp.eq.u32 %p0, %r1, 0;");
        self.line(format!("@%p0 bra {end};"));
        // Arithmetic leaves this register alone, so the argument falls from call to call.
        self.line("sub.u32 %t7, %r1, 1;");
        self.arithmetic();
        self.call_of(&name, "%t0", "%r0", "%t7");
        self.line("xor.b32 %r0, %r0, %t0;");
        self.mark(&end);
        self.end_function(name);
    }

    fn begin_function(&mut self, name: &str) {
        self.text.push_str(&format!(
            "\n.func (.param .b32 result) {name}(.param .b32 first, .param .b32 second)\n{{\n"
        ));
        self.declare();
        self.line("ld.param.b32 %r0, [first];");
        self.line("ld.param.b32 %r1, [second];");
        self.line("add.u32 %r2, %r0, %r1;");
        self.line("xor.b32 %r3, %r0, %r1;");
    }

    fn end_function(&mut self, name: String) {
        self.line("st.param.b32 [result], %r0;");
        self.line("ret;");
        self.text.push_str("}\n");
        self.functions.push(name);
    }

    pub(super) fn begin_kernel(&mut self) {
        let (name, block) = (self.name.clone(), self.block);
        self.text.push_str(&format!(
            "\n.visible .entry {name}(.param .u64 data, .param .u64 inputs, .param .u32 words)\n{{\n"
        ));
        self.declare();
        self.line(".reg .b32 %thread, %block, %number, %lane, %mask, %own_shared, %common_shared, %array;");
        self.line(".reg .b64 %data, %inputs, %own, %common, %base;");
        self.line(format!(".shared .align 16 .b8 own_cells[{}];", 16 * block));
        self.line(".shared .align 8 .b8 common_cells[32];");
        self.line(".local .align 8 .b8 array[32];");
        for line in [
            "mov.u32 %thread, %tid.x;",
            "mov.u32 %block, %ctaid.x;",
            "mov.u32 %t0, %ntid.x;",
            "mad.lo.u32 %number, %block, %t0, %thread;",
            "and.b32 %lane, %thread, 31;",
            "ld.param.u64 %data, [data];",
            "ld.param.u64 %inputs, [inputs];",
            "cvta.to.global.u64 %data, %data;",
            "cvta.to.global.u64 %inputs, %inputs;",
        ] {
            self.line(line);
        }
        self.line(format!("mad.wide.u32 %own, %number, {}, %data;", 4 * WORDS_OF_THREAD));
        self.line("mov.u32 %t1, %nctaid.x;");
        self.line("mul.lo.u32 %t0, %t0, %t1;");
        self.line(format!("mad.wide.u32 %common, %t0, {}, %data;", 4 * WORDS_OF_THREAD));
        self.line("mov.u32 %own_shared, own_cells;");
        self.line("mad.lo.u32 %own_shared, %thread, 16, %own_shared;");
        self.line("mov.u32 %common_shared, common_cells;");
        self.mask();
        for index in 0..VALUES {
            self.line(format!("mad.lo.u32 %t0, %number, {}, {};", 2 * index + 3, 17 * index));
            self.line(format!("and.b32 %t0, %t0, {};", super::INPUT_WORDS - 1));
            self.line("mad.wide.u32 %w0, %t0, 4, %inputs;");
            let nc = if index % 2 == 0 { ".nc" } else { "" };
            self.line(format!("ld.global{nc}.b32 %r{index}, [%w0];"));
        }
        for index in 0..8 {
            self.line(format!("st.local.b32 [array+{}], %r{index};", 4 * index));
        }
        for index in 0..4 {
            self.line(format!("st.shared.b32 [%own_shared+{}], %r{index};", 4 * index));
        }
        let skip = self.label();
        self.line("setp.ge.u32 %p0, %thread, 8;");
        self.line(format!("@%p0 bra {skip};"));
        self.line("mad.lo.u32 %t0, %thread, 4, %common_shared;");
        self.line("st.shared.b32 [%t0], 0;");
        self.mark(&skip);
        self.line("bar.sync 0;");
    }

    /// The lanes of this warp that exist: the last warp of a block may be short.
    fn mask(&mut self) {
        let rest = self.block % 32;
        self.line("mov.b32 %mask, -1;");
        if rest != 0 {
            self.line(format!("setp.ge.u32 %p0, %thread, {};", self.block - rest));
            self.line(format!("@%p0 mov.b32 %mask, {};", (1u32 << rest) - 1));
        }
    }

    /// Whether all warps are whole, so that every lane can be read.
    pub(super) fn warps_are_whole(&self) -> bool {
        self.block.is_multiple_of(32)
    }

    pub(super) fn end_kernel(&mut self) {
        for index in 0..VALUES {
            self.line(format!("st.global.b32 [%own+{}], %r{index};", 4 * index));
        }
        self.line("ret;");
        self.text.push_str("}\n");
    }

    /// One statement. `uniform`: all threads of the block come by here.
    pub(super) fn statement(&mut self, depth: usize, uniform: bool) {
        let in_kernel = self.place == Place::Kernel;
        let depth = if self.nested == 0 { DEEPEST } else { depth };
        self.nested = self.nested.saturating_sub(depth);
        match self.random.below(16) {
            0..5 => {
                for _ in 0..1 + self.random.below(4) {
                    self.arithmetic();
                }
            }
            5 | 6 if depth < DEEPEST => self.branch(depth, uniform),
            7 | 8 if depth < DEEPEST => self.repetition(depth, uniform),
            9 if depth < DEEPEST => self.choice(depth),
            10 if !self.functions.is_empty() => self.call(),
            11 | 12 if in_kernel => self.memory(),
            13 | 14 if in_kernel && uniform => self.cooperation(),
            15 if in_kernel => self.accumulation(),
            _ => self.arithmetic(),
        }
    }
}
