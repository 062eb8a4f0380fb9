//! The operands that a form is run with.

use super::edges::edges;
use super::{Form, ValueType};
use warpsan_oracle::random::{Random, fingerprint};

/// How many combinations of edges a form gets at most, and how many random operands beside them.
const COMBINED: usize = 288;
const RANDOM: usize = 96;

impl Form {
    /// The tuples of operands, each value in the low bits of a word. They depend on the name only, so that a
    /// form that is added changes no other.
    pub fn inputs(&self) -> Vec<Vec<u64>> {
        let mut random = Random::new(fingerprint(self.name.bytes()));
        let lists: Vec<Vec<u64>> = self.operands.iter().map(|operand| edges(*operand)).collect();
        let all: usize = lists.iter().map(Vec::len).product();
        let mut tuples = if all <= COMBINED {
            combinations(&lists)
        } else {
            let first = match lists.len() {
                2 => 12,
                3 => 5,
                _ => 3,
            };
            let cores: Vec<Vec<u64>> =
                lists.iter().map(|list| list[..first.min(list.len())].to_vec()).collect();
            let mut tuples = combinations(&cores);
            while tuples.len() < COMBINED {
                tuples.push(lists.iter().map(|list| random.choose(list)).collect());
            }
            tuples
        };
        for _ in 0..RANDOM {
            tuples.push(self.random_tuple(&lists, &mut random));
        }
        tuples
    }

    fn random_tuple(&self, lists: &[Vec<u64>], random: &mut Random) -> Vec<u64> {
        let mut tuple: Vec<u64> = Vec::new();
        for (operand, list) in self.operands.iter().zip(lists) {
            let value = match random.below(4) {
                // Near the operand before, if it is of the same type: sums cancel, comparisons are close.
                0 if !tuple.is_empty() && tuple.len() < self.operands.len() => {
                    let near = tuple[tuple.len() - 1];
                    near ^ random.below(16) ^ (random.below(2) << (operand.bytes() * 8 - 1))
                }
                1 => random.choose(list).wrapping_add(random.below(9)).wrapping_sub(4),
                2 => moderate(*operand, random),
                _ => random.bits(),
            };
            tuple.push(fitting(*operand, value));
        }
        tuple
    }
}

/// A number whose exponent is near that of one, for types where random bits seldom give one.
fn moderate(value: ValueType, random: &mut Random) -> u64 {
    let number = (random.bits() as i64 as f64) * 2f64.powi(-63 + random.below(24) as i32 - 8);
    match value {
        ValueType::F32 => u64::from((number as f32).to_bits()),
        ValueType::F64 => number.to_bits(),
        ValueType::Bf16 => u64::from((number as f32).to_bits() >> 16),
        ValueType::F16 => random.below(0x2000) + 0x3000 + (random.below(2) << 15),
        ValueType::F16x2 => {
            moderate(ValueType::F16, random) | moderate(ValueType::F16, random) << 16
        }
        ValueType::Bf16x2 => {
            moderate(ValueType::Bf16, random) | moderate(ValueType::Bf16, random) << 16
        }
        ValueType::Angle => u64::from(((number / 2e4) as f32).to_bits()),
        ValueType::WideAngle => u64::from(((number / 200.0) as f32).to_bits()),
        ValueType::Small => random.below(80),
        _ => random.bits() >> random.below(64),
    }
}

/// The value cut to its type.
fn fitting(value_type: ValueType, value: u64) -> u64 {
    match value_type {
        ValueType::Predicate => value & 1,
        ValueType::NonZero16 => (value & 0xffff).max(1),
        ValueType::NonZero32 => (value & 0xffff_ffff).max(1),
        ValueType::NonZero64 => value.max(1),
        ValueType::Angle | ValueType::WideAngle => {
            let bits = value & 0xffff_ffff;
            if value_type.holds_angle(bits) { bits } else { bits & 0x807f_ffff | 0x3f80_0000 }
        }
        _ => value & (u64::MAX >> (64 - 8 * value_type.bytes())),
    }
}

fn combinations(lists: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let mut tuples = vec![Vec::new()];
    for list in lists {
        let longer = |tuple: &Vec<u64>| {
            let tuple = tuple.clone();
            list.iter().map(move |value| [tuple.as_slice(), &[*value]].concat())
        };
        tuples = tuples.iter().flat_map(longer).collect();
    }
    tuples
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_depend_on_the_name_only_and_have_the_edges() {
        let form = Form::new("add.rn.f32", &[ValueType::F32, ValueType::F32], ValueType::F32);
        let inputs = form.inputs();
        assert_eq!(inputs, form.inputs());
        assert_eq!(inputs.len(), COMBINED + RANDOM);
        // Infinity minus infinity, and a NaN beside a zero.
        assert!(inputs.contains(&vec![0x7f80_0000, 0xff80_0000]));
        assert!(inputs.contains(&vec![0, 0x7fc0_0000]));
        let other = Form::new("sub.rn.f32", &[ValueType::F32, ValueType::F32], ValueType::F32);
        assert_ne!(inputs, other.inputs());
    }

    #[test]
    fn a_divisor_is_never_zero() {
        let form = Form::new("div.u32", &[ValueType::U32, ValueType::NonZero32], ValueType::U32);
        assert!(form.inputs().iter().all(|tuple| tuple[1] != 0 && tuple[1] <= 0xffff_ffff));
    }
}
