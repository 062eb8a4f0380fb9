//! The run that a process belongs to.
//!
//! `warpsan run` names it in the environment: how to check, and the log that all processes of the run write to. A process
//! reads that before the program's first instruction, since the program may change its environment, its root, its user
//! and its descriptors; from then on nothing of it is needed again. It says at once that it was entered, and hands the
//! same on to every program that it starts ([`Membership::environment_for`]).

use crate::report_log::{ProcessNote, ProcessNotes, SessionLog};
use crate::{Options, SessionError};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use warpsan_evidence::{Log, StreamKind};

/// How to check, as JSON.
pub const OPTIONS_VARIABLE: &str = "WARPSAN_OPTIONS";
/// The folder of the run.
pub const FOLDER_VARIABLE: &str = "WARPSAN_REPORT_DIR";
/// The log of the run.
pub const LOG_VARIABLE: &str = "WARPSAN_LOG";
/// The number of the note by which somebody announced to start this program.
pub const START_VARIABLE: &str = "WARPSAN_START";
/// The folder with our libraries.
pub const LIBRARIES_VARIABLE: &str = "WARPSAN_LIBRARY_DIR";
/// Lists in which our libraries stand before those of the user.
const LISTS: [&str; 3] = ["LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH"];

/// What a process knows of the run that it belongs to.
#[derive(Debug)]
pub struct Membership {
    log: Log,
    /// Where it says how far a long launch is.
    folder: PathBuf,
    options: String,
    /// The variables by which a program that is started belongs to the run, as `NAME=value`; of lists only what is ours.
    inherited: Vec<OsString>,
}

static MEMBERSHIP: OnceLock<Result<Membership, SessionError>> = OnceLock::new();

/// The run of this process. The first call reads the environment and says in the log that the process was entered; it
/// comes from the constructor of our library.
pub fn membership() -> Result<&'static Membership, &'static SessionError> {
    MEMBERSHIP.get_or_init(Membership::from_environment).as_ref()
}

fn variable(name: &'static str) -> Result<OsString, SessionError> {
    std::env::var_os(name).ok_or(SessionError::NotUnderWarpsan(name))
}

impl Membership {
    fn from_environment() -> Result<Membership, SessionError> {
        let options = variable(OPTIONS_VARIABLE)?;
        let options = options
            .into_string()
            .map_err(|_| SessionError::Options("it is no text".to_string()))?;
        let folder = PathBuf::from(variable(FOLDER_VARIABLE)?);
        let path = PathBuf::from(variable(LOG_VARIABLE)?);
        let libraries = PathBuf::from(variable(LIBRARIES_VARIABLE)?);
        let log = Log::open(&path)
            .map_err(|error| SessionError::Log { path: path.display().to_string(), error })?;
        let membership = Membership { log, folder, options, inherited: inherited(&libraries) };
        let start = std::env::var(START_VARIABLE).ok().and_then(|number| number.parse().ok());
        membership
            .note(&ProcessNote::Entered { start: start.unwrap_or(0), process: std::process::id() });
        Ok(membership)
    }

    /// How to check.
    pub(crate) fn options(&self) -> Result<Options, SessionError> {
        serde_json::from_str(&self.options)
            .map_err(|error| SessionError::Options(error.to_string()))
    }

    /// Where this process says how far a long launch is.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A new place for what this process finds out.
    pub(crate) fn session_log(&'static self) -> SessionLog {
        SessionLog::new(self.log.stream(StreamKind::Session))
    }

    fn note(&self, note: &ProcessNote) {
        // What finds no room is counted by the log itself.
        let _ = ProcessNotes::new(self.log.stream(StreamKind::Process)).append(note);
    }

    /// Announces that this process is about to start a program, by a number that the program gets in its environment.
    pub fn announce(&self, program: &OsStr) -> u64 {
        announce(&self.log, program)
    }

    /// The program that was announced could not be started.
    pub fn withdraw(&self, start: u64) {
        self.note(&ProcessNote::NotStarted { start });
    }

    /// The environment of a program that is about to be started: what the program's parent wants it to be, and what makes
    /// it a part of the run, whatever the parent has left out.
    pub fn environment_for(&self, wanted: &[&OsStr], start: u64) -> Vec<OsString> {
        let name_of =
            |entry: &OsStr| entry.as_bytes().split(|byte| *byte == b'=').next().map(<[u8]>::to_vec);
        let is_list = |entry: &OsStr| {
            LISTS.iter().any(|list| name_of(entry) == Some(list.as_bytes().to_vec()))
        };
        let mut environment: Vec<OsString> =
            Vec::with_capacity(wanted.len() + self.inherited.len() + 1);
        let ours =
            |entry: &OsStr| self.inherited.iter().find(|ours| name_of(ours) == name_of(entry));
        for entry in wanted {
            match ours(entry) {
                Some(ours) if is_list(entry) => environment.push(joined_list(ours, entry)),
                Some(_) => {}
                None if name_of(entry).as_deref() == Some(START_VARIABLE.as_bytes()) => {}
                None => environment.push(entry.to_os_string()),
            }
        }
        for ours in &self.inherited {
            if !is_list(ours) || !wanted.iter().any(|entry| name_of(entry) == name_of(ours)) {
                environment.push(ours.clone());
            }
        }
        environment.push(format!("{START_VARIABLE}={start}").into());
        environment
    }
}

