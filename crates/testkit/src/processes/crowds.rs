//! Many processes at the same time.

use super::observed::Ended;
use super::{Bench, Trial};

/// A program that forks before it uses CUDA.
pub(super) fn forked(bench: &Bench, count: usize) -> Trial {
    let mut trial = Trial::new("processes of one program, forked");
    let ended = bench.run(&[], &["crowd", &count.to_string()]);
    let checked = ended.and_then(|ended| all_of(&ended, count));
    trial.take(checked);
    trial.remark = format!("{count} processes");
    trial
}

/// A shell script that starts ranks and waits for them.
pub(super) fn ranks(bench: &Bench, count: usize) -> Trial {
    let mut trial = Trial::new("processes of one program, ranks of a shell script");
    let script = "i=0; while [ $i -lt $1 ]; do \"$0\" rank $i & i=$((i + 1)); done; wait";
    let program = bench.program.display().to_string();
    let words = ["sh", "-c", script, &program, &count.to_string()];
    let ended = bench.start_command(&[], &words).and_then(|running| running.end());
    let checked = ended.and_then(|ended| all_of(&ended, count));
    trial.take(checked);
    trial.remark = format!("{count} processes");
    trial
}

/// Several commands, each with a program of its own.
pub(super) fn commands(bench: &Bench, count: usize) -> Trial {
    let mut trial = Trial::new("commands at the same time");
    let start = |number: usize| bench.start(&[], &["rank", &number.to_string()]);
    let running: Vec<_> = (0..count).map(start).collect();
    for (number, running) in running.into_iter().enumerate() {
        let ended = running.and_then(|running| running.end());
        trial.take(ended.and_then(|ended| ended.expect(1, [number])));
    }
    trial
}

/// Wrong unless every process is in the report with the race of its own.
fn all_of(ended: &Ended, count: usize) -> anyhow::Result<()> {
    ended.expect(1, 0..count)?;
    match (ended.summary("processes"), ended.not_covered()) {
        (processes, gaps) if processes == count as u64 && gaps.is_empty() => Ok(()),
        (processes, gaps) => anyhow::bail!("there are reports of {processes} processes; {gaps}"),
    }
}
