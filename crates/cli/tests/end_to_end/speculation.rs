//! Programs whose loads the compiler speculates get the verdict of their source, not of their PTX.

use std::path::{Path, PathBuf};

use crate::support::build::need_compiler;
use crate::support::command::{run, warpsan};
use crate::support::expectation;
use crate::support::{cuda_files, fresh_folder, stem};
use crate::verdicts::judge_end;

/// Clean programs that are reported all the same, each with the reason. They are listed in the README of
/// the suite; whoever makes one right takes it out here.
const REPORTED_ALL_THE_SAME: &[&str] = &[
    // The condition changes in the loop that the load was moved out of, so it is not known at the load.
    "loop_variant_guard",
];

fn suite() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/speculation")
}

#[test]
fn every_program_of_the_suite_gets_the_verdict_of_its_source() {
    need_compiler();
    let folder = fresh_folder("speculation");
    let (mut problems, mut clean, mut racy) = (Vec::new(), 0, 0);
    for file in cuda_files(&suite()) {
        let name = stem(&file);
        let report = folder.join(format!("{name}.json"));
        let ended = run(warpsan(["check", "--format", "json", "--output"]).arg(&report).arg(&file));
        if REPORTED_ALL_THE_SAME.contains(&name.as_str()) {
            ended.expect_code(1);
            continue;
        }
        let expected = expectation::of_file(&file);
        *(if expected.is_empty() { &mut clean } else { &mut racy }) += 1;
        let found = judge_end(&ended.status.code(), &ended.stderr, &report, &file, &expected);
        problems.extend(found.iter().map(|problem| format!("{name}: {problem}")));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(clean >= 40 && racy >= 10, "{clean} clean and {racy} racy programs");
}
