//! How fast PTX is parsed, beside what ptxas takes for the same text.

use std::hint::black_box;
use std::time::{Duration, Instant};

use warpsan_ptx::Document;

use crate::corpus::{Compilers, Unit};

/// One measured text.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// What was measured.
    pub unit: Unit,
    /// The length of its PTX.
    pub bytes: usize,
    /// The median time to parse it.
    pub parse: Duration,
    /// The median time that ptxas takes for it.
    pub ptxas: Duration,
}

impl Measurement {
    /// Millions of bytes parsed in a second.
    pub fn megabytes_per_second(&self) -> f64 {
        self.bytes as f64 / 1e6 / self.parse.as_secs_f64()
    }

    /// How many times longer ptxas takes.
    pub fn ratio(&self) -> f64 {
        self.ptxas.as_secs_f64() / self.parse.as_secs_f64()
    }
}

/// Measures one text on this thread.
pub fn measure(
    compilers: &Compilers,
    unit: &Unit,
    repetitions: usize,
) -> anyhow::Result<Measurement> {
    let text = compilers.ptx(unit)?;
    let mut parse = Vec::new();
    for _ in 0..repetitions {
        let copy = text.clone();
        let start = Instant::now();
        let document = Document::parse(copy);
        parse.push(start.elapsed());
        let errors = black_box(&document).errors();
        if let Some(error) = errors.first() {
            anyhow::bail!(error.message_with_line(&text));
        }
    }
    let mut ptxas = Vec::new();
    for _ in 0..3 {
        ptxas.push(compilers.time_to_assemble(unit, &text)?);
    }
    let (parse, ptxas) = (median(parse), median(ptxas));
    Ok(Measurement { unit: unit.clone(), bytes: text.len(), parse, ptxas })
}

/// The middle one of the times.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        assert_eq!(median([5, 1, 9].map(Duration::from_secs).to_vec()), Duration::from_secs(5));
        assert_eq!(median(Vec::new()), Duration::ZERO);
    }
}
