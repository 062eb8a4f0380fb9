//! `--explore` and `warpsan explore`: the races of many schedules in one report.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::build::executable;
use crate::support::command::{Ended, run, unique_number, warpsan};
use crate::support::{examples, fresh_folder};

/// Two blocks meet in one of several places, which the order of their tickets decides: each schedule shows
/// some of the races only.
const PTX: &str = "\
//@ launch: meet<<<4, 1>>>(data: u32[8])
.version 8.0
.target sm_90
.address_size 64
.visible .entry meet(.param .u64 data)
{
.reg .pred %p<3>;
.reg .b64 %rd<4>;
.reg .b32 %r<6>;
ld.param.u64 %rd1, [data];
mov.u32 %r1, %ctaid.x;
atom.relaxed.gpu.global.add.u32 %r2, [%rd1], 1;
setp.eq.u32 %p1, %r1, 0;
@%p1 bra first;
setp.ne.u32 %p2, %r1, 1;
@%p2 bra done;
setp.eq.u32 %p2, %r2, 0;
@%p2 st.global.u32 [%rd1+4], %r1;
setp.eq.u32 %p2, %r2, 1;
@%p2 st.global.u32 [%rd1+8], %r1;
setp.eq.u32 %p2, %r2, 2;
@%p2 st.global.u32 [%rd1+12], %r1;
setp.eq.u32 %p2, %r2, 3;
@%p2 st.global.u32 [%rd1+16], %r1;
bra done;
first:
st.global.u32 [%rd1+4], %r2;
st.global.u32 [%rd1+8], %r2;
st.global.u32 [%rd1+12], %r2;
st.global.u32 [%rd1+16], %r2;
done:
ret;
}
";

fn meeting() -> PathBuf {
    let path = fresh_folder(&format!("exploring-{}", unique_number())).join("meet.ptx");
    std::fs::write(&path, PTX).expect("a file can be written");
    path
}

