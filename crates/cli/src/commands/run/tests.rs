use super::*;
use crate::threads::ThreadProcess;
use clap::Parser;
use warpsan_report::Verdict;
use warpsan_thread_report::{End, Start};

#[derive(Debug, Parser)]
struct Flags {
    #[command(flatten)]
    args: Args,
}

fn parsed(flags: &[&str]) -> Args {
    Flags::try_parse_from([&["x"], flags].concat()).expect("the flags read").args
}

/// The report of a run in which these processes spoke about threads.
fn reported(flags: &[&str], threads: Vec<ThreadProcess>) -> Report {
    let args = parsed(flags);
    let options = args.output.options().expect("options");
    let seeds = args.seeds.seeds(1, &options, &args.output.running).expect("seeds");
    let detection = &args.output.detection;
    let named = detection.thread_detector();
    let plan = Plan::of(None, named, detection.detector().finds_races, &args.threads, None);
    let mut outcomes = Outcomes::default();
    outcomes.threads = threads;
    report(&args, &options, seeds, plan.as_ref(), &mut outcomes)
}

fn checked(detector: &str) -> ThreadProcess {
    let start = Start {
        process: 1,
        fork_of: None,
        detector: detector.to_string(),
        program: "/bin/app".to_string(),
    };
    let end = End { threads: 2, statistics: Vec::new() };
    let (start, end) = (Some(start), Some(end));
    ThreadProcess { start, end, is_whole: true, ..ThreadProcess::default() }
}

#[test]
fn a_process_that_was_checked_for_threads_is_not_idle() {
    let idle = reported(&["--", "./app"], Vec::new());
    assert_eq!(idle.verdict(false), Verdict::NotCovered);
    assert_eq!(idle.not_covered[0].what, IDLE);
    for flags in [&["--", "./app"][..], &["--detector=slimfast", "--", "./app"]] {
        let clean = reported(flags, vec![checked("slimfast")]);
        assert_eq!(clean.verdict(false), Verdict::Clean, "{:?}", clean.not_covered);
    }
}

#[test]
fn a_detector_for_threads_that_finds_no_threads_is_no_clean_run() {
    let report = reported(&["--detector=slimfast", "--", "./app"], Vec::new());
    assert_eq!(report.verdict(false), Verdict::NotCovered);
    assert_eq!(report.not_covered.len(), 1, "{:?}", report.not_covered);
    assert!(report.not_covered[0].advice.contains("-fsanitize=thread"));
    let damaged = ThreadProcess::default();
    let report = reported(&["--detector=slimfast", "--", "./app"], vec![damaged]);
    assert_eq!(report.verdict(false), Verdict::NotCovered);
}

#[test]
fn the_command_for_threads_has_no_seed() {
    let flags = ["--detector=fasttrack", "--history=9", "--seed=4", "--", "./app", "x"];
    let report = reported(&flags, vec![checked("fasttrack")]);
    let command = report.thread_command.expect("a command");
    assert_eq!(command, "warpsan run --detector fasttrack --history 9 -- ./app x");
}