/// Notes in a log how its run is checked.
pub fn begin_run(log: &Log, options: &Options, command: String) {
    // Options are numbers, texts and lists, which always become JSON.
    let options = serde_json::to_string(options).unwrap_or_default();
    let mut notes = ProcessNotes::new(log.stream(StreamKind::Process));
    // What finds no room is counted by the log itself.
    let _ = notes.append(&ProcessNote::Run { options, command });
}

/// Announces in a log that a program is about to be started; gives the number of the announcement.
pub fn announce(log: &Log, program: &OsStr) -> u64 {
    let stream = log.stream(StreamKind::Process);
    let start = stream.number();
    let program = program.to_string_lossy().into_owned();
    // What finds no room is counted by the log itself.
    let _ = ProcessNotes::new(stream).append(&ProcessNote::Starts { start, program });
    start
}

/// What of this process's environment makes it a part of the run.
fn inherited(libraries: &Path) -> Vec<OsString> {
    let mut inherited = Vec::new();
    for (name, value) in std::env::vars_os() {
        let value = match name.to_str() {
            Some(START_VARIABLE) => continue,
            Some(name) if LISTS.contains(&name) => {
                let is_ours = |path: &&[u8]| path.starts_with(libraries.as_os_str().as_bytes());
                let ours: Vec<&[u8]> =
                    value.as_bytes().split(|byte| b": ".contains(byte)).filter(is_ours).collect();
                if ours.is_empty() {
                    continue;
                }
                OsStr::from_bytes(&ours.join(&b':')).to_os_string()
            }
            Some(name) if name.starts_with("WARPSAN_") => value,
            _ => continue,
        };
        let mut entry = name;
        entry.push("=");
        entry.push(value);
        inherited.push(entry);
    }
    inherited
}

/// A list with ours in front, once. Both are `NAME=value`.
fn joined_list(ours: &OsStr, theirs: &OsStr) -> OsString {
    let value = |entry: &OsStr| {
        let start = entry.as_bytes().iter().position(|byte| *byte == b'=').map_or(0, |at| at + 1);
        OsStr::from_bytes(&entry.as_bytes()[start..]).to_os_string()
    };
    let mine = value(ours);
    let rest: Vec<Vec<u8>> = value(theirs)
        .as_bytes()
        .split(|byte| *byte == b':')
        .filter(|path| {
            !path.is_empty() && !mine.as_bytes().split(|byte| *byte == b':').any(|one| one == *path)
        })
        .map(<[u8]>::to_vec)
        .collect();
    let mut list = ours.to_os_string();
    for path in rest {
        list.push(":");
        list.push(OsStr::from_bytes(&path));
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(inherited: &[&str]) -> (warpsan_evidence::LogKeeper, Membership) {
        let keeper = warpsan_evidence::LogKeeper::in_memory().expect("a log");
        let log = Log::open(keeper.path()).expect("the log");
        let inherited = inherited.iter().map(OsString::from).collect();
        (keeper, Membership { log, folder: "/run".into(), options: "{}".into(), inherited })
    }

    fn environment(inherited: &[&str], wanted: &[&str]) -> Vec<String> {
        let (_keeper, member) = member(inherited);
        let wanted: Vec<&OsStr> = wanted.iter().map(OsStr::new).collect();
        let environment = member.environment_for(&wanted, 7);
        environment.into_iter().map(|entry| entry.into_string().expect("text")).collect()
    }

    #[test]
    fn a_program_with_an_empty_environment_still_belongs_to_the_run() {
        let ours = ["WARPSAN_LOG=/run/log", "LD_PRELOAD=/l/a.so:/l/b.so"];
        assert_eq!(
            environment(&ours, &[]),
            ["WARPSAN_LOG=/run/log", "LD_PRELOAD=/l/a.so:/l/b.so", "WARPSAN_START=7"]
        );
    }

    #[test]
    fn what_the_parent_wants_is_kept_and_ours_comes_first_in_lists() {
        let ours = ["WARPSAN_LOG=/run/log", "LD_PRELOAD=/l/a.so"];
        let wanted = [
            "HOME=/somewhere",
            "LD_PRELOAD=/z.so:/l/a.so",
            "WARPSAN_LOG=elsewhere",
            "WARPSAN_START=3",
        ];
        assert_eq!(
            environment(&ours, &wanted),
            [
                "HOME=/somewhere",
                "LD_PRELOAD=/l/a.so:/z.so",
                "WARPSAN_LOG=/run/log",
                "WARPSAN_START=7"
            ]
        );
    }

    #[test]
    fn starts_are_announced_and_withdrawn() {
        let (keeper, member) = member(&[]);
        let start = member.announce(OsStr::new("/bin/app"));
        member.withdraw(start);
        let notes = crate::report_log::process_notes(&keeper.evidence());
        let starts = ProcessNote::Starts { start, program: "/bin/app".to_string() };
        assert_eq!(notes, [starts, ProcessNote::NotStarted { start }]);
    }
}
