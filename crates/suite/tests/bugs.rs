//! What the programs of `suites/bugs` say about themselves fits together: first line, comments and the table of verdicts.

use std::path::{Path, PathBuf};

use warpsan_suite::{Expectation, expectations_of, read_programs, reasons_of};

const DETECTORS: [&str; 3] = ["barracuda", "curd", "hb"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/bugs")
}

/// Names and texts of all programs.
fn texts() -> Vec<(String, String)> {
    let programs = read_programs(&folder(), "barracuda").expect("they read");
    let text = |path: &Path| std::fs::read_to_string(path).expect("the program");
    programs.iter().map(|program| (program.name.clone(), text(&program.path))).collect()
}

fn expected(text: &str, detector: &str) -> Vec<Expectation> {
    expectations_of(text, detector).expect("they read")
}

/// A kernel with atomics or fences is not for CURD's sets.
fn falls_back(text: &str) -> bool {
    let code = text.lines().filter_map(|line| line.split("//").next());
    let words = ["atomic", "tell(", "wait_for(", "__threadfence"];
    code.into_iter().any(|line| words.iter().any(|word| line.contains(word)))
}

#[test]
fn there_are_at_least_as_many_programs_as_in_the_thesis() {
    let texts = texts();
    assert!(texts.len() >= 66);
    for group in [
        "shared_", "global_", "lanes_", "branch_", "barrier_", "atomic_", "flag_", "fence_",
        "lock_", "grid_", "iguard_",
    ] {
        let of_group = || texts.iter().filter(|(name, _)| name.starts_with(group));
        let is_racy = |text: &str| !expected(text, "barracuda").is_empty();
        assert!(of_group().any(|(_, text)| is_racy(text)), "{group} has racy programs");
        assert!(of_group().any(|(_, text)| !is_racy(text)), "{group} has clean programs");
    }
}

#[test]
fn the_first_line_is_the_verdict_of_the_thesis() {
    for (name, text) in texts() {
        let word = if expected(&text, "barracuda").is_empty() { "// CLEAN. " } else { "// RACY. " };
        assert!(text.starts_with(word), "{name}");
    }
}

#[test]
fn every_verdict_names_its_rule() {
    for (name, text) in texts() {
        for detector in DETECTORS {
            let owner =
                if detector == "curd" && falls_back(&text) { "barracuda" } else { detector };
            let reasons = reasons_of(&text, detector, 0).expect("they read");
            assert!(!reasons.is_empty(), "{name} says nothing of {detector}");
            for reason in &reasons {
                assert_eq!(reason.split(' ').next(), Some(owner), "{name}: {reason}");
            }
            let named = |expectation: &Expectation| expectation.rule.is_some();
            assert!(expected(&text, detector).iter().all(named), "{name}, {detector}");
        }
    }
}

#[test]
fn curd_is_barracuda_where_there_are_atomics_or_fences() {
    for (name, text) in texts() {
        if falls_back(&text) {
            assert_eq!(expected(&text, "curd"), expected(&text, "barracuda"), "{name}");
        }
    }
}

#[test]
fn barracuda_has_the_classes_of_the_thesis() {
    for (name, text) in texts() {
        for expectation in expected(&text, "barracuda") {
            let kind = expectation.kind.as_str();
            assert!(
                matches!(kind, "divergence" | "missing-sync" | "barrier-divergence"),
                "{name}: {kind}"
            );
        }
    }
}

/// The kinds of a detector's expectations as the table writes them: severities below error are named.
fn cell(text: &str, detector: &str) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for expectation in expected(text, detector) {
        let severity = expectation.severity.as_deref().filter(|severity| *severity != "error");
        let kind = [Some(expectation.kind.as_str()), severity].into_iter().flatten();
        let kind = kind.collect::<Vec<_>>().join(" ");
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() { "clean".to_owned() } else { kinds.join(", ") }
}

#[test]
fn the_table_of_verdicts_is_that_of_the_programs() {
    let readme = std::fs::read_to_string(folder().join("README.md")).expect("the README");
    for (name, text) in texts() {
        let name = name.trim_end_matches(".cu");
        let row = readme.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("{name} is not in the table"));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let curd = if falls_back(&text) { "←".to_owned() } else { cell(&text, "curd") };
        assert_eq!(cells[3..6], [cell(&text, "barracuda"), curd, cell(&text, "hb")], "{name}");
    }
    let rows =
        readme.lines().filter(|line| line.starts_with("| `") && line.matches('|').count() == 6);
    assert_eq!(rows.count(), texts().len());
}
