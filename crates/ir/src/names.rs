//! The names that a function's text has for registers and predicates, for whoever writes more text in it.

use crate::{Declared, Function, Name};

/// What a name in a function's text stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// This register or predicate, everywhere in the function.
    Name(Name),
    /// Several, or one that is not known everywhere.
    Unclear,
    /// No register: a special register, a variable, a label.
    NoRegister,
}

impl Function {
    /// What a name in the text of this function stands for.
    pub fn meaning_of(&self, text: &str) -> Meaning {
        // `v.x` is an element of a vector.
        let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
        let mut found =
            self.declared.iter().filter_map(|declared| Some((declared, declared.member(whole)?)));
        let (declared, member) = match (found.next(), found.next()) {
            (None, _) => return Meaning::NoRegister,
            (Some(only), None) => only,
            (Some(_), Some(_)) => return Meaning::Unclear,
        };
        if declared.each != 1 || !declared.is_outermost || whole != text {
            return Meaning::Unclear;
        }
        let name = match declared.first {
            Name::Register(first) => Name::Register(first + member),
            Name::Predicate(first) => Name::Predicate(first + member),
        };
        if self.text_of(name).is_some() { Meaning::Name(name) } else { Meaning::Unclear }
    }

    /// The name in the text for a register or predicate, if it has one that means the same everywhere in the
    /// function.
    pub fn text_of(&self, name: Name) -> Option<String> {
        let mut found =
            self.declared.iter().filter_map(|declared| Some((declared, declared.covers(name)?)));
        // Names of inner braces are given again, so a number may have had several.
        let (Some((declared, place)), None) = (found.next(), found.next()) else { return None };
        if declared.each != 1 || !declared.is_outermost {
            return None;
        }
        let text = match declared.members {
            Some(_) => format!("{}{place}", declared.name),
            None => declared.name.to_string(),
        };
        let is_hidden = |other: &Declared| other != declared && other.member(&text).is_some();
        (!self.declared.iter().any(is_hidden)).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ModuleIndex;
    use warpsan_ptx::Document;

    fn function(body: &str) -> Function {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n{body}\nret;\n}}\n"
        );
        let document = Document::parse(text);
        assert_eq!(document.errors(), []);
        crate::function(&ModuleIndex::of(&document), "k").expect("a function")
    }

    #[test]
    fn names_and_numbers_lead_to_each_other() {
        let function = function(".reg .b32 %r<5>;\n.reg .pred %p<3>, q;\n.reg .b64 a;");
        for text in ["%r0", "%r4", "%p2", "q", "a"] {
            let Meaning::Name(name) = function.meaning_of(text) else { panic!("{text}") };
            assert_eq!(function.text_of(name).as_deref(), Some(text));
        }
        for text in ["%r5", "%tid.x", "%r", "%p", "qq", "k"] {
            assert_eq!(function.meaning_of(text), Meaning::NoRegister, "{text}");
        }
        assert_eq!(function.text_of(Name::Register(1000)), None);
    }

    #[test]
    fn names_of_inner_braces_and_vectors_are_unclear() {
        let function = function(
            ".reg .b32 %r<5>;\n.reg .v2 .b32 v;\n{ .reg .b32 t; .reg .b32 %r3; mov.b32 t, 1; }\n\
             .reg .b32 late;",
        );
        for text in ["t", "%r3", "v", "v.x", "late"] {
            assert_eq!(function.meaning_of(text), Meaning::Unclear, "{text}");
        }
        assert!(matches!(function.meaning_of("%r4"), Meaning::Name(_)));
    }
}
