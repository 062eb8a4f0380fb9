//! Conditions over predicates, as a small disjunction of conjunctions.

use crate::Predicate;

/// A predicate, or its negation.
pub(super) type Literal = (Predicate, bool);

/// More than this many alternatives, or literals in one, are not worth keeping: the condition then
/// becomes "always", which is the safe side for whoever looks for races.
const MOST_TERMS: usize = 16;
const MOST_LITERALS: usize = 12;

/// A condition. No alternative means never; an alternative without literals means always.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Condition {
    terms: Vec<Vec<Literal>>,
}

impl Condition {
    pub(super) fn never() -> Condition {
        Condition { terms: Vec::new() }
    }

    pub(super) fn always() -> Condition {
        Condition { terms: vec![Vec::new()] }
    }

    pub(super) fn literal(literal: Literal) -> Condition {
        Condition { terms: vec![vec![literal]] }
    }

    pub(super) fn is_always(&self) -> bool {
        self.terms.iter().any(Vec::is_empty)
    }

    pub(super) fn is_never(&self) -> bool {
        self.terms.is_empty()
    }

    /// The alternatives.
    pub(super) fn terms(&self) -> &[Vec<Literal>] {
        &self.terms
    }

    pub(super) fn or(mut self, other: Condition) -> Condition {
        for term in other.terms {
            self.add(term);
        }
        self
    }

    pub(super) fn and(&self, other: &Condition) -> Condition {
        let mut both = Condition::never();
        for a in &self.terms {
            for b in &other.terms {
                if let Some(term) = conjunction(a, b) {
                    both.add(term);
                }
            }
        }
        both
    }

    fn add(&mut self, term: Vec<Literal>) {
        let implies = |narrow: &[Literal], wide: &[Literal]| {
            wide.iter().all(|literal| narrow.contains(literal))
        };
        if self.terms.iter().any(|known| implies(&term, known)) {
            return;
        }
        // `p and rest` beside `not p and rest` is `rest`.
        let opposite = self.terms.iter().position(|known| differs_in_one_sign(known, &term));
        if let Some((index, literal)) = opposite.and_then(|index| {
            let known = &self.terms[index];
            Some((index, *term.iter().find(|literal| !known.contains(literal))?))
        }) {
            self.terms.remove(index);
            return self.add(term.into_iter().filter(|other| *other != literal).collect());
        }
        self.terms.retain(|known| !implies(known, &term));
        self.terms.push(term);
        self.terms
            .sort_unstable_by_key(|term| term.iter().map(|l| (l.0.0, l.1)).collect::<Vec<_>>());
        if self.terms.len() > MOST_TERMS {
            *self = Condition::always();
        }
    }
}

fn differs_in_one_sign(a: &[Literal], b: &[Literal]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| a.0 == b.0)
        && a.iter().zip(b).filter(|(a, b)| a.1 != b.1).count() == 1
}

/// Both at once; nothing if they contradict each other.
fn conjunction(a: &[Literal], b: &[Literal]) -> Option<Vec<Literal>> {
    let mut all = a.to_vec();
    for literal in b {
        if all.contains(&(literal.0, !literal.1)) {
            return None;
        }
        if !all.contains(literal) && all.len() < MOST_LITERALS {
            all.push(*literal);
        }
    }
    all.sort_unstable_by_key(|literal| (literal.0.0, literal.1));
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(number: u32) -> Condition {
        Condition::literal((Predicate(number), false))
    }

    fn not(number: u32) -> Condition {
        Condition::literal((Predicate(number), true))
    }

    #[test]
    fn the_laws_of_logic_hold() {
        assert!(p(1).or(not(1)).is_always());
        assert!(p(1).and(&not(1)).is_never());
        assert_eq!(p(1).or(p(1).and(&p(2))), p(1));
        assert_eq!(p(1).and(&p(2)).or(p(1).and(&not(2))), p(1));
        assert_eq!(p(1).and(&Condition::always()), p(1));
        assert!(p(1).and(&Condition::never()).is_never());
        assert_eq!(p(1).and(&p(2)).or(p(3)), p(3).or(p(2).and(&p(1))));
    }

    #[test]
    fn what_grows_too_large_becomes_always() {
        let all = (0..40).fold(Condition::never(), |sum, n| sum.or(p(n)));
        assert!(all.is_always());
        let all = (0..40).fold(Condition::always(), |product, n| product.and(&p(n)));
        assert!(!all.is_always() && !all.is_never(), "a conjunction only gets wider");
    }
}
