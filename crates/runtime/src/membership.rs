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
    /// The folder with our libraries.
    libraries: PathBuf,
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
        let inherited = inherited(&libraries);
        let membership = Membership { log, folder, options, libraries, inherited };
        let start = std::env::var(START_VARIABLE).ok().and_then(|number| number.parse().ok());
        membership.enter(start.unwrap_or(0));
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

    /// What distinguishes this build from every other: its libraries are in a folder whose name is the hash of them all.
    pub(crate) fn build(&self) -> Option<String> {
        Some(self.libraries.file_name()?.to_string_lossy().into_owned())
    }

    /// A new place for what this process finds out.
    pub(crate) fn session_log(&'static self) -> SessionLog {
        SessionLog::new(self.log.stream(StreamKind::Session))
    }

    /// Says that our library is in this process.
    fn enter(&self, start: u64) {
        let stream = self.log.stream(StreamKind::Process);
        let (process, number) = (std::process::id(), stream.number());
        // What finds no room is counted by the log itself.
        let _ = ProcessNotes::new(stream).append(&ProcessNote::Entered {
            start,
            process,
            stream: number,
        });
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
        let is_list = |entry: &OsStr| LISTS.iter().any(|list| name_of(entry) == OsStr::new(list));
        let mut environment: Vec<OsString> =
            Vec::with_capacity(wanted.len() + self.inherited.len() + 1);
        let ours =
            |entry: &OsStr| self.inherited.iter().find(|ours| name_of(ours) == name_of(entry));
        for entry in wanted {
            match ours(entry) {
                Some(ours) if is_list(entry) => {
                    let (name, ours) = name_and_value(ours);
                    let mut joined = name.to_os_string();
                    joined.push("=");
                    joined.push(joined_list(ours, name_and_value(entry).1));
                    environment.push(joined);
                }
                Some(_) => {}
                None if name_of(entry) == START_VARIABLE => {}
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

/// A list for the dynamic linker with ours in front, once. Theirs stay as they are: an empty entry has a meaning, and so
/// have blanks.
pub fn joined_list(ours: &OsStr, theirs: &OsStr) -> OsString {
    let mut list = ours.to_os_string();
    if theirs.is_empty() {
        return list;
    }
    let is_ours = |path: &[u8]| {
        !path.is_empty() && ours.as_bytes().split(|byte| *byte == b':').any(|one| one == path)
    };
    for path in theirs.as_bytes().split(|byte| *byte == b':').filter(|path| !is_ours(path)) {
        list.push(":");
        list.push(OsStr::from_bytes(path));
    }
    list
}

fn name_of(entry: &OsStr) -> &OsStr {
    name_and_value(entry).0
}

/// The two sides of `NAME=value`.
fn name_and_value(entry: &OsStr) -> (&OsStr, &OsStr) {
    let bytes = entry.as_bytes();
    let end = bytes.iter().position(|byte| *byte == b'=').unwrap_or(bytes.len());
    let value = bytes.get(end + 1..).unwrap_or_default();
    (OsStr::from_bytes(&bytes[..end]), OsStr::from_bytes(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(inherited: &[&str]) -> (warpsan_evidence::LogKeeper, Membership) {
        let keeper = warpsan_evidence::LogKeeper::in_memory().expect("a log");
        let log = Log::open(keeper.path()).expect("the log");
        let inherited = inherited.iter().map(OsString::from).collect();
        let membership = Membership {
            log,
            folder: "/run".into(),
            options: "{}".into(),
            libraries: "/libraries/0f0f".into(),
            inherited,
        };
        (keeper, membership)
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
    fn lists_for_the_linker_have_ours_once_and_theirs_as_they_are() {
        let joined = |theirs: &str| joined_list(OsStr::new("/a/x.so:/a/y.so"), OsStr::new(theirs));
        assert_eq!(joined(""), "/a/x.so:/a/y.so");
        assert_eq!(joined("/z.so /w.so"), "/a/x.so:/a/y.so:/z.so /w.so");
        assert_eq!(joined("/a/y.so:/z.so"), "/a/x.so:/a/y.so:/z.so");
        assert_eq!(joined("/z:"), "/a/x.so:/a/y.so:/z:", "the folder where the program is");
    }

    #[test]
    fn the_build_is_known_before_the_program_can_clear_its_environment() {
        assert_eq!(member(&[]).1.build().as_deref(), Some("0f0f"));
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
