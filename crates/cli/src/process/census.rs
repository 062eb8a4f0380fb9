//! Whether the log of a run accounts for everything: what was lost on the way, programs that were started and never
//! entered, and programs that were seen and never announced. A run is clean only if there is no such gap.

use super::obstacle::{self, Outsider};
use super::sightings::Sighting;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use warpsan_evidence::Evidence;
use warpsan_report::NotCovered;
use warpsan_runtime::report_log::{ProcessNote, process_notes};

/// What is missing in the evidence of a run, beside who was seen of it. The assembler of kernels, which is seen where one of them takes it long, is no part of the run.
pub(crate) fn gaps(
    evidence: &Evidence,
    sightings: &[Sighting],
    assembler: Option<&Path>,
) -> Vec<NotCovered> {
    let notes = process_notes(evidence);
    let unentered = unentered(&notes);
    let announced: BTreeSet<PathBuf> = unentered.iter().map(|program| file_of(program)).collect();
    let mut unannounced = unannounced(&notes, sightings);
    let is_assembler = |program: &PathBuf| assembler == Some(program.as_path());
    unannounced.retain(|program| !announced.contains(program) && !is_assembler(program));
    lost(evidence)
        .into_iter()
        .chain(unentered.iter().filter_map(|program| outside(program)))
        .chain(unannounced.iter().filter_map(|program| past_us(program)))
        .collect()
}

/// Programs that were seen without our library in them, and that were not merely being loaded.
fn unannounced(notes: &[ProcessNote], sightings: &[Sighting]) -> BTreeSet<PathBuf> {
    let came_later = |sighting: &Sighting| {
        notes.iter().any(|note| {
            matches!(note, ProcessNote::Entered { process, stream, .. }
                if *process == sighting.process && *stream > sighting.streams)
        })
    };
    let seen = sightings.iter().filter(|sighting| !came_later(sighting));
    seen.map(|sighting| sighting.program.clone()).collect()
}

fn lost(evidence: &Evidence) -> Option<NotCovered> {
    let what = match evidence {
        Evidence { is_damaged: true, .. } => {
            "a part of the report, which the program has written over or cut off".to_string()
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

/// The file of a program as it was named.
fn file_of(program: &str) -> PathBuf {
    obstacle::find(program.as_ref()).unwrap_or_else(|| PathBuf::from(program))
}

/// What to say of a program that was not entered, unless it cannot have done CUDA work.
fn outside(program: &str) -> Option<NotCovered> {
    let reason = match obstacle::outsider(&file_of(program)) {
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

/// What to say of a program that was started past the C library, unless it cannot have done CUDA work.
fn past_us(program: &Path) -> Option<NotCovered> {
    if matches!(obstacle::outsider(program), Outsider::WithoutCuda) {
        return None;
    }
    Some(NotCovered {
        what: "a program that ran without warpsan's libraries: it was started by a system call and not by a function of \
               the C library"
            .to_string(),
        place: program.display().to_string(),
        advice: "what it did was not checked; start it by `execve` or `posix_spawn`, or pass its parent's environment on"
            .to_string(),
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
            ProcessNote::Entered { start: 1, process: 10, stream: 2 },
            starts(4, "/bin/tool"),
            starts(5, "/bin/missing"),
            ProcessNote::NotStarted { start: 5 },
            ProcessNote::Entered { start: 1, process: 11, stream: 6 },
        ];
        assert_eq!(unentered(&notes), BTreeSet::from(["/bin/tool".to_string()]));
    }

    #[test]
    fn what_found_no_room_is_a_gap() {
        assert!(gaps(&Evidence::default(), &[], None).is_empty());
        let lost = Evidence { lost: 2, ..Evidence::default() };
        assert!(gaps(&lost, &[], None)[0].what.contains("2 of its pieces"));
        let damaged = Evidence { is_damaged: true, ..Evidence::default() };
        assert_eq!(gaps(&damaged, &[], None).len(), 1);
    }

    #[test]
    fn who_was_seen_and_was_not_entered_afterwards_is_missing() {
        let sighting = |process, streams| Sighting { process, program: "/bin/sh".into(), streams };
        let entered = |process, stream| ProcessNote::Entered { start: 0, process, stream };
        let is_missing = |notes: &[ProcessNote], seen| !unannounced(notes, &[seen]).is_empty();
        assert!(is_missing(&[], sighting(10, 3)));
        assert!(!is_missing(&[entered(10, 4)], sighting(10, 3)), "it was being loaded");
        assert!(is_missing(&[entered(10, 3)], sighting(10, 3)), "it was another program before");
        assert!(is_missing(&[entered(11, 4)], sighting(10, 3)));
        assert!(past_us(Path::new("/bin/sh")).is_some());
    }

    #[test]
    fn the_assembler_is_no_part_of_the_run() {
        let seen = [Sighting { process: 10, program: "/bin/sh".into(), streams: 3 }];
        let count = |assembler| gaps(&Evidence::default(), &seen, assembler).len();
        assert_eq!([count(None), count(Some(Path::new("/bin/sh")))], [1, 0]);
    }

    #[test]
    fn a_shell_that_was_not_entered_could_have_done_anything() {
        let gap = outside("/bin/sh").expect("a gap");
        assert_eq!(gap.place, "/bin/sh");
        assert!(gap.what.contains("dynamic linker"), "{}", gap.what);
    }
}
