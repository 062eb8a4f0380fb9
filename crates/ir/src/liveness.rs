//! Which registers and predicates of a function are read later, and which are written before some point is reached.

use crate::{Function, Instruction, Name, Op, Uses};

/// A set of registers and predicates of one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameSet {
    /// Registers come first, then predicates.
    words: Vec<u64>,
    registers: u32,
}

impl NameSet {
    fn none(function: &Function) -> NameSet {
        let names = (function.registers + function.predicates) as usize;
        NameSet { words: vec![0; names.div_ceil(64)], registers: function.registers }
    }

    fn place(&self, name: Name) -> usize {
        match name {
            Name::Register(number) => number as usize,
            Name::Predicate(number) => (self.registers + number) as usize,
        }
    }

    /// Whether it has a name.
    pub fn contains(&self, name: Name) -> bool {
        let place = self.place(name);
        self.words.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 != 0)
    }

    fn insert(&mut self, name: Name) {
        let place = self.place(name);
        if let Some(word) = self.words.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    fn remove(&mut self, name: Name) {
        let place = self.place(name);
        if let Some(word) = self.words.get_mut(place / 64) {
            *word &= !(1 << (place % 64));
        }
    }

    /// Takes all of another one in. The answer is whether any was new.
    fn join(&mut self, other: &NameSet) -> bool {
        let mut changed = false;
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            changed |= *word | other != *word;
            *word |= other;
        }
        changed
    }

    /// What is in both.
    #[must_use]
    pub fn both(&self, other: &NameSet) -> NameSet {
        let words = self.words.iter().zip(&other.words).map(|(one, other)| one & other);
        NameSet { words: words.collect(), registers: self.registers }
    }

    /// Its members, registers first.
    pub fn names(&self) -> impl Iterator<Item = Name> + '_ {
        (0..self.words.len() * 64)
            .filter(|place| self.words[place / 64] >> (place % 64) & 1 != 0)
            .map(|place| match place as u32 {
                register if register < self.registers => Name::Register(register),
                predicate => Name::Predicate(predicate - self.registers),
            })
    }
}

/// What is read later, for every basic block of a function.
#[derive(Debug)]
pub struct Liveness<'f> {
    function: &'f Function,
    /// What is live at the end of each block.
    at_end: Vec<NameSet>,
}

