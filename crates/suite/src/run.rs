//! `warpsan check` over many programs, and its reports as answers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::error::RunError;
use super::program::Program;
use super::report::{Answer, Reported};

/// Programs that one process checks: many, because a process has to load the compiler, and not all, so that
/// one that fails concerns few.
const AT_A_TIME: usize = 64;

/// How programs are checked.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The command under test.
    pub warpsan: PathBuf,
    /// The toolkit to use, where the command is not to look for one.
    pub cuda_path: Option<PathBuf>,
    /// The detector to check with.
    pub detector: String,
    /// Flags of the detector, which are added to those that programs ask for.
    pub flags: Vec<String>,
    /// Cores to use.
    pub jobs: usize,
    /// After this time a launch has failed.
    pub timeout: Duration,
}

/// The answers about all programs with one seed, in their order.
pub fn answers_of(programs: &[Program], seed: u64, settings: &Settings) -> Vec<Answer> {
    // Flags are those of a process: programs with the same ones go together.
    let mut by_flags: BTreeMap<&[String], Vec<usize>> = BTreeMap::new();
    for (index, program) in programs.iter().enumerate() {
        by_flags.entry(&program.flags).or_default().push(index);
    }
    let mut answers: BTreeMap<usize, Answer> = BTreeMap::new();
    for indices in by_flags.values().flat_map(|indices| indices.chunks(AT_A_TIME)) {
        let some: Vec<&Program> = indices.iter().map(|index| &programs[*index]).collect();
        let found = answers_of_some(&some, seed, settings);
        answers.extend(indices.iter().copied().zip(found));
    }
    answers.into_values().collect()
}

/// One process for these programs, which have the same flags; if it fails, one for each, so that only the guilty one has failed.
fn answers_of_some(programs: &[&Program], seed: u64, settings: &Settings) -> Vec<Answer> {
    match (check(programs, seed, settings), programs) {
        (Ok(answers), _) => answers,
        (Err(error), [_]) => vec![Answer::Failure(error.to_string())],
        (Err(_), several) => several
            .iter()
            .flat_map(|program| answers_of_some(std::slice::from_ref(program), seed, settings))
            .collect(),
    }
}

/// The answers of one process, or why it gave none.
fn check(programs: &[&Program], seed: u64, settings: &Settings) -> Result<Vec<Answer>, RunError> {
    let folder = tempfile::tempdir().map_err(RunError::NoFolder)?;
    let output = folder.path().join("report.json");
    let mut command = Command::new(&settings.warpsan);
    command.args(["check", "--quiet", "--format", "json", "--seed", &seed.to_string()]);
    command.args(["--detector", &settings.detector]);
    command.args(&settings.flags);
    command.args(["--jobs", &settings.jobs.to_string()]);
    command.args(["--timeout", &settings.timeout.as_secs().max(1).to_string()]);
    if let Some(toolkit) = &settings.cuda_path {
        command.arg("--cuda-path").arg(toolkit);
    }
    command.args(programs.first().into_iter().flat_map(|program| &program.flags));
    command.arg("--output").arg(&output);
    command.args(programs.iter().map(|program| &program.path));
    let (ended, value) = report_of(&mut command, &output)?;
    let answers = read(&value, programs)?;
    match ended.status.code() {
        Some(code) if code == expected_code(&answers) => Ok(answers),
        _ => Err(RunError::OtherExitCode {
            status: ended.status,
            expected: expected_code(&answers),
            said: said_by(&ended),
        }),
    }
}

/// How a command ended, and the report in JSON that it left in a file.
pub fn report_of(command: &mut Command, file: &Path) -> Result<(Output, Value), RunError> {
    let ended = command.stdin(Stdio::null()).output().map_err(|error| RunError::NotStarted {
        command: command.get_program().display().to_string(),
        error,
    })?;
    let text = std::fs::read_to_string(file).unwrap_or_default();
    if text.is_empty() {
        return Err(RunError::NoReport { status: ended.status, said: said_by(&ended) });
    }
    let report = serde_json::from_str(&text).map_err(RunError::NoJson)?;
    Ok((ended, report))
}

/// What a command has said to the terminal.
pub(crate) fn said_by(ended: &Output) -> String {
    String::from_utf8_lossy(&ended.stderr).trim().to_owned()
}

