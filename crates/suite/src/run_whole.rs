//! `warpsan run` of a whole program.

use std::process::Command;

use crate::case::Case;
use crate::error::RunError;
use crate::report::Answer;
use crate::run::{Settings, report_of, said_by};

/// What comes of running a program with one seed: its small size, and its switch.
pub fn answer_of_whole(case: &Case, seed: u64, settings: &Settings) -> Answer {
    run(case, seed, settings).unwrap_or_else(|error| Answer::Failure(error.to_string()))
}

fn run(case: &Case, seed: u64, settings: &Settings) -> Result<Answer, RunError> {
    let folder = tempfile::tempdir().map_err(RunError::NoFolder)?;
    let output = folder.path().join("report.json");
    let mut command = Command::new(&settings.warpsan);
    command.args(["run", "--quiet", "--format", "json", "--seed", &seed.to_string()]);
    command.args(["--detector", &settings.detector]);
    command.args(&settings.flags);
    command.args(["--timeout", &settings.timeout.as_secs().max(1).to_string()]);
    if let Some(toolkit) = &settings.cuda_path {
        command.arg("--cuda-path").arg(toolkit);
    }
    command.args(&case.program.flags);
    command.arg("--output").arg(&output);
    command.arg("--").arg(&case.program.path).args(["--size", "small"]);
    if case.switch > 0 {
        command.args(["--race", &case.switch.to_string()]);
    }
    let (ended, report) = report_of(&mut command, &output)?;
    if ended.status.code().is_none_or(|code| code > 3 || code == 2) {
        return Err(RunError::NoVerdict { status: ended.status, said: said_by(&ended) });
    }
    Ok(Answer::of_report(&report, &case.program.path))
}
