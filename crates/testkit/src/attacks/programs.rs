//! Programs that hinder those who watch them: `attacker/` does something odd, and then has a race or has none. A race is
//! reported all the same, or the run is at least not called clean; and a program without one is not accused. The program
//! lists its attacks with what has to come of each. [`surroundings`](super::surroundings) has attacks on the command itself.

use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context;
use warpsan_toolchain::Toolchain;

use super::observed::{Ended, run};
use super::surroundings::{Hindrance, hindrances};

/// The code of an attack that this machine does not allow.
const UNABLE: i32 = 8;
/// The attacker's code where something that it needs does not work.
const BROKEN: i32 = 9;
/// The code by which the C library ends a program that has no memory for its threads.
const NO_MEMORY: i32 = 127;

/// What has to come of an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The program is checked as if nothing had happened.
    Checked,
    /// It cannot be checked as a whole, and the report says so.
    Named,
    /// The command refuses to run, or it is checked.
    CheckedOrRefused,
    /// It has no race of its own, whatever it is asked for.
    Clean,
}

/// One attack.
#[derive(Debug, Clone)]
pub struct Attack {
    /// The mode of the program, or what the command has to put up with.
    pub name: String,
    wanted: Wanted,
    /// The code that the program itself ends with.
    code: i32,
    hindrance: Option<Hindrance>,
    /// With the static CUDA runtime instead of the shared one.
    is_static: bool,
}

/// What came of one attack, with a race and without.
#[derive(Debug)]
pub struct Attempt {
    /// The attack.
    pub name: String,
    /// This machine does not allow it.
    pub is_impossible: bool,
    /// What is wrong.
    pub wrong: Vec<String>,
}

/// The program in all its forms, where every user can read it.
#[derive(Debug)]
pub struct Attacker {
    folder: tempfile::TempDir,
}

/// Attacks that are tried with the static CUDA runtime, too: those that need no other program.
const ALSO_STATIC: [&str; 12] = [
    "plain",
    "close-after",
    "replace-then-divided",
    "clear-environment",
    "child-execve-empty",
    "delete-after",
    "file-size-after",
    "chroot",
    "nobody",
    "fork-then-launch",
    "end-_exit",
    "signals-blocked",
];