/// The report of one program, or the list of those of several.
fn read(value: &Value, programs: &[&Program]) -> Result<Vec<Answer>, RunError> {
    if let [only] = programs {
        return Ok(vec![Answer::of_report(value, &only.path)]);
    }
    let list = value.as_array().ok_or(RunError::NoList)?;
    let by_file: BTreeMap<&Path, &Value> =
        list.iter().filter_map(|item| Some((Path::new(item["file"].as_str()?), item))).collect();
    let answer = |program: &&Program| match by_file.get(program.path.as_path()) {
        None => Answer::Failure("there is no report of it".to_owned()),
        Some(item) => match item["error"].as_str() {
            Some(error) => Answer::Failure(error.to_owned()),
            None => Answer::of_report(&item["report"], &program.path),
        },
    };
    Ok(programs.iter().map(answer).collect())
}

/// The exit code that these reports mean.
fn expected_code(answers: &[Answer]) -> i32 {
    let is_error = |race: &Reported| race.severity == "error";
    let codes = answers.iter().map(|answer| match answer {
        Answer::Failure(_) => 2,
        Answer::Checked { races, .. } if races.iter().any(is_error) => 1,
        Answer::Checked { not_covered, .. } if !not_covered.is_empty() => 3,
        Answer::Checked { .. } => 0,
    });
    let badness = |code: &i32| match code {
        0 => 0,
        3 => 1,
        1 => 2,
        _ => 3,
    };
    codes.max_by_key(badness).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ReportExpectation;
    use serde_json::json;

    fn program(path: &str) -> Program {
        let (expectations, flags) = (Vec::new(), Vec::new());
        let report = ReportExpectation::default();
        Program { name: path.to_owned(), path: path.into(), expectations, flags, report }
    }

    #[test]
    fn each_file_gets_its_own_report() {
        let empty = json!({"races": [], "not_covered": []});
        let programs = ["a.cu", "b.cu", "c.cu"].map(program);
        let programs: Vec<&Program> = programs.iter().collect();
        let list = json!([{"file": "b.cu", "error": "no"}, {"file": "a.cu", "report": empty}]);
        let answers = read(&list, &programs).expect("a list");
        let nothing = Answer::Checked { races: Vec::new(), not_covered: Vec::new() };
        assert_eq!(answers[0], nothing);
        assert_eq!(answers[1], Answer::Failure("no".to_owned()));
        assert!(matches!(&answers[2], Answer::Failure(message) if message.contains("no report")));
        assert_eq!(read(&empty, &programs[..1]).expect("a report").len(), 1);
        assert!(read(&empty, &programs).is_err());
    }

    #[test]
    fn exit_codes_follow_from_reports() {
        let failure = |message: &str| Answer::Failure(message.to_owned());
        let part = || Answer::Checked { races: Vec::new(), not_covered: vec!["w (h)".to_owned()] };
        let race = |severity: &str| {
            let side = crate::report::Side { line: None, instruction: String::new() };
            let (kind, sides) = ("scope".to_owned(), [side.clone(), side]);
            let (severity, advice) = (severity.to_owned(), String::new());
            let race = Reported {
                kind,
                severity,
                sides,
                is_within_a_warp: false,
                count: 1,
                group: Some(1),
                advice,
            };
            Answer::Checked { races: vec![race], not_covered: Vec::new() }
        };
        assert_eq!(expected_code(&[]), 0);
        assert_eq!(expected_code(&[race("warning"), race("info")]), 0);
        assert_eq!(expected_code(&[race("warning"), part()]), 3);
        assert_eq!(expected_code(&[race("error"), part()]), 1);
        assert_eq!(expected_code(&[race("error"), failure("does not compile")]), 2);
    }

    #[test]
    fn a_command_that_is_not_there_fails_every_program() {
        let settings = Settings {
            warpsan: "/nowhere/warpsan".into(),
            cuda_path: None,
            detector: "hb".to_owned(),
            flags: Vec::new(),
            jobs: 1,
            timeout: Duration::from_secs(1),
        };
        let answers = answers_of(&[program("a.cu"), program("b.cu")], 1, &settings);
        assert_eq!(answers.len(), 2);
        assert!(answers.iter().all(|answer| matches!(answer, Answer::Failure(_))));
    }
}
