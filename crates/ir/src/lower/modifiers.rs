use crate::Type;
use warpsan_model::{Order, Scope, Strength};
use warpsan_ptx::Instruction;
use warpsan_ptx::table::is_cache_hint;

/// The modifiers of an instruction, taken one by one. What is left at the end was not understood,
/// and an instruction that was not understood is not executed.
#[derive(Debug)]
pub(super) struct Modifiers<'a> {
    words: Vec<&'a str>,
}

impl<'a> Modifiers<'a> {
    pub(super) fn new(words: &[&'a str]) -> Self {
        Modifiers { words: words.to_vec() }
    }

    /// The words behind those of the instruction's name, for example behind `cp.async.bulk`.
    pub(super) fn after_name(instruction: &Instruction<'a>) -> Self {
        let mut words = Modifiers::new(instruction.modifiers());
        let name = instruction.mnemonic.row.map_or("", |row| row.name);
        for word in name.split('.').skip(1) {
            words.take(word);
        }
        words
    }

    pub(super) fn take(&mut self, word: &str) -> bool {
        let found = self.words.iter().position(|candidate| *candidate == word);
        found.map(|index| self.words.remove(index)).is_some()
    }

    /// Takes the first word that has a meaning.
    pub(super) fn take_map<T>(&mut self, meaning: impl Fn(&str) -> Option<T>) -> Option<T> {
        let (index, value) = self
            .words
            .iter()
            .enumerate()
            .find_map(|(index, word)| Some((index, meaning(word)?)))?;
        self.words.remove(index);
        Some(value)
    }

    /// Takes the first type of data; instructions with two types name the result's first. A
    /// predicate is not data: instructions that have one take the word themselves.
    pub(super) fn take_type(&mut self) -> Option<Type> {
        self.take_map(|word| Type::parse(word).filter(|ty| *ty != Type::Pred))
    }

    pub(super) fn take_scope(&mut self) -> Option<Scope> {
        self.take_map(Scope::from_ptx)
    }

    pub(super) fn take_order(&mut self) -> Option<Order> {
        self.take_map(Order::from_ptx)
    }

    /// How strong a load or store is. An order without a scope is not valid PTX.
    pub(super) fn take_strength(&mut self) -> Option<Strength> {
        if self.take("weak") {
            return Some(Strength::Weak);
        }
        if self.take("volatile") {
            return Some(Strength::Volatile);
        }
        // What is mapped to devices is relaxed, with the order and scope that stand beside it.
        self.take("mmio");
        match self.take_order() {
            None => Some(Strength::Weak),
            Some(order) => Some(Strength::Strong { order, scope: self.take_scope()? }),
        }
    }

    /// Hints to caches change no result.
    pub(super) fn drop_cache_hints(&mut self) {
        const OPERATORS: [&str; 8] = ["ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc"];
        self.words.retain(|word| {
            let operator = OPERATORS.contains(word) && *word != "nc";
            !operator && !is_cache_hint(word)
        });
    }

    pub(super) fn rest(&self) -> &[&'a str] {
        &self.words
    }
}
