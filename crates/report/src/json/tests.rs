use super::*;
use crate::samples::{
    barrier, full_report, race, race_of_threads, report, report_of_threads, several,
};
use crate::{AccessOrder, AccessType, RaceKind, SCHEMA_VERSION, Severity, ThreadMemory};
use serde_json::Value;
use warpsan_model::Space;

const SCHEMA: &str = include_str!("../../schema/report-3.json");

/// Forbids fields that the schema does not name, which its readers must allow.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(close);
            if fields.get("properties").is_some_and(Value::is_object)
                && fields.contains_key("required")
            {
                fields.insert("additionalProperties".to_string(), Value::Bool(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

#[track_caller]
fn validate(text: &str) {
    let mut schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    close(&mut schema);
    let definition = if text.starts_with('[') { "/oneOf/1" } else { "/$defs/report" };
    // One of the two forms only, so that a failure says what is wrong in it.
    let mut one = schema.pointer(definition).expect("a form").clone();
    one["$defs"] = schema["$defs"].clone();
    let document: Value = serde_json::from_str(text).expect("a report is JSON");
    for schema in [one, schema] {
        let validator = jsonschema::validator_for(&schema).expect("the schema is one");
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}\n{text}");
    }
}

#[test]
fn reports_fit_their_schema() {
    validate(&render_json(&report(Vec::new())).unwrap());
    validate(&render_json(&full_report()).unwrap());
    validate(&render_json_list(&several()).unwrap());
    validate(&render_json(&report_of_threads()).unwrap());
}

#[test]
fn every_kind_of_memory_of_threads_fits_the_schema_and_reads_back() {
    let heap = race_of_threads().threads.unwrap().memory;
    let kinds = [
        heap,
        ThreadMemory::Global { module: "app".into() },
        ThreadMemory::Stack { thread: 1 },
        ThreadMemory::ThreadLocal { thread: 1 },
        ThreadMemory::Other,
    ];
    for memory in kinds {
        let mut race = race_of_threads();
        race.threads.as_mut().unwrap().memory = memory;
        let one = report(vec![race.clone()]);
        let text = render_json(&one).unwrap();
        validate(&text);
        assert!(!text.contains("\"replay\""), "no seed shows it again");
        assert_eq!(serde_json::from_str::<Report>(&text).unwrap().races, [race]);
    }
}

#[test]
fn races_of_every_kind_severity_access_and_memory_fit_the_schema() {
    let mut races = vec![race(), barrier()];
    races.extend(RaceKind::ALL.map(|kind| {
        let mut race = race();
        race.kernel = format!("{kind:?}");
        race.kind = kind;
        race
    }));
    races.extend([Severity::Info, Severity::Warning, Severity::Error].map(|severity| {
        let mut race = race();
        race.kernel = format!("{severity:?}");
        race.severity = severity;
        race
    }));
    races.extend([AccessOrder::Unknown, AccessOrder::FirstThenSecond, AccessOrder::NextPass].map(
        |order| {
            let mut race = race();
            race.kernel = format!("{order:?}");
            race.order = order;
            race
        },
    ));
    // One entry with notes of all other kinds.
    races.extend(RaceKind::ALL.map(|kind| Race { kind, kernel: "several".into(), ..race() }));
    races.extend(
        [
            AccessType::Read,
            AccessType::Write,
            AccessType::Atomic,
            AccessType::Barrier,
            AccessType::Free,
        ]
        .map(|access| {
            let mut race = race();
            race.kernel = format!("{access:?}");
            race.first.access = access;
            race
        }),
    );
    races.extend([Space::Global, Space::Shared, Space::Local, Space::Const, Space::Param].map(
        |space| {
            let mut race = race();
            race.kernel = format!("{space:?}");
            race.location.space = Some(space);
            race
        },
    ));
    let report = report(races);
    assert!(report.races.len() > RaceKind::ALL.len());
    validate(&render_json(&report).unwrap());
}

#[test]
#[should_panic(expected = "Additional properties")]
fn a_field_that_the_schema_does_not_name_is_noticed() {
    let mut value: Value = serde_json::from_str(&render_json(&full_report()).unwrap()).unwrap();
    value["races"][0]["first"]["new"] = Value::Null;
    validate(&value.to_string());
}

#[test]
fn the_schema_has_the_version_that_reports_say() {
    let schema: Value = serde_json::from_str(SCHEMA).unwrap();
    assert_eq!(schema["$defs"]["report"]["properties"]["schema"]["const"], SCHEMA_VERSION);
    assert_eq!(report(Vec::new()).schema, SCHEMA_VERSION);
}

#[test]
fn groups_and_library_code_are_marked() {
    let value: Value = serde_json::from_str(&render_json(&full_report()).unwrap()).unwrap();
    let marks = |list: &str| -> Vec<(Option<u64>, bool)> {
        let mark = |race: &Value| {
            let race = race.get("race").unwrap_or(race);
            (race["group"].as_u64(), race["library_code"].as_bool().unwrap())
        };
        value[list].as_array().unwrap().iter().map(mark).collect()
    };
    let groups: Vec<u64> = marks("races").into_iter().map(|(group, _)| group.unwrap()).collect();
    assert_eq!(groups, [1, 2, 2, 3, 4, 5, 6], "two have one cause");
    assert!(marks("races").iter().all(|(_, library)| !library));
    assert_eq!((marks("suppressed"), marks("library")), (vec![(None, false)], vec![(None, true)]));
}

#[test]
fn a_report_reads_back() {
    let mut report = full_report();
    let json = render_json(&report).unwrap();
    report.replay_commands.clear();
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), report);
    let value: Value = serde_json::from_str(&json).unwrap();
    let plain = &value["races"].as_array().unwrap()[0];
    assert!(plain["element"].is_null() || plain["element"]["bytes"] == 4);
}
