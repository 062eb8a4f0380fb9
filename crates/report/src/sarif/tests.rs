use super::*;
use crate::samples::{
    full_report, named, race, race_of_the_same_cause, race_with_related_places, report,
    report_of_threads, several,
};

fn log(reports: &[NamedReport]) -> Value {
    serde_json::from_str(&render_sarif(reports).unwrap()).unwrap()
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

#[test]
fn a_log_has_one_run_with_the_rules_of_all_kinds() {
    let mut reports = several();
    reports.push(named("queue", report_of_threads()));
    let log = log(&reports);
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(list(&log["runs"]).len(), 1);
    let driver = &log["runs"][0]["tool"]["driver"];
    assert_eq!(driver["name"], "warpsan");
    assert_eq!(list(&driver["rules"]).len(), RaceKind::ALL.len());
    for rule in list(&driver["rules"]) {
        assert!(RaceKind::of_name(rule["id"].as_str().unwrap()).is_some());
        assert!(rule["shortDescription"]["text"].is_string() && rule["help"]["text"].is_string());
    }
}

#[test]
fn every_result_names_its_rule_level_place_and_fingerprint() {
    let report = full_report();
    let log = log(&[named("sum.cu", report.clone())]);
    let run = &log["runs"][0];
    let results = list(&run["results"]);
    let groups = report.groups();
    let shown = groups.iter().map(|group| group.first);
    let suppressed = report.suppressed.iter().map(|suppressed| &suppressed.race);
    assert_eq!(results.len(), groups.len() + report.suppressed.len());
    let mut fingerprints = Vec::new();
    for (result, race) in results.iter().zip(shown.chain(suppressed)) {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
        assert_eq!(result["ruleId"], race.kind.name());
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(result["occurrenceCount"].as_u64() >= Some(race.count));
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["region"]["startLine"].as_u64().unwrap() > 0);
        assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
        assert!(result["message"]["text"].as_str().unwrap().contains(&race.reason));
        for location in list(&result["relatedLocations"]) {
            assert!(location["id"].is_u64() && location["message"]["text"].is_string());
        }
        fingerprints.push(result["partialFingerprints"][FINGERPRINT].as_str().unwrap());
    }
    fingerprints.sort_unstable();
    fingerprints.dedup();
    assert_eq!(fingerprints.len(), results.len());
}

#[test]
fn related_places_and_ways_to_them_are_there() {
    let log = log(&[named("sum.cu", report(vec![race_with_related_places()]))]);
    let result = &log["runs"][0]["results"][0];
    let related = list(&result["relatedLocations"]);
    assert_eq!(related.len(), 3, "the other side, and two related places");
    assert_eq!(related[1]["physicalLocation"]["region"]["startLine"], 31);
    assert_eq!(
        related[1]["physicalLocation"]["region"]["snippet"]["text"],
        "  __threadfence_block();"
    );
    assert!(related[2].get("physicalLocation").is_none(), "no line information");
    let flows = list(&result["codeFlows"][0]["threadFlows"]);
    let lines = |flow: &Value| -> Vec<u64> {
        let place =
            |step: &Value| step["location"]["physicalLocation"]["region"]["startLine"].as_u64();
        list(&flow["locations"]).iter().filter_map(place).collect()
    };
    assert_eq!([lines(&flows[0]), lines(&flows[1])], [vec![61, 50, 30], vec![63, 44]]);
}

#[test]
fn the_lines_of_a_group_are_related_locations_of_one_result() {
    let mut races = vec![race()];
    races.extend(race_of_the_same_cause());
    let log = log(&[named("sum.cu", report(races))]);
    let [result] = list(&log["runs"][0]["results"]).as_slice() else { panic!("{log}") };
    assert_eq!(result["occurrenceCount"], 3 + 3 + 2, "of both pairs, under all kinds");
    let related = list(&result["relatedLocations"]);
    let line = |place: &Value| place["physicalLocation"]["region"]["startLine"].as_u64();
    assert_eq!(related.iter().map(line).collect::<Vec<_>>(), [Some(12), Some(20), Some(22)]);
    let text = |place: &Value| place["message"]["text"].as_str().unwrap().to_string();
    let words = "the same cause: second access, of the next pass of the loop: read of 4 bytes";
    assert!(text(&related[1]).starts_with(words), "{related:?}");
    assert!(text(result).contains("the same cause: 1 more pair of lines\n"), "{result}");
}

#[test]
fn suppressed_results_say_by_what_and_the_others_that_they_are_not() {
    let log = log(&[named("sum.cu", full_report())]);
    let results = list(&log["runs"][0]["results"]);
    let (suppressed, open): (Vec<&Value>, Vec<&Value>) =
        results.iter().partition(|result| !list(&result["suppressions"]).is_empty());
    assert_eq!((suppressed.len(), open.len()), (1, 6));
    let by = &suppressed[0]["suppressions"][0];
    assert_eq!((by["kind"].as_str(), by["status"].as_str()), (Some("external"), Some("accepted")));
    assert_eq!(by["justification"], "suppressed at known.supp:2");
}

#[test]
fn each_file_is_an_invocation_that_says_what_was_not_checked() {
    let log = log(&several());
    let invocations = list(&log["runs"][0]["invocations"]);
    let successes: Vec<_> =
        invocations.iter().map(|one| one["executionSuccessful"].as_bool().unwrap()).collect();
    assert_eq!(successes, [true, true, false]);
    let notifications = |invocation: &Value, level: &str| -> Vec<String> {
        let all = list(&invocation["toolExecutionNotifications"]);
        let of_level = all.iter().filter(|one| one["level"] == level);
        of_level.map(|one| one["message"]["text"].as_str().unwrap().to_string()).collect()
    };
    assert!(notifications(&invocations[0], "warning")[0].contains("the instruction tex.2d"));
    assert!(notifications(&invocations[1], "note")[0].contains("everything was checked"));
    assert_eq!(
        notifications(&invocations[2], "error"),
        ["notes.txt: it is neither a .cu nor a .ptx file"]
    );
    let unused = list(&invocations[0]["toolConfigurationNotifications"]);
    assert_eq!(unused.len(), 1);
    assert!(unused[0]["message"]["text"].as_str().unwrap().contains("known.supp:4"));
}
