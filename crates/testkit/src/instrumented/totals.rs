//! What came of many kernels.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Verdict;
use warpsan_instrument::Cost;

/// The kernels of one suite in one mode.
#[derive(Debug, Clone, Default)]
pub struct Group {
    /// All of them.
    pub kernels: usize,
    /// Those that have checks and that the assembler takes.
    pub instrumented: usize,
    /// Those that run as they are.
    pub refused: usize,
    /// Those whose text the assembler does not take.
    pub wrong: usize,
    /// Accesses, in the kernels that have checks.
    pub cost: Cost,
    original_bytes: usize,
    bytes: usize,
    to_instrument: Duration,
    to_assemble: Duration,
    to_assemble_originals: Duration,
}

impl Group {
    fn add(&mut self, verdict: &Verdict) {
        self.kernels += 1;
        match verdict {
            Verdict::Refused(_) => self.refused += 1,
            Verdict::Wrong(_) => self.wrong += 1,
            Verdict::Instrumented(made) => {
                self.instrumented += 1;
                self.cost.checked += made.cost.checked;
                self.cost.pruned += made.cost.pruned;
                self.cost.speculated += made.cost.speculated;
                self.cost.instructions += made.cost.instructions;
                self.cost.instrumented += made.cost.instrumented;
                self.original_bytes += made.original_bytes;
                self.bytes += made.bytes;
                self.to_instrument += made.to_instrument;
                self.to_assemble += made.to_assemble;
            }
        }
    }

    /// Percent of the instructions that have checks, without pruning and with it: figure 5.11 of Peng's thesis.
    pub fn instrumented_percent(&self) -> [f64; 2] {
        let Cost { instructions, instrumented, pruned, .. } = self.cost;
        [instrumented + pruned, instrumented]
            .map(|count| f64::from(count) * 100.0 / f64::from(instructions.max(1)))
    }

    /// How much longer the texts are with checks.
    pub fn text_factor(&self) -> f64 {
        self.bytes as f64 / self.original_bytes.max(1) as f64
    }

    /// How much longer it takes to make machine code of all kernels, one by one and with checks, than of their modules
    /// as they are.
    pub fn time_factor(&self) -> f64 {
        let made = self.to_instrument + self.to_assemble;
        made.as_secs_f64() / self.to_assemble_originals.as_secs_f64().max(1e-9)
    }
}

/// Groups by name, and the reasons of refusals.
#[derive(Debug, Clone, Default)]
pub struct Totals {
    /// The groups.
    pub groups: BTreeMap<String, Group>,
    /// All kernels.
    pub all: Group,
    /// How many kernels were refused for each reason.
    pub reasons: BTreeMap<String, usize>,
}

impl Totals {
    /// Notes the kernels of a module, which takes so long to assemble as it is.
    pub fn add(&mut self, group: &str, verdicts: &[Verdict], original: Duration) {
        let group = self.groups.entry(group.to_owned()).or_default();
        for verdict in verdicts {
            group.add(verdict);
            self.all.add(verdict);
            if let Verdict::Refused(reason) = verdict {
                *self.reasons.entry(reason.to_string()).or_default() += 1;
            }
        }
        // Of a module without kernels that have checks nothing is compared.
        if verdicts.iter().any(|verdict| matches!(verdict, Verdict::Instrumented(_))) {
            group.to_assemble_originals += original;
            self.all.to_assemble_originals += original;
        }
    }
}

#[cfg(test)]
mod tests {
    use warpsan_instrument::Refusal;

    use super::super::Made;
    use super::*;

    #[test]
    fn kernels_and_reasons_are_counted() {
        let made = Verdict::Instrumented(Made {
            original_bytes: 100,
            bytes: 700,
            cost: Cost { checked: 3, pruned: 2, ..Cost::default() },
            to_instrument: Duration::from_millis(10),
            to_assemble: Duration::from_millis(290),
        });
        let refused = Verdict::Refused(Refusal::CallThroughPointer);
        let mut totals = Totals::default();
        totals.add("one", &[made, refused.clone()], Duration::from_millis(100));
        totals.add("two", &[refused, Verdict::Wrong(String::new())], Duration::from_secs(5));
        let one = &totals.groups["one"];
        assert_eq!((one.kernels, one.instrumented, one.refused, one.wrong), (2, 1, 1, 0));
        assert_eq!((one.cost.checked, one.cost.pruned), (3, 2));
        assert_eq!(one.text_factor(), 7.0);
        assert!((one.time_factor() - 3.0).abs() < 1e-6);
        assert_eq!((totals.all.kernels, totals.all.wrong), (4, 1));
        assert!((totals.all.time_factor() - 3.0).abs() < 1e-6, "only what can be compared");
        assert_eq!(totals.reasons["it calls functions through pointers"], 2);
    }
}
