//! Whether all threads of a launch access places of their own.

use super::{Atom, Form, Polynomial, ThreadCondition};
use std::ops::Range;

/// Extents and parameters of a launch.
#[derive(Debug, Clone, Copy)]
pub struct LaunchValues<'a> {
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// The bytes of the parameters.
    pub parameters: &'a [u8],
}

/// An access, as far as its address says which thread makes it.
#[derive(Debug, Clone, Copy)]
pub struct FormOfAccess<'a> {
    /// What its origin is, as an address.
    pub base: u64,
    /// What is added to that.
    pub form: &'a Form,
    /// What holds of the threads that make it.
    pub threads: &'a [ThreadCondition],
    /// Bytes of one thread.
    pub bytes: u32,
}

/// A sum over the indices of thread (0 to 2) and block (3 to 5), for one launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Linear {
    constant: i128,
    factors: [i128; 6],
}

impl LaunchValues<'_> {
    pub(super) fn extents(&self) -> [u32; 6] {
        let [x, y, z] = self.block;
        let [grid_x, grid_y, grid_z] = self.grid;
        [x, y, z, grid_x, grid_y, grid_z].map(|extent| extent.max(1))
    }

    fn parameter(&self, at: u32, bytes: usize) -> Option<i128> {
        let at = at as usize;
        let bytes = self.parameters.get(at..at.checked_add(bytes)?)?;
        Some(match bytes.len() {
            4 => i128::from(i32::from_le_bytes(bytes.try_into().ok()?)),
            _ => i128::from(i64::from_le_bytes(bytes.try_into().ok()?)),
        })
    }

    /// The sum with the values of this launch; none if it has products of indices.
    fn linear(&self, polynomial: &Polynomial) -> Option<Linear> {
        let mut linear = Linear { constant: 0, factors: [0; 6] };
        for (atoms, factor) in polynomial.terms() {
            let mut value = i128::from(factor);
            let mut index = None;
            for atom in atoms {
                let of_launch = match *atom {
                    Atom::Thread(axis) | Atom::Block(axis) => {
                        let is_block = matches!(atom, Atom::Block(_));
                        let place = usize::from(axis) + if is_block { 3 } else { 0 };
                        if index.replace(place).is_some() {
                            return None;
                        }
                        1
                    }
                    Atom::Threads(axis) => i128::from(*self.block.get(usize::from(axis))?),
                    Atom::Blocks(axis) => i128::from(*self.grid.get(usize::from(axis))?),
                    Atom::Parameter(at) => self.parameter(at, 4)?,
                    Atom::WideParameter(at) => self.parameter(at, 8)?,
                };
                value = value.checked_mul(of_launch)?;
            }
            let place = match index {
                Some(index) => linear.factors.get_mut(index)?,
                None => &mut linear.constant,
            };
            *place = place.checked_add(value)?;
        }
        Some(linear)
    }

    /// A number that all threads of this launch agree on.
    pub(super) fn uniform(&self, polynomial: &Polynomial) -> Option<i128> {
        self.linear(polynomial).filter(|linear| linear.factors == [0; 6]).map(|one| one.constant)
    }

    /// Whether all values that were widened fit into 32 bits.
    fn fits(&self, form: &Form) -> bool {
        form.widened.iter().all(|(polynomial, signed)| {
            let Some(linear) = self.linear(polynomial) else { return false };
            let (mut least, mut most) = (linear.constant, linear.constant);
            for (factor, extent) in linear.factors.iter().zip(self.extents()) {
                let reach = factor * i128::from(extent - 1);
                least += reach.min(0);
                most += reach.max(0);
            }
            match signed {
                true => least >= i128::from(i32::MIN) && most <= i128::from(i32::MAX),
                false => least >= 0 && most <= i128::from(u32::MAX),
            }
        })
    }
}

/// Whether these accesses, all there are to some memory, are of one form, and no two threads of the launch share a byte: the
/// factors of the indices are a number system in which every thread that makes one has its own number.
pub fn disjoint(accesses: &[FormOfAccess<'_>], launch: &LaunchValues<'_>) -> bool {
    let mut factors = None;
    let (mut first, mut end) = (i128::MAX, i128::MIN);
    let mut indices: Option<[Range<i128>; 6]> = None;
    for access in accesses {
        let Some(linear) = launch.linear(&access.form.offset) else { return false };
        if !launch.fits(access.form) || *factors.get_or_insert(linear.factors) != linear.factors {
            return false;
        }
        let start = i128::from(access.base) + linear.constant;
        first = first.min(start);
        end = end.max(start + i128::from(access.bytes));
        let own = launch.indices(access.threads);
        if own.iter().any(Range::is_empty) {
            continue;
        }
        indices = Some(match indices {
            None => own,
            Some(known) => std::array::from_fn(|index| {
                let (one, other) = (&known[index], &own[index]);
                one.start.min(other.start)..one.end.max(other.end)
            }),
        });
    }
    let Some((factors, indices)) = factors.zip(indices) else { return true };
    let mut steps: Vec<(i128, i128)> = factors
        .iter()
        .zip(indices)
        .map(|(factor, indices)| (factor.abs(), indices.end - indices.start))
        .filter(|(_, extent)| *extent > 1)
        .collect();
    steps.sort_unstable();
    let mut width = end - first;
    for (step, extent) in steps {
        if step < width {
            return false;
        }
        width += step * (extent - 1);
    }
    true
}
