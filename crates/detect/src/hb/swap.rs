//! Compare-and-swaps and exchanges, as they stand in the text.

use warpsan_event::AtomicKind;

/// An instruction that locks are taken with. Values of the run are not known everywhere; what stands in the instruction
/// is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::hb) struct Swap {
    pub(in crate::hb) kind: AtomicKind,
    /// What a compare-and-swap has to find.
    pub(in crate::hb) expected: Option<u64>,
    /// What it leaves there.
    pub(in crate::hb) left: Option<u64>,
}

impl Swap {
    /// What an instruction says, if it is a compare-and-swap or an exchange.
    pub(in crate::hb) fn of(kind: AtomicKind, instruction: &str) -> Option<Swap> {
        let number = |text: &str| -> Option<u64> {
            let text = text.trim().trim_end_matches(';');
            match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).ok(),
                None => text.parse::<i64>().ok().map(|number| number as u64 & u64::from(u32::MAX)),
            }
        };
        let mut operands = instruction.split_once(']')?.1.split(',').skip(1).map(number);
        match kind {
            AtomicKind::CompareAndSwap => {
                let (expected, left) = (operands.next()?, operands.next()?);
                Some(Swap { kind, expected, left })
            }
            AtomicKind::Exchange => Some(Swap { kind, expected: None, left: operands.next()? }),
            AtomicKind::Update => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_say_what_they_expect_and_leave() {
        let swap = |kind, text: &str| Swap::of(kind, text).map(|swap| (swap.expected, swap.left));
        let compare = AtomicKind::CompareAndSwap;
        assert_eq!(
            swap(compare, "atom.global.cas.b32 %r1, [%rd1], 0, 1;"),
            Some((Some(0), Some(1)))
        );
        assert_eq!(
            swap(compare, "atom.cas.b32 %r1, [%rd1+4], -1, %r7;"),
            Some((Some(0xffff_ffff), None))
        );
        let exchange = AtomicKind::Exchange;
        assert_eq!(swap(exchange, "atom.exch.b32 %r1, [%rd1], 0x2;"), Some((None, Some(2))));
        assert_eq!(swap(AtomicKind::Update, "atom.add.u32 %r1, [%rd1], 1;"), None);
    }
}
