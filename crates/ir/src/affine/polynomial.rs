//! Sums of products of numbers that launches and threads know.

use std::collections::BTreeMap;

/// Longer sums are not worth knowing.
const MOST_TERMS: usize = 24;
/// Products of more numbers are not either.
const MOST_FACTORS: usize = 4;

/// A number that a launch or a thread knows. Axes are 0 for x, 1 for y, 2 for z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// The thread's index in its block.
    Thread(u8),
    /// The block's index.
    Block(u8),
    /// Threads of a block.
    Threads(u8),
    /// Blocks of the grid.
    Blocks(u8),
    /// An integer of 32 bits at this byte of the parameters.
    Parameter(u32),
    /// One of 64 bits.
    WideParameter(u32),
}

/// A sum of products, each with a factor. Products have their numbers in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Polynomial {
    terms: BTreeMap<Vec<Atom>, i64>,
    is_unknown: bool,
}

impl Polynomial {
    /// One number.
    pub fn of(atom: Atom) -> Polynomial {
        Polynomial { terms: BTreeMap::from([(vec![atom], 1)]), is_unknown: false }
    }

    /// A constant.
    pub fn constant(value: i64) -> Polynomial {
        let terms =
            if value == 0 { BTreeMap::new() } else { BTreeMap::from([(Vec::new(), value)]) };
        Polynomial { terms, is_unknown: false }
    }

    /// A sum that is too long to be known.
    pub(super) fn unknown() -> Polynomial {
        Polynomial { terms: BTreeMap::new(), is_unknown: true }
    }

    pub(super) fn is_unknown(&self) -> bool {
        self.is_unknown
    }

    /// Whether it has no numbers of launches or threads.
    pub fn is_constant(&self) -> bool {
        !self.is_unknown && self.terms.keys().all(Vec::is_empty)
    }

    /// Its products and their factors.
    pub fn terms(&self) -> impl Iterator<Item = (&[Atom], i64)> {
        self.terms.iter().map(|(atoms, factor)| (atoms.as_slice(), *factor))
    }

    /// A sum with a multiple of another one; none if that would be too long.
    pub fn plus(&self, other: &Polynomial, times: i64) -> Option<Polynomial> {
        if self.is_unknown || other.is_unknown {
            return Some(Polynomial::unknown());
        }
        let mut terms = self.terms.clone();
        for (atoms, factor) in &other.terms {
            let sum = terms.entry(atoms.clone()).or_default();
            *sum = sum.checked_add(factor.checked_mul(times)?)?;
            if *sum == 0 {
                terms.remove(atoms);
            }
        }
        (terms.len() <= MOST_TERMS).then_some(Polynomial { terms, is_unknown: false })
    }

    /// The product; none if it would be too long.
    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        if self.is_unknown || other.is_unknown {
            return None;
        }
        let mut product = Polynomial::default();
        for (atoms, factor) in &self.terms {
            for (others, other_factor) in &other.terms {
                let mut all: Vec<Atom> = atoms.iter().chain(others).copied().collect();
                all.sort_unstable();
                if all.len() > MOST_FACTORS {
                    return None;
                }
                let terms = BTreeMap::from([(all, factor.checked_mul(*other_factor)?)]);
                product = product.plus(&Polynomial { terms, is_unknown: false }, 1)?;
            }
        }
        Some(product)
    }
}

/// Text that [`Polynomial::parse`] reads, for files that keep what was found.
impl std::fmt::Display for Polynomial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, (atoms, factor)) in self.terms().enumerate() {
            if at > 0 {
                f.write_str("+")?;
            }
            write!(f, "{factor}")?;
            for atom in atoms {
                match atom {
                    Atom::Thread(axis) => write!(f, "*t{axis}")?,
                    Atom::Block(axis) => write!(f, "*b{axis}")?,
                    Atom::Threads(axis) => write!(f, "*T{axis}")?,
                    Atom::Blocks(axis) => write!(f, "*B{axis}")?,
                    Atom::Parameter(at) => write!(f, "*p{at}")?,
                    Atom::WideParameter(at) => write!(f, "*P{at}")?,
                }
            }
        }
        Ok(())
    }
}

impl Polynomial {
    /// Reads what [`Display`](std::fmt::Display) writes.
    pub fn parse(text: &str) -> Option<Polynomial> {
        let mut terms = BTreeMap::new();
        for term in text.split('+').filter(|term| !term.is_empty()) {
            let mut factors = term.split('*');
            let factor = factors.next()?.parse().ok()?;
            let mut atoms = Vec::new();
            for atom in factors {
                let (kind, number) = atom.split_at_checked(1)?;
                let axis = || number.parse::<u8>().ok().filter(|axis| *axis < 3);
                atoms.push(match kind {
                    "t" => Atom::Thread(axis()?),
                    "b" => Atom::Block(axis()?),
                    "T" => Atom::Threads(axis()?),
                    "B" => Atom::Blocks(axis()?),
                    "p" => Atom::Parameter(number.parse().ok()?),
                    "P" => Atom::WideParameter(number.parse().ok()?),
                    _ => return None,
                });
            }
            terms.insert(atoms, factor);
        }
        Some(Polynomial { terms, is_unknown: false })
    }
}
