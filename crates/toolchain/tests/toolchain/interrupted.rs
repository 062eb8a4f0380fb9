//! Installations by other processes, killed in the middle.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use warpsan_toolchain::{Consent, ConsentSource, Environment, Installer, Silent};

use crate::support::Machine;

/// The folder of the machine to install on, where another test has started this program again.
const MACHINE: &str = "WARPSAN_TEST_MACHINE";

/// Installs in this process: for a machine of its own, or, when another test starts this test program again
/// as a second process, for that test's machine.
#[test]
fn install_in_this_process() {
    let mut own = Machine::new();
    own.add_python("ok");
    let environment = match std::env::var_os(MACHINE) {
        None => own.environment(),
        Some(folder) => {
            let folder = PathBuf::from(folder);
            let behaviour = std::env::var_os("FAKE_PIP").unwrap();
            let variables: [(OsString, OsString); 3] = [
                ("PATH".into(), folder.join("bin").into()),
                ("HOME".into(), folder.join("home").into()),
                ("FAKE_PIP".into(), behaviour),
            ];
            Environment::new(variables, folder.join("usual"))
        }
    };
    let installer = Installer::new(&environment).unwrap();
    let toolkit = installer.install(Consent::given_by(ConsentSource::Flag), &mut Silent).unwrap();
    assert!(toolkit.nvcc().is_file());
}

/// A second process, which does not outlive a test that fails.
struct Process(Child);

impl Process {
    fn start(machine: &Machine, behaviour: &str) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["interrupted::install_in_this_process", "--exact"]);
        command.env(MACHINE, machine.path("")).env("FAKE_PIP", behaviour).stdout(Stdio::null());
        Self(command.spawn().unwrap())
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }

    fn ends_well(&mut self) -> bool {
        self.0.wait().unwrap().success()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already, which is no failure.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(30), "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn staging_folders(machine: &Machine) -> usize {
    let entries = fs::read_dir(machine.path("home/.cache/warpsan/toolchain")).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    entries.flatten().map(name).filter(|n| n.starts_with("staging-")).count()
}

/// A process that ended but whose parent has not asked yet is a zombie, in state `Z`.
fn is_running(process: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(process).join("stat"));
    status.is_ok_and(|text| !text.rsplit(')').next().unwrap_or("").trim_start().starts_with('Z'))
}

#[test]
fn a_killed_installation_is_not_used_and_its_remains_are_removed() {
    let mut machine = Machine::new();
    machine.add_python("ok");
    let mut killed = Process::start(&machine, "hang");
    wait_until("pip hangs", || machine.path("pip.hangs").exists());
    let pip = fs::read_to_string(machine.path("pip.hangs")).unwrap();
    assert!(is_running(pip.trim()));
    killed.kill();
    wait_until("pip ends with warpsan", || !is_running(pip.trim()));
    assert_eq!(staging_folders(&machine), 1);
    assert!(machine.search().find().unwrap().is_none());

    let mut next = Process::start(&machine, "ok");
    assert!(next.ends_well());
    assert_eq!(staging_folders(&machine), 0);
    assert!(machine.search().find().unwrap().is_some());
    assert_eq!(machine.count("pip.runs"), 2);
}

#[test]
fn a_process_that_waits_takes_over_when_the_installing_one_is_killed() {
    let mut machine = Machine::new();
    machine.add_python("ok");
    let mut killed = Process::start(&machine, "hang");
    wait_until("pip hangs", || machine.path("pip.hangs").exists());
    let mut waiting = Process::start(&machine, "ok");
    std::thread::sleep(Duration::from_millis(300));
    assert!(waiting.is_running(), "it did not wait");
    assert_eq!(machine.count("pip.runs"), 1);
    killed.kill();
    assert!(waiting.ends_well());
    assert_eq!(machine.count("pip.runs"), 2);
    assert_eq!(staging_folders(&machine), 0);
    assert!(machine.search().find().unwrap().is_some());
}

#[test]
fn several_processes_give_one_installation() {
    let mut machine = Machine::new();
    machine.add_python("ok");
    let processes: Vec<_> = (0..3).map(|_| Process::start(&machine, "slow")).collect();
    for mut process in processes {
        assert!(process.ends_well());
    }
    assert_eq!(machine.count("pip.runs"), 1);
}
