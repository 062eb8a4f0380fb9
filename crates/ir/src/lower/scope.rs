use crate::{Predicate, Register};
use std::collections::HashMap;

/// What a name inside a function stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Symbol {
    /// A register.
    Register(Register),
    /// A predicate.
    Predicate(Predicate),
    /// The elements of a vector register, one behind the other.
    Vector(Register, u32),
    /// One of the shared variables that the function uses.
    Shared(u32),
    /// An offset in the thread's local memory.
    Local(u64),
    /// An offset in the kernel's parameters.
    KernelParameter(u64),
    /// A parameter or return value of a function.
    Formal(u32),
    /// A variable that has no place: a global one inside of a function.
    Unplaced,
}

/// A family of registers, `%r<15>`.
#[derive(Debug, Clone, Copy)]
struct Family {
    first: Symbol,
    count: u32,
}

/// Names by scope, innermost last.
#[derive(Debug, Default)]
pub(super) struct Scopes<'a> {
    levels: Vec<Level<'a>>,
}

#[derive(Debug, Default)]
struct Level<'a> {
    names: HashMap<&'a str, Symbol>,
    families: HashMap<&'a str, Family>,
}

impl<'a> Scopes<'a> {
    pub(super) fn open(&mut self) {
        self.levels.push(Level::default());
    }

    pub(super) fn close(&mut self) {
        self.levels.pop();
    }

    /// Whether this is the scope of the function's formals or that of its outermost braces.
    pub(super) fn is_outermost(&self) -> bool {
        self.levels.len() <= 2
    }

    pub(super) fn declare(&mut self, name: &'a str, symbol: Symbol) {
        if let Some(level) = self.levels.last_mut() {
            level.names.insert(name, symbol);
        }
    }

    pub(super) fn declare_family(&mut self, prefix: &'a str, first: Symbol, count: u32) {
        if let Some(level) = self.levels.last_mut() {
            level.families.insert(prefix, Family { first, count });
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<Symbol> {
        if let Some((whole, element)) = name.rsplit_once('.')
            && let Some(Symbol::Vector(first, count)) = self.find_whole(whole)
            && let Some(element) = "xyzwrgba".find(element).filter(|_| element.len() == 1)
        {
            let element = element as u32 % 4;
            let number = first.number + element;
            return (element < count).then_some(Symbol::Register(Register { number, ..first }));
        }
        self.find_whole(name)
    }

    fn find_whole(&self, name: &str) -> Option<Symbol> {
        for level in self.levels.iter().rev() {
            if let Some(symbol) = level.names.get(name) {
                return Some(*symbol);
            }
            if let Some(symbol) = level.member(name) {
                return Some(symbol);
            }
        }
        None
    }
}

impl Level<'_> {
    /// A member of a family: the prefix and a number; the prefix may end in digits itself.
    fn member(&self, name: &str) -> Option<Symbol> {
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        (name.len() - digits..name.len()).find_map(|split| {
            let family = self.families.get(&name[..split])?;
            let number: u32 = name[split..].parse().ok()?;
            (number < family.count).then(|| match family.first {
                Symbol::Register(Register { number: first, bits }) => {
                    Symbol::Register(Register { number: first + number, bits })
                }
                Symbol::Predicate(Predicate(first)) => Symbol::Predicate(Predicate(first + number)),
                Symbol::Vector(Register { number: first, bits }, count) => {
                    Symbol::Vector(Register { number: first + number * count, bits }, count)
                }
                other => other,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_and_inner_names_resolve() {
        let mut scopes = Scopes::default();
        scopes.open();
        let register = |number| Symbol::Register(Register { number, bits: 32 });
        scopes.declare_family("%r", register(10), 5);
        scopes.declare_family("%x1", register(50), 5);
        assert_eq!(scopes.find("%r4"), Some(register(14)));
        assert_eq!(scopes.find("%x13"), Some(register(53)));
        assert_eq!(scopes.find("%r5"), None);
        scopes.open();
        scopes.declare("%r4", Symbol::Local(8));
        assert_eq!(scopes.find("%r4"), Some(Symbol::Local(8)));
        scopes.close();
        assert_eq!(scopes.find("%r4"), Some(register(14)));
        let vector = |number| Symbol::Vector(Register { number, bits: 32 }, 2);
        scopes.declare_family("v", vector(70), 3);
        assert_eq!(scopes.find("v2"), Some(vector(74)));
        assert_eq!(
            (scopes.find("v1.y"), scopes.find("v1.g")),
            (Some(register(73)), Some(register(73)))
        );
        assert_eq!((scopes.find("v1.z"), scopes.find("v3.x")), (None, None));
    }
}