fn json(ended: &Ended) -> Value {
    serde_json::from_slice(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:#?}"))
}

fn check(flags: &[&str], file: &Path) -> Ended {
    run(warpsan(["check", "--format", "json"]).args(flags).arg(file))
}

/// What distinguishes reports: kind and severity, and the pair of PTX lines.
type Key = (String, (u64, u64));

fn is_same_value((kind, _): &Key) -> bool {
    kind.contains("same-value")
}

/// A report's races, with the seed and the count of each, under whatever kind it was seen.
fn races(report: &Value) -> Vec<(Key, u64, u64)> {
    let number = |value: &Value| value.as_u64().expect("a number");
    let race = |race: &Value| {
        let [one, other] = ["first", "second"].map(|side| number(&race[side]["ptx_line"]));
        let kind = format!("{} {}", race["kind"], race["severity"]);
        let key = (kind, (one.min(other), one.max(other)));
        let others = race["also_seen"].as_array().into_iter().flatten();
        let others: u64 = others.map(|other| number(&other["count"])).sum();
        (key, number(&race["replay"]["seed"]), number(&race["count"]) + others)
    };
    report["races"].as_array().expect("races").iter().map(race).collect()
}

#[test]
fn a_race_has_the_first_seed_that_shows_it_and_the_count_of_all() {
    let file = meeting();
    let seeds = 3..15u64;
    let mut alone = Vec::new();
    for seed in seeds.clone() {
        let report = json(&check(&["--seed", &seed.to_string()], &file));
        assert_eq!(report["summary"]["seeds"].as_array().map(Vec::len), Some(0));
        alone.push((seed, races(&report)));
    }
    let explored = json(check(&["--explore", "12", "--seed", "3"], &file).expect_code(1));
    let all = alone.iter().flat_map(|(_, races)| races.iter().map(|race| race.0.clone()));
    let all: BTreeSet<Key> = all.collect();
    // Where two instructions race with different values, too, a pair of equal ones is no race of its own.
    let is_folded = |key: &Key| {
        is_same_value(key) && all.iter().any(|other| other.1 == key.1 && !is_same_value(other))
    };
    let union: BTreeSet<Key> = all.iter().filter(|key| !is_folded(key)).cloned().collect();
    let found = races(&explored);
    assert_eq!(found.iter().map(|race| race.0.clone()).collect::<BTreeSet<_>>(), union);
    assert!(union.len() > alone[0].1.len(), "one seed does not show all: {union:?}");
    assert!(found.iter().any(|race| race.1 != 3), "{found:?}");
    for (key, seed, count) in &found {
        let first = alone.iter().find(|(_, races)| races.iter().any(|race| race.0 == *key));
        assert_eq!(first.map(|(seed, _)| seed), Some(seed), "{key:?}");
        let all = alone.iter().flat_map(|(_, races)| races).filter(|race| race.0.1 == key.1);
        assert_eq!(all.map(|race| race.2).sum::<u64>(), *count, "{key:?}");
    }
    let summary = &explored["summary"];
    assert_eq!(summary["seeds"], serde_json::json!(seeds.collect::<Vec<_>>()));
    assert_eq!((&summary["seed"], &summary["launches"]), (&3.into(), &12.into()));
    assert_eq!(summary["processes"], 1);
}

#[test]
fn the_text_says_how_to_see_each_cause_again() {
    let file = meeting();
    let ended = run(warpsan(["explore", "--fence-sc=order"]).arg(&file));
    let text = String::from_utf8_lossy(&ended.expect_code(1).stdout).into_owned();
    assert!(text.contains("32 seeds"), "{text}");
    let seeds: BTreeSet<&str> = text
        .match_indices("warpsan check --fence-sc=order --seed ")
        .map(|(at, found)| text[at + found.len()..].split(' ').next().unwrap_or_default())
        .collect();
    assert!(!seeds.is_empty(), "{text}");
    for seed in seeds {
        check(&["--seed", seed], &file).expect_code(1);
    }
}

#[test]
fn explored_reports_do_not_depend_on_the_number_of_cores() {
    let (file, other) = (meeting(), meeting());
    let results = ["1", "2", "7"].map(|jobs| {
        let flags = ["explore", "--explore", "9", "--stats", "--print", "all", "--jobs", jobs];
        let one = run(warpsan(flags).arg(&file));
        let several = run(warpsan(flags).args([&file, &other]));
        (one.expect_code(1).stdout.clone(), several.expect_code(1).stdout.clone())
    });
    assert!(results[0] == results[1] && results[1] == results[2]);
    let text = String::from_utf8_lossy(&results[0].0).into_owned();
    assert_eq!(text.matches("data: u32[8] after launch 0").count(), 1, "the first seed's: {text}");
}

#[test]
fn limits_hold_for_each_seed() {
    let file = crate::check_flags::kernels(&["endless<<<1, 32>>>()"]);
    for flags in [["--timeout", "0.2"], ["--max-instructions", "5000"]] {
        let report = json(
            run(warpsan(["explore", "--explore", "3", "--format", "json"]).args(flags).arg(&file))
                .expect_code(3),
        );
        let missing = report["not_covered"].as_array().expect("a list");
        assert_eq!(missing.len(), 1, "it is the same for all seeds: {missing:#?}");
        assert_eq!(report["summary"]["launches"], 3);
    }
}

#[test]
fn what_is_of_one_seed_is_refused() {
    let file = meeting();
    let folder = fresh_folder("exploring-refused");
    let trace = folder.join("a.trace");
    let ended = run(warpsan(["record", "--explore", "2", "-o"]).arg(&trace).arg(&file));
    ended.expect_code(2).expect_stderr(&["a trace is of one seed"]);
    for (flags, says) in [
        (&["--explore", "2", "--schedule", "random:7"][..], "--schedule random:7 says one seed"),
        (&["--explore", "2", "--record-schedule", "x"], "of one seed"),
        (&["--explore", "0"], "--explore"),
        (&["--explore", "many"], "--explore"),
    ] {
        check(flags, &file).expect_code(2).expect_stderr(&[says]);
        let ended = run(warpsan(["run"]).args(flags).args(["--", "true"]));
        ended.expect_code(2).expect_stderr(&[says]);
    }
}

#[test]
fn a_program_is_run_once_for_each_seed() {
    let folder = fresh_folder("exploring-run");
    let built = executable(&examples().join("missing_sync.cu"), &folder);
    let report = folder.join("report.json");
    let flags = ["run", "--explore", "3", "--seed", "5", "--stats", "--format", "json", "--output"];
    let script = ["--", "sh", "-c", "echo once; \"$0\""];
    let ended = run(warpsan(flags).arg(&report).args(script).arg(&built));
    ended.expect_code(1);
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(said.matches("once").count(), 3, "{said}");
    let text = std::fs::read_to_string(&report).expect("a report");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["summary"]["seeds"], serde_json::json!([5, 6, 7]));
    assert_eq!(report["summary"]["processes"], 3);
    assert_eq!(report["races"][0]["replay"]["seed"], 5);
    let failing = ["--", "sh", "-c", "exit 7"];
    run(warpsan(["run", "--explore", "2"]).args(failing))
        .expect_code(7)
        .expect_stderr(&["ended with code 7 in one of 2 runs"]);
}
