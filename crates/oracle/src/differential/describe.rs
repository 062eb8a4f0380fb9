//! A difference in words, with everything needed to judge it.

use std::fmt::Write;

use warpsan_event::Narrator;

use super::compare::describe_pair;
use super::{Compared, Setup};

/// Lines of each list that are shown.
const SHOWN: usize = 12;

/// The kernel, the trace, and what both judges say.
pub fn describe(compared: &Compared, setup: &Setup) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "schedule {}, {:?}", setup.schedule, setup.choices);
    let lines = compared.recorded.text.lines().enumerate();
    // Every kernel begins in the same way.
    for (number, line) in lines.skip_while(|(_, line)| !line.starts_with("//")) {
        let _ = writeln!(text, "{:4} {line}", number + 1);
    }
    let _ = writeln!(text, "trace:");
    let mut narrator = Narrator::new();
    for (number, event) in compared.recorded.events.batch().events().enumerate() {
        narrator.follow(&event);
        let _ = writeln!(text, "{number:4} {}", narrator.describe(&event));
    }
    let reported = compared.reported.races.iter().map(|race| {
        format!(
            "{} ({:?}) line {} by {}/{} and line {} by {}/{} at {:#x}: {}",
            race.kind,
            race.severity,
            race.first.ptx_line,
            race.first.block,
            race.first.thread,
            race.second.ptx_line,
            race.second.block,
            race.second.thread,
            race.location.address.0,
            race.reason
        )
    });
    list(&mut text, "the detector reports", reported.collect());
    let races = compared.judgement.races.iter().map(|pair| describe_pair(&compared.recorded, pair));
    list(&mut text, "the oracle finds", races.collect());
    let disagreements = compared.disagreements.iter().map(ToString::to_string);
    list(&mut text, "disagreements", disagreements.collect());
    text
}

fn list(text: &mut String, title: &str, lines: Vec<String>) {
    let _ = writeln!(text, "{title}: {}", lines.len());
    for line in lines.iter().take(SHOWN) {
        let _ = writeln!(text, "    {line}");
    }
    if lines.len() > SHOWN {
        let _ = writeln!(text, "    and {} more", lines.len() - SHOWN);
    }
}