impl Attacker {
    /// Compiles it. `root` is the folder of the project.
    pub fn compile(toolchain: &Toolchain, root: &Path) -> anyhow::Result<Attacker> {
        let failed = "cannot copy the program";
        let source = root.join("crates/testkit/src/attacks/attacker/main.cu");
        let folder = tempfile::tempdir().context(failed)?;
        let open_to_all = |path: &Path| {
            std::fs::set_permissions(path, Permissions::from_mode(0o755)).context(failed)
        };
        open_to_all(folder.path())?;
        let forms: [(&str, &[&str]); 3] = [
            ("attacker", &[]),
            ("static", &["-cudart", "static"]),
            ("library", &["-shared", "-Xcompiler", "-fPIC"]),
        ];
        for (name, more) in forms {
            let flags = ["-O2", "-std=c++17", "-arch=sm_90", "-lineinfo"].iter().chain(more);
            let flags: Vec<OsString> = flags.map(OsString::from).collect();
            let compiled = toolchain.compile_program(&source, &flags)?.path;
            let copy = folder.path().join(name);
            std::fs::copy(compiled, &copy).context(failed)?;
            open_to_all(&copy)?;
        }
        Ok(Attacker { folder })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// All attacks. The program needs a CUDA runtime to start, which it has under warpsan.
    pub fn attacks(&self, warpsan: &Path) -> anyhow::Result<Vec<Attack>> {
        let mut command = Command::new(warpsan);
        command.args(["run", "--allow-idle", "--"]).arg(self.file("attacker")).arg("list");
        let listed =
            command.output().with_context(|| format!("cannot start {}", warpsan.display()))?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let mut attacks: Vec<Attack> = listed.lines().map(str::parse).collect::<Result<_, _>>()?;
        // What is started past us has no CUDA runtime but its own.
        for attack in attacks.iter_mut().filter(|attack| attack.name.starts_with("raw-")) {
            attack.is_static = true;
        }
        let again = attacks.iter().filter(|attack| ALSO_STATIC.contains(&attack.name.as_str()));
        let again = again.cloned().map(|attack| Attack { is_static: true, ..attack });
        let again: Vec<_> = again.collect();
        attacks.extend(again);
        attacks.extend(hindrances().into_iter().map(|(hindrance, wanted)| Attack {
            name: "plain".to_string(),
            wanted,
            code: 0,
            hindrance: Some(hindrance),
            is_static: false,
        }));
        Ok(attacks)
    }

    /// Runs attacks, so many at a time; the results are in their order.
    pub fn attempt_all(&self, warpsan: &Path, attacks: &[Attack], jobs: usize) -> Vec<Attempt> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(attack) = attacks.get(number) else { return done };
                done.push((number, self.attempt(warpsan, attack)));
            }
        };
        let mut done = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
            let mut all = Vec::new();
            for worker in workers {
                match worker.join() {
                    Ok(part) => all.extend(part),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        });
        done.sort_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, attempt)| attempt).collect()
    }

    /// Runs an attack under warpsan, with a race and without.
    fn attempt(&self, warpsan: &Path, attack: &Attack) -> Attempt {
        let name = attack.in_words();
        let mut attempt = Attempt { name, is_impossible: false, wrong: Vec::new() };
        if attack.hindrance.as_ref().is_some_and(|hindrance| !hindrance.can_be_tried(warpsan)) {
            attempt.is_impossible = true;
            return attempt;
        }
        for is_racy in [true, false] {
            let ended = self.run(warpsan, attack, is_racy);
            match ended.and_then(|ended| attack.judge(&ended, is_racy)) {
                Ok(is_possible) => attempt.is_impossible |= !is_possible,
                Err(error) => {
                    let kind = if is_racy { "racy" } else { "clean" };
                    attempt.wrong.push(format!("{kind}: {error:#}"));
                }
            }
        }
        attempt
    }

    fn run(&self, warpsan: &Path, attack: &Attack, is_racy: bool) -> anyhow::Result<Ended> {
        let folder = tempfile::tempdir().context("cannot make a folder")?;
        let mut command = Command::new(warpsan);
        // Whoever removes the libraries removes those of no other run.
        if attack.name.starts_with("cache-") {
            command.env("WARPSAN_CACHE_DIR", folder.path().join("cache"));
        }
        command.args(["run", "--format", "json", "--output"]).arg(folder.path().join("report"));
        let program = if attack.is_static { "static" } else { "attacker" };
        command.arg("--").arg(self.file(program)).arg(&attack.name);
        command.arg(if is_racy { "racy" } else { "clean" }).arg(self.file("library"));
        if let Some(hindrance) = &attack.hindrance {
            hindrance.hinder(&mut command, folder.path())?;
        }
        run(&mut command, folder.path())
    }
}

impl FromStr for Attack {
    type Err = anyhow::Error;

    /// A line of the program's list: name, what has to come of it, and its own code.
    fn from_str(line: &str) -> anyhow::Result<Attack> {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, wanted, code] = words[..] else { anyhow::bail!("no attack: `{line}`") };
        let wanted = match wanted {
            "checked" => Wanted::Checked,
            "named" => Wanted::Named,
            "clean" => Wanted::Clean,
            _ => anyhow::bail!("nobody knows what `{wanted}` means"),
        };
        let code = code.parse().with_context(|| format!("no code: `{code}`"))?;
        Ok(Attack { name: name.to_string(), wanted, code, hindrance: None, is_static: false })
    }
}

impl Attack {
    /// Its name for readers.
    pub fn in_words(&self) -> String {
        match (&self.hindrance, self.is_static) {
            (Some(hindrance), _) => format!("command-{}", hindrance.name()),
            (None, true) => format!("static-{}", self.name),
            (None, false) => self.name.clone(),
        }
    }