impl<'f> Liveness<'f> {
    /// Of a function.
    pub fn of(function: &'f Function) -> Liveness<'f> {
        let flow = &function.control_flow;
        let mut at_end = vec![NameSet::none(function); flow.blocks.len()];
        let mut at_start = at_end.clone();
        loop {
            let mut changed = false;
            for block in (0..flow.blocks.len()).rev() {
                for next in flow.successors(block) {
                    at_end[block].join(&at_start[next]);
                }
                let mut live = at_end[block].clone();
                let place = flow.blocks[block];
                for instruction in
                    function.code[place.start as usize..place.end as usize].iter().rev()
                {
                    step_back(instruction, &mut live);
                }
                changed |= at_start[block].join(&live);
            }
            if !changed {
                return Liveness { function, at_end };
            }
        }
    }

    /// What is live in front of an instruction.
    pub fn before(&self, at: u32) -> NameSet {
        let flow = &self.function.control_flow;
        let block = flow.block_of(at);
        let Some(mut live) = self.at_end.get(block).cloned() else {
            return NameSet::none(self.function);
        };
        let end = flow.blocks[block].end;
        for instruction in self.function.code[at as usize..end as usize].iter().rev() {
            step_back(instruction, &mut live);
        }
        live
    }
}

fn step_back(instruction: &Instruction, live: &mut NameSet) {
    let uses = Uses::of(&instruction.op);
    // What a guard may leave out may leave the value before it.
    if instruction.guard.is_none() {
        uses.writes.iter().for_each(|one| live.remove(Name::Register(one.number)));
        uses.writes_predicates.iter().for_each(|one| live.remove(Name::Predicate(one.0)));
    }
    uses.reads.iter().for_each(|one| live.insert(Name::Register(one.number)));
    uses.reads_predicates.iter().for_each(|one| live.insert(Name::Predicate(one.0)));
    if let Some((guard, _)) = instruction.guard {
        live.insert(Name::Predicate(guard.0));
    }
}

/// What may be written on the ways from an instruction on, up to the first operation of each way that ends it.
pub fn written_until(function: &Function, from: u32, is_end: impl Fn(&Op) -> bool) -> NameSet {
    let flow = &function.control_flow;
    let mut written = NameSet::none(function);
    let mut seen = vec![false; flow.blocks.len()];
    let mut todo = vec![from];
    while let Some(at) = todo.pop() {
        if at as usize >= function.code.len() {
            continue;
        }
        let block = flow.block_of(at);
        let end = flow.blocks[block].end;
        let mut ended = false;
        for instruction in &function.code[at as usize..end as usize] {
            if is_end(&instruction.op) {
                ended = true;
                break;
            }
            let uses = Uses::of(&instruction.op);
            uses.writes.iter().for_each(|one| written.insert(Name::Register(one.number)));
            uses.writes_predicates.iter().for_each(|one| written.insert(Name::Predicate(one.0)));
        }
        if ended {
            continue;
        }
        for next in flow.successors(block) {
            if !std::mem::replace(&mut seen[next], true) {
                todo.push(flow.blocks[next].start);
            }
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Meaning, ModuleIndex};
    use warpsan_ptx::Document;

    fn function(body: &str) -> Function {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .b64 p)\n{{\n\
             .reg .b32 %r<9>;\n.reg .b64 %rd<3>;\n.reg .pred %p<3>;\nld.param.u64 %rd1, [p];\n{body}\nret;\n}}\n"
        );
        let document = Document::parse(text);
        assert_eq!(document.errors(), []);
        crate::function(&ModuleIndex::of(&document), "k").expect("a function")
    }

    fn is_barrier(op: &Op) -> bool {
        matches!(op, Op::BlockBarrier { .. })
    }

    /// The place behind the first barrier.
    fn behind_barrier(function: &Function) -> u32 {
        1 + function.code.iter().position(|one| is_barrier(&one.op)).expect("a barrier") as u32
    }

    fn names(function: &Function, set: &NameSet) -> Vec<String> {
        set.names().filter_map(|name| function.text_of(name)).collect()
    }

    #[test]
    fn what_is_read_behind_a_barrier_is_live_there() {
        let function = function(
            "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nmov.u32 %r3, 3;\nsetp.eq.u32 %p1, %r3, 0;\nbar.sync 0;\n\
             @%p1 mov.u32 %r2, 7;\nmov.u32 %r3, %r1;\nst.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1], %r3;",
        );
        let live = Liveness::of(&function).before(behind_barrier(&function));
        assert_eq!(names(&function, &live), ["%r1", "%r2", "%rd1", "%p1"]);
        let Meaning::Name(third) = function.meaning_of("%r3") else { panic!("a register") };
        assert!(!live.contains(third), "it is written before it is read");
        let written = written_until(&function, behind_barrier(&function), is_barrier);
        assert_eq!(names(&function, &live.both(&written)), ["%r2"]);
    }

    #[test]
    fn loops_keep_what_they_read_alive_and_barriers_end_ways() {
        let function = function(
            "mov.u32 %r1, 0;\nmov.u32 %r4, 0;\n$again:\nbar.sync 0;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n\
             bar.sync 0;\nadd.u32 %r4, %r4, %r1;\n@%p1 bra $again;\nst.global.u32 [%rd1], %r4;",
        );
        let from = behind_barrier(&function);
        let live = Liveness::of(&function).before(from);
        assert_eq!(names(&function, &live), ["%r1", "%r4", "%rd1"]);
        let written = written_until(&function, from, is_barrier);
        assert_eq!(names(&function, &written), ["%r1", "%p1"]);
    }
}
