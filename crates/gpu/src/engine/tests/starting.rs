//! What a start costs, what one run keeps for the next, and launches that do not end.

use super::*;
use crate::engine::take_requests;
use crate::shipping::LaunchWatch;

#[test]
fn a_program_starts_with_few_calls_of_the_driver() {
    let program = Program::new(64 * GIB, settings());
    let scale = program.function("scale");
    for index in 1..=4 {
        program.allocate(index << 32, MIB);
    }
    fake(|fake| {
        assert_eq!(fake.count("cuMemAlloc_v2"), 2, "a block for tables, a piece for metadata");
        assert_eq!(fake.count("cuStreamSynchronize"), 0, "nobody waits before a launch");
        assert_eq!(fake.count("cuMemGetInfo_v2"), 1);
        assert_eq!(fake.count("cuMemHostAlloc"), 1, "the ring");
    });
    assert_ne!(program.launch(scale, LaunchSource::Stream).function, scale);
    fake(|fake| {
        assert_eq!(fake.count("cuStreamSynchronize"), 1, "once for all");
        assert_eq!(fake.count("cuMemAlloc_v2"), 2);
        fake.calls.clear();
    });
    assert_eq!(of(&program.reported.compiling), ["scale begins", "ends"]);
    program.launch(scale, LaunchSource::Stream);
    assert_eq!(of(&program.reported.compiling).len(), 2, "it is there");
    fake(|fake| {
        for name in ["cuMemAlloc_v2", "cuStreamSynchronize", "cuModuleLoadData"] {
            assert_eq!(fake.count(name), 0, "{name}: everything is there");
        }
    });
    assert_eq!(
        of(&program.reported.launched),
        [("scale".to_owned(), true), ("scale".to_owned(), true)]
    );
}

#[test]
fn the_other_kernels_of_code_are_asked_for_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let requests = Some(folder.path().to_owned());
    let program = Program::new(64 * GIB, EngineSettings { requests, ..settings() });
    for (name, asked) in [("scale", 1), ("counts", 0)] {
        program.launch(program.function(name), LaunchSource::Stream);
        assert_eq!(take_requests(folder.path()).len(), asked, "{name}");
    }
}

#[test]
fn kernels_that_nobody_wants_run_as_they_are() {
    let program = Program::new(64 * GIB, settings());
    program.reported.unwanted.lock().expect("no panic").push("scale".to_owned());
    let [scale, counts] = ["scale", "counts"].map(|name| program.function(name));
    fake(|fake| fake.calls.clear());
    assert_eq!(program.launch(scale, LaunchSource::Stream).function, scale);
    fake(|fake| assert_eq!(fake.count("cuModuleLoadData"), 0, "nothing is made for it"));
    assert_ne!(program.launch(counts, LaunchSource::Stream).function, counts);
    assert_eq!(of(&program.reported.passed_over), ["scale"]);
    assert_eq!(of(&program.reported.launched), [("counts".to_owned(), true)]);
    assert_eq!(of(&program.reported.not_covered), [""; 0], "it was asked for");
}

#[test]
fn a_kept_kernel_is_taken_and_a_damaged_one_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let of_build = |build: &str| EngineSettings {
        cache: Some(folder.path().to_owned()),
        build: Some(build.to_owned()),
        ..settings()
    };
    let launch = |build: &str| {
        let program = Program::new(64 * GIB, of_build(build));
        let scale = program.function("scale");
        let is_ours = program.launch(scale, LaunchSource::Stream).function != scale;
        (is_ours, of(&program.reported.not_covered))
    };
    assert_eq!(launch("a"), (true, Vec::new()));
    let files = || -> Vec<PathBuf> {
        let files = std::fs::read_dir(folder.path().join("kernels")).expect("a folder");
        files.map(|file| file.expect("a file").path()).collect()
    };
    let [file] = files().try_into().expect("one file");
    let whole = std::fs::read(&file).expect("a file");
    assert_eq!(launch("a"), (true, Vec::new()), "from the file");
    // What is kept is believed, which shows that it is read.
    std::fs::write(&file, kept::refused(kept::KeptRefusal("somebody said so".to_owned())))
        .expect("a file");
    assert_eq!(launch("a"), (false, vec!["somebody said so".to_owned()]));
    std::fs::write(&file, &whole[..whole.len() / 2]).expect("a file");
    assert_eq!(launch("a"), (true, Vec::new()));
    assert_eq!(std::fs::read(&file).expect("a file"), whole, "it was replaced");
    assert_eq!(launch("b"), (true, Vec::new()));
    assert_eq!(files().len(), 2, "another build has its own");
    let shape = Shape::new(4, 2);
    let program = Program::new(
        64 * GIB,
        EngineSettings { plan: DevicePlan::Metadata(MetadataPlan::of(shape)), ..of_build("a") },
    );
    program.launch(program.function("scale"), LaunchSource::Stream);
    assert_eq!(files().len(), 3, "and so have checks that remember more");
}