    /// Whether the attack was possible, if the end is as it has to be.
    fn judge(&self, ended: &Ended, is_racy: bool) -> anyhow::Result<bool> {
        let code = ended.code.unwrap_or(-1);
        if code == UNABLE {
            return Ok(false);
        }
        let races = ended.races();
        let seen = || format!("{}{}", ended.not_covered(), ended.stderr);
        anyhow::ensure!(!ended.stderr.contains("panicked at"), "a panic: {}", ended.stderr);
        let is_racy = is_racy && self.wanted != Wanted::Clean;
        anyhow::ensure!(is_racy || races == 0, "{races} races are reported, and there are none");
        // A program's own failure is passed on in place of 1 and 0.
        let own = |verdict| if self.code == 0 { verdict } else { self.code };
        let (codes, needs_race) = match (self.wanted, is_racy) {
            (Wanted::Checked, true) => (vec![own(1)], true),
            (Wanted::Clean, _) | (Wanted::Checked, false) => (vec![own(0)], false),
            (Wanted::CheckedOrRefused, true) => (vec![1, 2], code == 1),
            (Wanted::CheckedOrRefused, false) => (vec![0, 2], false),
            // What it did before it was out of reach is found, or what came after it is named.
            (Wanted::Named, true) => (vec![1, 3, BROKEN, NO_MEMORY], code != 3),
            (Wanted::Named, false) => (vec![0, 3, BROKEN, NO_MEMORY], false),
        };
        let is_signal = self.wanted == Wanted::Named && code > 128;
        anyhow::ensure!(
            codes.contains(&code) || is_signal,
            "it ended with {code}, not with one of {codes:?}; {}",
            seen()
        );
        anyhow::ensure!(
            !needs_race || races > 0 || is_signal || code == BROKEN,
            "it ended with {code}, and there is no race in the report; {}",
            seen()
        );
        anyhow::ensure!(
            code != 2 || !ended.stderr.trim().is_empty(),
            "it was refused without a word"
        );
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(code: i32, races: usize) -> Ended {
        let race = r#"{"kernel": "k"}"#;
        let report =
            format!(r#"{{"races": [{}], "not_covered": []}}"#, vec![race; races].join(","));
        Ended {
            code: Some(code),
            stderr: String::new(),
            report: serde_json::from_str(&report).expect("JSON"),
        }
    }

    fn judge(line: &str, code: i32, races: usize, is_racy: bool) -> anyhow::Result<bool> {
        line.parse::<Attack>().expect("an attack").judge(&ended(code, races), is_racy)
    }

    #[test]
    fn a_race_that_is_called_clean_is_wrong() {
        assert!(judge("close checked 0", 0, 0, true).is_err());
        assert!(judge("close checked 0", 1, 1, true).is_ok_and(|possible| possible));
        assert!(judge("close checked 0", 1, 0, true).is_err(), "the race has to be in the report");
        assert!(judge("nobody named 0", 0, 0, true).is_err());
        assert!(judge("nobody named 0", 3, 0, true).is_ok());
        assert!(judge("abort checked 134", 134, 1, true).is_ok());
        assert!(judge("abort checked 134", 134, 0, true).is_err(), "its race was lost");
        assert!(judge("divided clean 0", 0, 0, true).is_ok());
    }

    #[test]
    fn a_clean_program_is_not_accused() {
        assert!(judge("umask checked 0", 0, 0, false).is_ok());
        assert!(judge("umask checked 0", 3, 0, false).is_err(), "it can be checked");
        assert!(judge("umask checked 0", 1, 1, false).is_err());
        assert!(judge("nobody named 0", 1, 1, false).is_err());
        assert!(judge("chroot checked 0", UNABLE, 0, true).is_ok_and(|possible| !possible));
    }

    #[test]
    fn a_list_that_is_not_understood_is_an_error() {
        assert!("name".parse::<Attack>().is_err());
        assert!("name perhaps 0".parse::<Attack>().is_err());
        assert!("name checked x".parse::<Attack>().is_err());
    }
}
