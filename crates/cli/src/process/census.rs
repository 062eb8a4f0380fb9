//! Whether the log of a run accounts for everything: what was lost on the way, and programs that were started and never
//! entered. A run is clean only if there is no such gap.

use super::obstacle::{self, Outsider};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use warpsan_evidence::Evidence;
use warpsan_report::NotCovered;
use warpsan_runtime::report_log::{ProcessNote, process_notes};

/// What is missing in the evidence of a run.
pub(crate) fn gaps(evidence: &Evidence) -> Vec<NotCovered> {
    let unentered = unentered(&process_notes(evidence));
    lost(evidence)
        .into_iter()
        .chain(unentered.iter().filter_map(|program| outside(program)))
        .collect()
}

fn lost(evidence: &Evidence) -> Option<NotCovered> {
    let what = match evidence {
        Evidence { is_damaged: true, .. } => {
            "a part of the report, which the program has written over".to_string()
        }
        Evidence { lost: 0, .. } => return None,
        Evidence { lost, .. } => {
            format!("a part of the report: {lost} of its pieces found no room")
        }
    };
    Some(NotCovered {
        what,
        place: "the log of the run".to_string(),
        advice: "make room in the folder for temporary files, or set TMPDIR to another one, and run it again".to_string(),
    })
}

/// The programs that were announced and never entered, each once.
fn unentered(notes: &[ProcessNote]) -> BTreeSet<String> {
    let mut announced = BTreeMap::new();
    for note in notes {
        if let ProcessNote::Starts { start, program } = note {
            announced.insert(*start, program);
        }
    }
    for note in notes {
        if let ProcessNote::Entered { start, .. } | ProcessNote::NotStarted { start } = note {
            announced.remove(start);
        }
    }
    announced.into_values().cloned().collect()
}

/// What to say of a program that was not entered, unless it cannot have done CUDA work.
fn outside(program: &str) -> Option<NotCovered> {
    let file = obstacle::find(program.as_ref()).unwrap_or_else(|| PathBuf::from(program));
    let reason = match obstacle::outsider(&file) {
        Outsider::WithoutCuda => return None,
        Outsider::Obstacle(obstacle) => obstacle.to_string(),
        Outsider::Unknown => {
            "the dynamic linker did not load warpsan's libraries; it may have run with another user, root folder or \
             temporary folder, or been killed at its start"
                .to_string()
        }
    };
    Some(NotCovered {
        what: format!("a program that was started and could not be entered: {reason}"),
        place: program.to_string(),
        advice: "what it did was not checked".to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(start: u64, program: &str) -> ProcessNote {
        ProcessNote::Starts { start, program: program.to_string() }
    }

    #[test]
    fn who_was_announced_and_did_not_come_is_missing() {
        let notes = [
            starts(1, "/bin/app"),
            ProcessNote::Entered { start: 1, process: 10 },
            starts(4, "/bin/tool"),
            starts(5, "/bin/missing"),
            ProcessNote::NotStarted { start: 5 },
            ProcessNote::Entered { start: 1, process: 11 },
        ];
        assert_eq!(unentered(&notes), BTreeSet::from(["/bin/tool".to_string()]));
    }

    #[test]
    fn what_found_no_room_is_a_gap() {
        assert!(gaps(&Evidence::default()).is_empty());
        let lost = Evidence { lost: 2, ..Evidence::default() };
        assert!(gaps(&lost)[0].what.contains("2 of its pieces"));
        let damaged = Evidence { is_damaged: true, ..Evidence::default() };
        assert_eq!(gaps(&damaged).len(), 1);
    }

    #[test]
    fn a_shell_that_was_not_entered_could_have_done_anything() {
        let gap = outside("/bin/sh").expect("a gap");
        assert_eq!(gap.place, "/bin/sh");
        assert!(gap.what.contains("dynamic linker"), "{}", gap.what);
    }
}
