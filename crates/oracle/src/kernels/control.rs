//! Branches, loops, jump tables and calls.

use super::writer::{DEEPEST, Writer};

impl Writer {
    /// Some statements at a greater depth.
    fn block_of_statements(&mut self, depth: usize, uniform: bool) {
        for _ in 0..1 + self.random.below(4) {
            self.statement(depth + 1, uniform);
        }
    }

    /// A condition in `%p0` that is the same for the whole block, or differs between its threads.
    fn condition(&mut self, uniform: bool) {
        if uniform {
            let bit = 1 << self.random.below(2);
            self.line(format!("and.b32 %t0, %block, {bit};"));
            self.line("setp.ne.u32 %p0, %t0, 0;");
            return;
        }
        let other = self.value();
        match self.random.below(3) {
            0 => {
                let register = self.register();
                self.line(format!("setp.lt.s32 %p0, {register}, {other};"));
            }
            1 => {
                let bound = self.random.below(u64::from(self.block.min(64)));
                let register = self.thread_number();
                self.line(format!("setp.lt.u32 %p0, {register}, {bound};"));
            }
            _ => {
                let (register, mask) = (self.register(), 1 + self.random.below(7));
                self.line(format!("and.b32 %t0, {register}, {mask};"));
                self.line("setp.ne.u32 %p0, %t0, 0;");
            }
        }
    }

    /// The number of the thread, or in a function something that differs as well.
    fn thread_number(&mut self) -> String {
        match self.place {
            super::writer::Place::Kernel => "%thread".to_owned(),
            super::writer::Place::Function => self.register(),
        }
    }

    /// `if` with or without `else`.
    pub(super) fn branch(&mut self, depth: usize, uniform: bool) {
        let stays_uniform = uniform && self.random.once_in(3);
        self.condition(stays_uniform);
        let (otherwise, end) = (self.label(), self.label());
        // ptxas 13.0 crashes on a recursive call between two such branches.
        let may_be_marked = stays_uniform && !self.has_recursion;
        let ending = if may_be_marked && self.random.once_in(2) { ".uni" } else { "" };
        self.line(format!("@%p0 bra{ending} {otherwise};"));
        self.block_of_statements(depth, stays_uniform);
        if self.random.once_in(2) {
            self.line(format!("bra.uni {end};"));
            self.mark(&otherwise);
            self.block_of_statements(depth, stays_uniform);
        } else {
            self.mark(&otherwise);
        }
        self.mark(&end);
    }

    /// A loop that ends after a few rounds, with or without a way out in the middle.
    pub(super) fn repetition(&mut self, depth: usize, uniform: bool) {
        let stays_uniform = uniform && self.random.once_in(2);
        let (counter, bound) = (format!("%i{depth}"), format!("%n{depth}"));
        let (top, end) = (self.label(), self.label());
        self.line(format!("mov.u32 {counter}, 0;"));
        if stays_uniform {
            let rounds = 1 + self.random.below(5);
            self.line(format!("mov.u32 {bound}, {rounds};"));
        } else {
            let register = self.register();
            self.line(format!("and.b32 {bound}, {register}, 7;"));
        }
        self.mark(&top);
        self.line(format!("setp.ge.u32 %p0, {counter}, {bound};"));
        self.line(format!("@%p0 bra {end};"));
        self.block_of_statements(depth, stays_uniform);
        if !stays_uniform && self.random.once_in(2) {
            self.condition(false);
            self.line(format!("@%p0 bra {end};"));
            self.arithmetic();
        }
        let register = self.register();
        self.line(format!("add.u32 {register}, {register}, {counter};"));
        self.line(format!("add.u32 {counter}, {counter}, 1;"));
        self.line(format!("bra.uni {top};"));
        self.mark(&end);
    }

    /// A jump table with four ways that meet again.
    pub(super) fn choice(&mut self, depth: usize) {
        let register = self.register();
        let targets: Vec<String> = (0..4).map(|_| self.label()).collect();
        let (table, end) = (self.unique("$targets"), self.label());
        self.line(format!("and.b32 %t0, {register}, 3;"));
        self.mark(&table);
        self.line(format!(".branchtargets {};", targets.join(", ")));
        self.line(format!("brx.idx %t0, {table};"));
        for target in &targets {
            self.mark(target);
            self.statement((depth + 2).min(DEEPEST), false);
            if self.random.once_in(3) {
                // Falls through to the next way.
                continue;
            }
            self.line(format!("bra.uni {end};"));
        }
        self.mark(&end);
    }

    /// A call by name, or through a register that holds different functions in different threads.
    pub(super) fn call(&mut self) {
        let (result, first, second) = (self.register(), self.register(), self.register());
        let index = self.random.index(self.functions.len());
        let name = self.functions[index].clone();
        if !self.random.once_in(4) || self.place == super::writer::Place::Function {
            self.call_of(&name, &result, &first, &second);
            return;
        }
        let other = self.functions[0].clone();
        let (guard, bit) = (self.register(), 1 << self.random.below(3));
        let prototype = self.unique("$prototype");
        self.line(format!("and.b32 %t0, {guard}, {bit};"));
        self.line("setp.ne.u32 %p0, %t0, 0;");
        self.line(format!("mov.u64 %w0, {name};"));
        self.line(format!("mov.u64 %w1, {other};"));
        self.line("selp.b64 %w0, %w0, %w1, %p0;");
        self.mark(&prototype);
        self.line(".callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);");
        self.call_with("%w0", &format!(", {prototype}"), &result, &first, &second);
    }

    pub(super) fn call_of(&mut self, name: &str, result: &str, first: &str, second: &str) {
        self.call_with(name, "", result, first, second);
    }

    fn call_with(&mut self, target: &str, ending: &str, result: &str, first: &str, second: &str) {
        self.line("{");
        self.line(".param .b32 argument0;");
        self.line(".param .b32 argument1;");
        self.line(".param .b32 returned;");
        self.line(format!("st.param.b32 [argument0], {first};"));
        self.line(format!("st.param.b32 [argument1], {second};"));
        self.line(format!("call (returned), {target}, (argument0, argument1){ending};"));
        self.line(format!("ld.param.b32 {result}, [returned];"));
        self.line("}");
    }
}
