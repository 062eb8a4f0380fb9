//! `--schedule` and `--record-schedule`: what was taken once can be taken again.

use std::path::{Path, PathBuf};

use crate::support::build::{executable, need_compiler};
use crate::support::command::{Ended, run, warpsan};
use crate::support::{examples, fresh_folder, program};

const POLICIES: [&str; 3] = ["random", "round-robin", "pct:3"];

/// The JSON report of a check.
fn check(file: &Path, flags: &[&str]) -> Ended {
    need_compiler();
    run(warpsan(["check", "--format", "json"]).args(flags).arg(file))
}

fn racy() -> PathBuf {
    examples().join("kernels/reverse_racy.cu")
}

#[test]
fn every_policy_finds_the_race_and_names_itself_in_the_command_to_repeat() {
    need_compiler();
    for policy in POLICIES {
        let flags = ["check", "--seed", "5", "--schedule", policy];
        let ended = run(warpsan(flags).arg(racy()));
        let text = String::from_utf8_lossy(&ended.expect_code(1).stdout).into_owned();
        let flags = match policy {
            "random" => "warpsan check --seed 5 /".to_owned(),
            _ => format!("warpsan check --seed 5 --schedule {policy} /"),
        };
        assert!(text.contains(&flags), "`{flags}` is missing in:\n{text}");
    }
}

#[test]
fn a_trace_names_its_schedule_and_the_seed_may_be_in_it() {
    need_compiler();
    let folder = fresh_folder("schedule-trace");
    for (flags, line) in [
        (&["--schedule", "pct:3", "--seed", "4"][..], "# schedule: pct:3:4"),
        (&["--schedule", "pct:3:4"], "# schedule: pct:3:4"),
        (&["--schedule", "round-robin"], "# schedule: round-robin:1"),
        (&["--schedule", "random:9"], "# schedule: random:9"),
    ] {
        let trace = folder.join("a.trace");
        run(warpsan(["record"]).args(flags).arg(racy()).arg("-o").arg(&trace)).expect_code(1);
        let dump = run(warpsan(["dump", "--limit", "1"]).arg(&trace));
        let text = String::from_utf8_lossy(&dump.stdout).into_owned();
        assert_eq!(text.lines().nth(1), Some(line));
    }
}

#[test]
fn stored_schedules_give_the_same_report_again() {
    let folder = fresh_folder("schedule-stored");
    for (file, launches, code) in [(racy(), 1, 1), (program("kernels.cu"), 6, 0)] {
        for policy in POLICIES {
            let stored = folder.join("schedules.txt");
            let flags = ["--seed", "6", "--schedule", policy];
            let direct = check(&file, &flags);
            let path = stored.to_string_lossy();
            let recorded = check(&file, &[&flags[..], &["--record-schedule", &path]].concat());
            assert_eq!(recorded.expect_code(code).stdout, direct.stdout, "{policy}");
            let lines = std::fs::read_to_string(&stored).expect("the schedules");
            assert_eq!(lines.lines().count(), launches, "{lines}");
            assert!(lines.lines().all(|line| line.starts_with("replay:6:")), "{lines}");
            let replayed = check(&file, &["--schedule", &format!("@{path}")]);
            assert_eq!(replayed.expect_code(code).stdout, direct.stdout, "{policy}");
            if launches == 1 {
                let replayed = check(&file, &["--schedule", lines.trim()]);
                assert_eq!(replayed.expect_code(code).stdout, direct.stdout, "{policy}");
            }
        }
    }
}

#[test]
fn a_trace_of_a_stored_schedule_has_the_same_events() {
    need_compiler();
    let folder = fresh_folder("schedule-events");
    let [stored, trace] = ["schedules.txt", "a.trace"].map(|name| folder.join(name));
    let events = |flags: &[&str]| {
        run(warpsan(["record"]).args(flags).arg(racy()).arg("-o").arg(&trace)).expect_code(1);
        let dump = run(warpsan(["dump"]).arg(&trace));
        let text = String::from_utf8_lossy(&dump.expect_code(0).stdout).into_owned();
        text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>()
    };
    let path = stored.to_string_lossy().into_owned();
    let first = events(&["--seed", "8", "--record-schedule", &path]);
    assert!(first.len() > 10);
    assert_eq!(events(&["--schedule", &format!("@{path}")]), first);
    assert_ne!(events(&["--seed", "9"]), first, "another seed has another order");
}

