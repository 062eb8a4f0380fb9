//! Exit codes: what a shell or a CI job learns.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use warpsan_report::Verdict;

/// Wrong usage, or a failure of warpsan.
pub(crate) const FAILURE: u8 = 2;
const CLEAN: u8 = 0;
const RACES: u8 = 1;
const NOT_COVERED: u8 = 3;

/// The code of a verdict alone.
pub(crate) fn of_verdict(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Clean => CLEAN,
        Verdict::Races => RACES,
        Verdict::NotCovered => NOT_COVERED,
    }
}

/// The code of several files that were checked: that of the worst.
pub(crate) fn of_several(codes: impl IntoIterator<Item = u8>) -> u8 {
    let badness = |code: &u8| match *code {
        CLEAN => 0,
        NOT_COVERED => 1,
        RACES => 2,
        _ => 3,
    };
    codes.into_iter().max_by_key(badness).unwrap_or(CLEAN)
}

/// The code of a run. A program's own failure is passed on, except where something was not
/// supported and no race was found: then the failure is most likely our doing, and 1 or 2 from the
/// program must not be taken for a verdict.
pub(crate) fn of_run(verdict: Verdict, program: ExitStatus, timed_out: bool) -> u8 {
    // It was us who ended the program.
    if timed_out {
        return of_verdict(verdict);
    }
    let own = match (program.code(), program.signal()) {
        (Some(code), _) => code as u8,
        (None, Some(signal)) => 128u8.wrapping_add(signal as u8),
        (None, None) => FAILURE,
    };
    match (own, verdict) {
        (0, verdict) => of_verdict(verdict),
        (_, Verdict::NotCovered) => NOT_COVERED,
        (own, _) => own,
    }
}

/// How a program ended, where that is worth saying.
pub(crate) fn in_words(program: ExitStatus) -> Option<String> {
    match (program.code(), program.signal()) {
        (Some(0), _) => None,
        (Some(code), _) => Some(format!("the program ended with code {code}")),
        (None, Some(signal)) => Some(format!("the program was ended by signal {signal}")),
        (None, None) => Some("the program did not end in good order".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_of_several_files_counts() {
        assert_eq!(of_several([]), 0);
        assert_eq!(of_several([0, 0]), 0);
        assert_eq!(of_several([0, 3, 0]), 3);
        assert_eq!(of_several([1, 3, 0]), 1);
        assert_eq!(of_several([1, 2, 3]), 2);
    }

    #[test]
    fn a_programs_own_failure_is_passed_on_unless_it_is_ours() {
        let ended = |code: i32| ExitStatus::from_raw(code << 8);
        assert_eq!(of_run(Verdict::Clean, ended(0), false), 0);
        assert_eq!(of_run(Verdict::Races, ended(0), false), 1);
        assert_eq!(of_run(Verdict::NotCovered, ended(0), false), 3);
        assert_eq!(of_run(Verdict::Clean, ended(7), false), 7);
        assert_eq!(of_run(Verdict::Races, ended(7), false), 7);
        assert_eq!(of_run(Verdict::NotCovered, ended(1), false), 3);
        assert_eq!(of_run(Verdict::Clean, ExitStatus::from_raw(9), false), 137);
        assert_eq!(of_run(Verdict::Races, ExitStatus::from_raw(9), true), 1);
        assert_eq!(in_words(ended(7)).unwrap(), "the program ended with code 7");
        assert_eq!(in_words(ended(0)), None);
    }
}
