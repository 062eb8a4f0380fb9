//! `.version`, `.target`, `.address_size` and module-wide pragmas of the program.

use super::{LinkProblem, Unit};
use warpsan_ptx::{Arena, Item};

/// The items that stand in front of everything else.
pub(super) fn merge<'a>(
    units: &[Unit<'a>],
    arena: &'a Arena,
    problems: &mut Vec<LinkProblem>,
) -> Vec<Item<'a>> {
    if units.is_empty() {
        problems.push(LinkProblem::NoUnits);
    }
    let version = units.iter().filter_map(|unit| unit.module.version()).max();
    let mut items: Vec<Item<'a>> = version.map(Item::Version).into_iter().collect();
    items.push(Item::Target(arena.keep_list(&target(units, problems))));
    items.extend(address_size(units, problems).map(Item::AddressSize));
    let mut pragmas: Vec<&str> = Vec::new();
    for item in units.iter().flat_map(|unit| unit.module.items) {
        let Item::Pragma(strings) = item else { continue };
        for string in *strings {
            if !pragmas.contains(string) {
                pragmas.push(string);
            }
        }
    }
    if !pragmas.is_empty() {
        items.push(Item::Pragma(arena.keep_list(&pragmas)));
    }
    items
}

fn address_size(units: &[Unit<'_>], problems: &mut Vec<LinkProblem>) -> Option<u32> {
    // A module that says nothing has addresses of 32 bits (section 11.1.3 of the manual).
    let size = |unit: &Unit<'_>| {
        let said = unit.module.items.iter().find_map(|item| match item {
            Item::AddressSize(bits) => Some(*bits),
            _ => None,
        });
        said.unwrap_or(32)
    };
    let first = units.first()?;
    if let Some(other) = units.iter().find(|unit| size(unit) != size(first)) {
        problems.push(LinkProblem::AddressSizes {
            first: (first.name.to_owned(), size(first)),
            second: (other.name.to_owned(), size(other)),
        });
    }
    Some(size(first))
}

/// The words of `.target` that all units can live with.
fn target<'a>(units: &[Unit<'a>], problems: &mut Vec<LinkProblem>) -> Vec<&'a str> {
    let Some(mut highest) = units.first() else { return Vec::new() };
    let others = |unit: &Unit<'a>| {
        let words = unit.module.target().iter().copied();
        // Unified texture mode is what a target without a word means.
        let words = words.filter(|word| !is_architecture(word));
        let mut words: Vec<&str> =
            words.filter(|word| !["debug", "texmode_unified"].contains(word)).collect();
        words.sort_unstable();
        words
    };
    for unit in units {
        let fits = match (architecture(highest), architecture(unit)) {
            (Some(best), Some(this)) => {
                let (low, high) =
                    if this.rank() > best.rank() { (best, this) } else { (this, best) };
                if this.rank() > best.rank() {
                    highest = unit;
                }
                low.runs_on(high)
            }
            (None, None) => true,
            _ => false,
        };
        if !fits || others(unit) != others(&units[0]) {
            let other = if std::ptr::eq(unit, highest) { &units[0] } else { highest };
            problems.push(LinkProblem::Targets {
                first: (other.name.to_owned(), other.module.target().join(", ")),
                second: (unit.name.to_owned(), unit.module.target().join(", ")),
            });
        }
    }
    let architectures = highest.module.target().iter().copied();
    architectures.filter(|word| is_architecture(word)).chain(others(&units[0])).collect()
}

fn is_architecture(word: &str) -> bool {
    matches!(word.split_once('_'), Some(("sm" | "compute", _)))
}

/// `sm_90a` as 90 and `a`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Architecture<'a> {
    number: u32,
    /// `a`: this architecture only. `f`: its family only. Nothing: this one and all later ones.
    suffix: &'a str,
}

impl Architecture<'_> {
    fn rank(self) -> (u32, u32) {
        let suffix = match self.suffix {
            "" => 0,
            "f" => 1,
            _ => 2,
        };
        (self.number, suffix)
    }

    /// Whether code for this one is also code for one of a higher rank.
    fn runs_on(self, higher: Architecture<'_>) -> bool {
        self.suffix.is_empty() || self.number == higher.number
    }
}

fn architecture<'a>(unit: &Unit<'a>) -> Option<Architecture<'a>> {
    let word = unit.module.target().iter().copied().find(|word| is_architecture(word))?;
    let rest = word.split_once('_')?.1;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, suffix) = rest.split_at(digits);
    Some(Architecture { number: number.parse().ok()?, suffix })
}