#[test]
fn a_stored_schedule_of_something_else_is_an_error() {
    let folder = fresh_folder("schedule-other");
    let stored = folder.join("schedules.txt");
    let path = stored.to_string_lossy().into_owned();
    check(&racy(), &["--record-schedule", &path]).expect_code(1);
    let replayed =
        check(&examples().join("kernels/reduce.cu"), &["--schedule", &format!("@{path}")]);
    let both = ["--schedule", &format!("@{path}"), "--record-schedule", &path];
    check(&racy(), &both).expect_code(2).expect_stderr(&["would overwrite"]);
    assert!(std::fs::read_to_string(&stored).is_ok_and(|text| text.starts_with("replay:")));
    let text = String::from_utf8_lossy(&replayed.expect_code(3).stdout).into_owned();
    assert!(text.contains("launch 1, counted from 0, has no schedule"), "{text}");
    assert!(text.contains("kernel `reduce`"), "{text}");
}

#[test]
fn a_program_replays_too() {
    let folder = fresh_folder("schedule-run");
    let built = executable(&examples().join("missing_sync.cu"), &folder);
    let stored = folder.join("schedules.txt");
    let report = |flags: &[&str]| {
        let file = folder.join("report.json");
        let form = ["run", "--format", "json", "--output"];
        run(warpsan(form).arg(&file).args(flags).arg("--").arg(&built)).expect_code(1);
        std::fs::read_to_string(file).expect("a report")
    };
    let path = stored.to_string_lossy().into_owned();
    let first = report(&["--seed", "3", "--schedule", "pct:2", "--record-schedule", &path]);
    let lines = std::fs::read_to_string(&stored).expect("the schedules");
    assert_eq!(lines.lines().count(), 1, "{lines}");
    assert_eq!(report(&["--schedule", &format!("@{path}")]), first);
    assert_eq!(report(&["--schedule", "pct:2:3"]), first);
    let script = ["--record-schedule", &path, "--", "sh", "-c", "\"$0\"; \"$0\""];
    run(warpsan(["run"]).args(script).arg(&built)).expect_stderr(&["2 processes are mixed"]);
}

#[test]
fn what_is_no_schedule_is_refused() {
    need_compiler();
    let folder = fresh_folder("schedule-wrong");
    let broken = folder.join("broken.txt");
    std::fs::write(&broken, "random:1\nnonsense\n").expect("a file can be written");
    let broken = format!("@{}", broken.to_string_lossy());
    for command in ["check", "record", "run"] {
        for (flags, says) in [
            (&["--schedule", "fair"][..], "`fair` is no schedule"),
            (&["--schedule", "pct:deep"], "its depth is no number"),
            (&["--schedule", "replay:1:zz"], "a turn is wrong"),
            (&["--schedule", "@"], "name the file"),
            (&["--schedule", "@no/such/file"], "no/such/file"),
            (&["--schedule", &broken], "line 2: `nonsense` is no schedule"),
            (&["--seed", "1", "--schedule", "random:2"], "different seeds"),
            (&["--record-schedule", "no/such/folder/file"], "cannot write schedules"),
        ] {
            let file = racy();
            let trace = folder.join("a.trace");
            let mut asked = warpsan([command]);
            asked.args(flags);
            match command {
                "run" => asked.args(["--", "true"]),
                "record" => asked.arg("-o").arg(&trace).arg(&file),
                _ => asked.arg(&file),
            };
            run(&mut asked).expect_code(2).expect_stderr(&[says]);
        }
    }
}
