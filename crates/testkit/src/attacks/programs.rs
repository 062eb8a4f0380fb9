//! Programs that hinder those who watch them: `attacker.cu` does something odd, and then has a race or has none. A race is
//! reported all the same, or the run is at least not called clean; and a program without one is not accused.

use super::observed::{Ended, run};
use anyhow::Context;
use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use warpsan_toolchain::Toolchain;

/// The code of an attack that this machine does not allow.
const UNABLE: i32 = 8;

/// What has to come of an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// The program is checked as if nothing had happened.
    Checked,
    /// It cannot be checked, and the report names it.
    NotChecked,
}

/// Attacks by which a process gets out of reach: everything else is checked.
const OUT_OF_REACH: [&str; 3] = ["child-nobody", "child-nobody-empty", "child-few-descriptors"];

/// The program, compiled. `root` is the folder of the project.
pub fn compile(toolchain: &Toolchain, root: &Path) -> anyhow::Result<PathBuf> {
    let flags = ["-O2", "-std=c++17", "-arch=sm_90", "-lineinfo"].map(OsString::from);
    let source = root.join("crates/testkit/src/attacks/attacker.cu");
    Ok(toolchain.compile_program(&source, &flags)?.path)
}

/// One attack, with and without a race.
#[derive(Debug)]
pub struct Attack {
    /// The mode of the program.
    pub name: String,
    /// This machine does not allow it.
    pub is_impossible: bool,
    /// What is wrong.
    pub wrong: Vec<String>,
}

/// The names of all attacks. The program needs a CUDA runtime to start, which it has under warpsan.
pub fn names(warpsan: &Path, program: &Path) -> anyhow::Result<Vec<String>> {
    let mut command = std::process::Command::new(warpsan);
    command.args(["run", "--allow-idle", "--"]).arg(program).arg("list");
    let listed = command.output().with_context(|| format!("cannot start {}", warpsan.display()))?;
    Ok(String::from_utf8_lossy(&listed.stdout).lines().map(str::to_string).collect())
}

/// Runs an attack under warpsan.
pub fn attempt(warpsan: &Path, program: &Path, name: &str) -> Attack {
    let mut attack = Attack { name: name.to_string(), is_impossible: false, wrong: Vec::new() };
    let copy = match for_everybody(program) {
        Ok(copy) => copy,
        Err(error) => {
            attack.wrong.push(format!("{error:#}"));
            return attack;
        }
    };
    let program = copy.path().join("attacker");
    for kind in ["racy", "clean"] {
        let words = [program.as_os_str(), name.as_ref(), kind.as_ref()];
        match run(warpsan, &words).and_then(|ended| judge(&ended, name, kind == "racy")) {
            Ok(is_possible) => attack.is_impossible |= !is_possible,
            Err(error) => attack.wrong.push(format!("{kind}: {error:#}")),
        }
    }
    attack
}

/// A copy of the program in a folder that other users can read, too.
fn for_everybody(program: &Path) -> anyhow::Result<tempfile::TempDir> {
    let failed = "cannot copy the program";
    let folder = tempfile::tempdir().context(failed)?;
    std::fs::copy(program, folder.path().join("attacker")).context(failed)?;
    for path in [folder.path(), &folder.path().join("attacker")] {
        std::fs::set_permissions(path, Permissions::from_mode(0o755)).context(failed)?;
    }
    Ok(folder)
}

/// Whether the attack was possible, if the end is as it has to be.
fn judge(ended: &Ended, name: &str, is_racy: bool) -> anyhow::Result<bool> {
    if ended.code == Some(UNABLE) {
        return Ok(false);
    }
    let wanted = if OUT_OF_REACH.contains(&name) { Wanted::NotChecked } else { Wanted::Checked };
    let races = ended.races();
    let codes: &[i32] = match (wanted, is_racy) {
        // `divided` has no race of its own.
        (Wanted::Checked, true) if name == "divided" => &[0],
        (Wanted::Checked, true) => &[1],
        (Wanted::Checked, false) => &[0],
        (Wanted::NotChecked, true) => &[1, 3],
        (Wanted::NotChecked, false) => &[0, 3],
    };
    let code = ended.code.unwrap_or(-1);
    anyhow::ensure!(
        codes.contains(&code),
        "it ended with {code}, not with one of {codes:?}; {}{}",
        ended.not_covered(),
        ended.stderr
    );
    anyhow::ensure!(
        (code == 1) == (races > 0),
        "it ended with {code}, and there are {races} races"
    );
    Ok(true)
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

    #[test]
    fn a_race_that_is_called_clean_is_wrong() {
        assert!(judge(&ended(0, 0), "close-after", true).is_err());
        assert!(judge(&ended(1, 1), "close-after", true).is_ok_and(|possible| possible));
        assert!(
            judge(&ended(1, 0), "close-after", true).is_err(),
            "the race has to be in the report"
        );
        assert!(judge(&ended(0, 0), "child-nobody", true).is_err());
        assert!(judge(&ended(3, 0), "child-nobody", true).is_ok());
    }

    #[test]
    fn a_clean_program_is_not_accused() {
        assert!(judge(&ended(0, 0), "umask", false).is_ok());
        assert!(judge(&ended(3, 0), "umask", false).is_err(), "it can be checked");
        assert!(judge(&ended(1, 1), "umask", false).is_err());
        assert!(judge(&ended(UNABLE, 0), "chroot", true).is_ok_and(|possible| !possible));
    }
}
