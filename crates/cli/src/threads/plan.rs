//! Whether the threads of a program are checked, and how.

use super::library_search::is_instrumented;
use super::{Args, ThreadDetector};
use std::path::Path;
use warpsan_report::NotCovered;
use warpsan_thread_report::Options;

/// The library that writes traces, whatever else is to be done.
const RECORDING: &str = "record";

/// How the threads of a program are checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    /// By whom.
    pub(crate) detector: ThreadDetector,
    /// What the library in the process is told.
    pub(crate) options: Options,
    /// Why they are.
    pub(crate) expectation: Expectation,
}

/// Why threads are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expectation {
    /// The program, or a library of it, has code that says what threads do.
    Instrumented,
    /// A detector for threads was asked for: a script or a launcher may start such a program.
    AskedFor,
}

impl Plan {
    /// The plan for a program; none where its threads are not to be checked. `named` is a detector that was asked for, and
    /// `checks` is whether anything is to be checked at all.
    pub(crate) fn of(
        program: Option<&Path>,
        named: Option<ThreadDetector>,
        checks: bool,
        args: &Args,
        record_trace: Option<&Path>,
    ) -> Option<Plan> {
        let expectation = match program {
            Some(program) if is_instrumented(program) => Expectation::Instrumented,
            _ if named.is_some() => Expectation::AskedFor,
            _ => return None,
        };
        let unnamed = if checks { ThreadDetector::default() } else { ThreadDetector::Empty };
        let detector = named.unwrap_or(unnamed);
        let mut options = args.options(record_trace);
        options.only_records = record_trace.is_some() && !detector.finds_races();
        Some(Plan { detector, options, expectation })
    }

    /// The library that goes into the process.
    pub(crate) fn library(&self) -> &'static str {
        match self.options.record_trace {
            Some(_) => RECORDING,
            None => self.detector.name(),
        }
    }

    /// What a report says where no process has begun to be checked.
    pub(crate) fn nobody_began(&self) -> NotCovered {
        let (what, advice) = match self.expectation {
            Expectation::AskedFor => (
                "races among threads: no process of the program has code that says what its threads do",
                "build it with -fsanitize=thread, as `warpsan cc` and `warpsan c++` do in place of the compiler",
            ),
            Expectation::Instrumented => (
                "races among threads: the program has instrumented code, and no process of it began to be checked",
                "see whether the program ended before its first instrumented function, and whether something keeps \
                 LD_PRELOAD from it",
            ),
        };
        NotCovered {
            what: what.to_string(),
            place: "the whole program".to_string(),
            advice: advice.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Flags {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn a_detector_by_name_is_for_whatever_a_script_starts() {
        let args = Flags::try_parse_from(["x"]).expect("no flags").args;
        let script = Path::new("/bin/sh");
        assert_eq!(Plan::of(Some(script), None, true, &args, None), None);
        let named = Some(ThreadDetector::FastTrack);
        let plan = Plan::of(Some(script), named, true, &args, None).expect("a plan");
        assert_eq!(
            (plan.detector, plan.expectation),
            (ThreadDetector::FastTrack, Expectation::AskedFor)
        );
        assert!(plan.nobody_began().advice.contains("warpsan cc"));
        assert_eq!(plan.library(), "fasttrack");
    }

    #[test]
    fn a_trace_is_written_by_a_library_of_its_own_which_need_not_report() {
        let args = Flags::try_parse_from(["x"]).expect("no flags").args;
        for (detector, only_records) in
            [(ThreadDetector::SlimFast, false), (ThreadDetector::Empty, true)]
        {
            let folder = Some(Path::new("/traces"));
            let plan = Plan::of(None, Some(detector), true, &args, folder).expect("a plan");
            assert_eq!((plan.library(), plan.options.only_records), ("record", only_records));
        }
    }
}
