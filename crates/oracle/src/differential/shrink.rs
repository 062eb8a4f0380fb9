//! The smallest kernel on which the two still differ.

use super::{Compared, Machine, Setup, check};
use crate::synchronised::SynchronisedKernel;

/// Kernels that are tried at most.
const ATTEMPTS: usize = 4000;

/// Makes a kernel smaller as long as the judges differ in a way of this class.
pub fn shrink(
    machine: &Machine,
    kernel: &SynchronisedKernel,
    setup: &Setup,
    class: &str,
) -> (SynchronisedKernel, Setup, Option<Compared>) {
    let differ = |kernel: &SynchronisedKernel, setup: &Setup| {
        let compared = check(machine, kernel, setup, false).ok()?;
        let is_it = compared.disagreements.iter().any(|one| one.is(class));
        is_it.then_some(compared)
    };
    let (mut kernel, mut setup) = (kernel.clone(), setup.clone());
    let Some(mut found) = differ(&kernel, &setup) else { return (kernel, setup, None) };
    let once = Setup { launches: 1, ..setup.clone() };
    if let Some(compared) = differ(&kernel, &once) {
        (setup, found) = (once, compared);
    }
    let mut attempts = 0;
    'again: loop {
        for candidate in kernel.smaller() {
            attempts += 1;
            if attempts > ATTEMPTS {
                break 'again;
            }
            // A smaller kernel takes other turns: some schedules are tried.
            for seed in [setup.schedule.seed, 1, 2, 3] {
                let mut other = setup.clone();
                other.schedule.seed = seed;
                if let Some(compared) = differ(&candidate, &other) {
                    (kernel, setup, found) = (candidate, other, compared);
                    continue 'again;
                }
            }
        }
        break;
    }
    (kernel, setup, Some(found))
}