#[test]
fn why_there_is_no_kernel_is_kept_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = || {
        let cache = Some(folder.path().to_owned());
        let program =
            Program::new(64 * GIB, EngineSettings { cache, build: Some("a".into()), ..settings() });
        let missing = program.function("missing");
        assert_eq!(program.launch(missing, LaunchSource::Stream).function, missing);
        of(&program.reported.not_covered)
    };
    let first = program();
    assert_eq!(first.len(), 1);
    assert_eq!(program(), first);
    assert_eq!(std::fs::read_dir(folder.path().join("kernels")).expect("a folder").count(), 1);
}

#[test]
fn a_launch_that_does_not_end_is_given_up() {
    let limit = Duration::from_secs(3600);
    let settings = EngineSettings { launch_timeout: Some(limit), ..settings() };
    let program = Program::new(64 * GIB, settings);
    let watchdog = program.engine.watchdog.as_ref().expect("a watchdog");
    watchdog.without_thread();
    let scale = program.function("scale");
    program.launch(scale, LaunchSource::Stream);
    program.launch(program.function("by_constant"), LaunchSource::Stream);
    let start = std::time::Instant::now();
    assert_eq!(watchdog.look(start), None);
    let late = start + limit + Duration::from_secs(10);
    assert_eq!(watchdog.look(late).as_deref(), Some("scale"));
    // When the first has ended, the time of the second begins.
    fake(|fake| fake.ahead.remove(0));
    assert_eq!(watchdog.look(late), None);
    assert_eq!(watchdog.look(late + limit), None);
    let later = late + limit + Duration::from_secs(1);
    assert_eq!(watchdog.look(later).as_deref(), Some("by_constant"));
    fake(|fake| fake.ahead.clear());
    assert_eq!(watchdog.look(later), None);
    // What is captured is not running.
    fake(|fake| fake.captured = Some(CUgraph(0x91)));
    program.launch(scale, LaunchSource::Stream);
    assert_eq!(fake(|fake| fake.ahead.len()), 0);
}

#[test]
fn what_a_launch_has_shipped_is_heard_before_it_is_given_up() {
    let settings = EngineSettings { launch_timeout: Some(Duration::from_secs(3600)), ..settings() };
    let program = Program::new(64 * GIB, settings);
    let watch = LaunchWatch::new();
    let gave_up = || of(&program.reported.gave_up);
    std::thread::scope(|scope| {
        let (is_shipped, begun) = std::sync::mpsc::channel();
        let engine = &program.engine;
        let watch = &watch;
        scope.spawn(move || {
            engine.under_way.follow(watch, || {
                is_shipped.send(()).expect("somebody waits");
                while watch.end().is_none() {
                    std::thread::yield_now();
                }
            });
        });
        begun.recv().expect("it is under way");
        assert_eq!(gave_up(), [""; 0]);
        program.engine.watchdog.as_ref().expect("a watchdog").give_up("scale");
    });
    assert!(watch.end().is_some_and(|end| end.stopped));
    assert_eq!(gave_up(), ["scale"]);
}

/// A process that is killed leaves what its kernels had found.
#[test]
fn races_are_reported_while_the_kernel_still_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = || EngineSettings {
        cache: Some(folder.path().to_owned()),
        build: Some("a".to_owned()),
        ..settings()
    };
    // The second program reads the instructions from the file that the first has left.
    for _ in 0..2 {
        let program = Program::new(64 * GIB, settings());
        program.launch(program.function("scale"), LaunchSource::Stream);
        let reports = program.engine.lock().devices[&CONTEXT].reports.place;
        let ring = fake(|fake| fake.words[&(reports + warpsan_instrument::Reports::RING as u64)]);
        let mut report = DeviceReport::default();
        (report.variant, report.site, report.ready) = (1, 1, 1);
        // SAFETY: the ring, whose first place is free.
        unsafe { (ring as *mut DeviceReport).write_volatile(report) };
        let start = std::time::Instant::now();
        while of(&program.reported.found).is_empty() && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let found = of(&program.reported.found);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("st.global"), "{found:?}");
    }
}

#[test]
fn a_block_that_is_too_large_for_the_kernel_is_left_to_the_driver() {
    let program = Program::new(64 * GIB, settings());
    let scale = program.function("scale");
    assert_ne!(program.launch(scale, LaunchSource::Stream).function, scale);
    fake(|fake| fake.most_threads = Some(64));
    assert_eq!(program.launch(scale, LaunchSource::Stream).function, scale);
}

#[test]
fn a_kernel_that_fails_is_not_called_checked() {
    let program = Program::new(1 << 30, settings());
    program.launch(program.function("k"), LaunchSource::Stream);
    const ILLEGAL_ADDRESS: CUresult = CUresult(700);
    fake(|fake| fake.fault = Some(ILLEGAL_ADDRESS));
    program.engine.drain_all();
    program.engine.drain_all();
    let warnings = program.warnings();
    assert!(
        matches!(warnings.as_slice(), [one] if one.contains("a kernel has failed")),
        "{warnings:?}"
    );
}
