//! Programs in front of a driver, which here is one that does nothing: no GPU is needed to see that calls go where
//! they should.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::support::command::{Ended, run, warpsan};
use crate::support::{fresh_folder, program};

/// The variable that names the real driver.
pub(crate) const REAL_DRIVER: &str = "WARPSAN_REAL_LIBCUDA";

/// A fake driver and a program that uses it.
struct TestFolder {
    folder: PathBuf,
    driver: PathBuf,
    program: PathBuf,
}

fn compile(source: &str, output: &Path, flags: &[&str]) {
    let mut command = Command::new("cc");
    command.args(["-O1", "-Wall", "-Werror", "-o"]).arg(output).arg(program(source)).args(flags);
    let compiled = command.output().expect("a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}

/// Builds the fake driver into a folder.
pub(crate) fn fake_driver(folder: &Path) -> PathBuf {
    let driver = folder.join("libfake.so.580.1");
    let soname = "-Wl,-soname,libcuda.so.1";
    compile("fake_driver.c", &driver, &["-shared", "-fPIC", soname, "-Wl,-Bsymbolic"]);
    driver
}

impl TestFolder {
    fn new(name: &str) -> TestFolder {
        let folder = fresh_folder(name);
        let driver = fake_driver(&folder);
        let program = folder.join("uses_driver");
        compile("uses_driver.c", &program, &["-ldl"]);
        TestFolder { folder, driver, program }
    }

    fn command(&self, flags: &[&str], library: &str, words: &[&str]) -> Command {
        let mut command = warpsan(["run"]);
        command.args(["--format", "json", "--output"]).arg(self.report_file()).args(flags);
        command.arg("--").arg(&self.program).arg(library).args(words);
        command.env(REAL_DRIVER, &self.driver);
        command
    }

    fn report_file(&self) -> PathBuf {
        self.folder.join("report.json")
    }

    fn report(&self) -> Value {
        let text = std::fs::read(self.report_file()).expect("a report");
        serde_json::from_slice(&text).expect("JSON")
    }

    /// Runs the program on the GPU.
    fn run(&self, words: &[&str]) -> (Ended, Value) {
        let ended = run(&mut self.command(&["--engine", "gpu"], "libcuda.so.1", words));
        (ended, self.report())
    }
}

/// The flags for a program that may do no CUDA work.
fn idle<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    [flags, &["--allow-idle"]].concat()
}

fn stdout(ended: &Ended) -> String {
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

/// Kernels that were not checked.
fn kernels(report: &Value) -> Vec<String> {
    let list = report["not_covered"].as_array().expect("a list");
    let mut kernels: Vec<String> =
        list.iter().map(|one| one["where"].as_str().unwrap_or_default().to_owned()).collect();
    kernels.sort();
    kernels
}

#[test]
fn calls_reach_the_driver_with_all_their_arguments() {
    let place = TestFolder::new("forwarder-arguments");
    // The first call of a process fills the table, so each kind has to be the first once.
    for words in [["float", "launch"], ["launch", "float"]] {
        let (ended, _) = place.run(&words);
        let said = stdout(&ended);
        assert!(said.contains("float: 128\n"), "{said}");
        assert!(said.contains("launch: 0 0 0 1\n"), "{said}");
    }
}

#[test]
fn what_the_driver_lacks_answers_so_and_addresses_lead_to_us_where_they_should() {
    let place = TestFolder::new("forwarder-addresses");
    let (ended, _) = place.run(&["absent", "address"]);
    assert_eq!(
        stdout(&ended),
        "absent: 500\n\
         cuLaunchKernel: 0 0 in libwarpsan_rt.so\n\
         cuMemAlloc: 0 0 in libwarpsan_rt.so\n\
         cuDriverGetVersion: 0 0 in libfake.so.580.1\n\
         cuGetProcAddress: 0 0 in libwarpsan_rt.so\n\
         variants are two\n\
         cuFlyToTheMoon: 500 1 in nowhere\n"
    );
}

#[test]
fn launches_are_counted_and_kernels_named() {
    let place = TestFolder::new("forwarder-launches");
    let (ended, report) = place.run(&["start", "launch", "launch"]);
    assert_eq!(stdout(&ended), "start: 0 1\nlaunch: 0 0 0 1\nlaunch: 0 0 0 1\n");
    ended.expect_code(3);
    assert_eq!(report["summary"]["engine"], "gpu");
    assert_eq!(report["summary"]["launches"], 6, "the driver refuses the fourth");
    assert_eq!(kernels(&report), ["kernel `add`", "kernel `of_library`", "kernel `scale`"]);
}

#[test]
fn any_end_of_the_process_leaves_its_report() {
    let place = TestFolder::new("forwarder-ends");
    let (ended, report) = place.run(&["start", "launch", "quick"]);
    ended.expect_code(3);
    assert_eq!(report["summary"]["launches"], 3);
}

#[test]
fn a_forked_child_of_a_process_with_cuda_is_left_alone() {
    let place = TestFolder::new("forwarder-fork");
    let (ended, report) = place.run(&["start", "launch", "fork"]);
    assert!(stdout(&ended).contains("child: 0\n"), "{}", stdout(&ended));
    assert_eq!(report["summary"]["launches"], 3, "those of the parent");
}

#[test]
fn a_child_that_starts_the_driver_by_itself_is_seen() {
    let place = TestFolder::new("forwarder-child");
    let script = format!(
        "{0} libcuda.so.1 start launch; {0} libcuda.so.1 start launch",
        place.program.display()
    );
    let mut command = warpsan(["run", "--engine", "gpu", "--format", "json", "--output"]);
    command.arg(place.report_file()).args(["--", "sh", "-c", &script]);
    run(command.env(REAL_DRIVER, &place.driver)).expect_code(3);
    assert_eq!(place.report()["summary"]["launches"], 6);
}

#[test]
fn a_program_without_cuda_runs_as_itself() {
    let place = TestFolder::new("forwarder-none");
    let (ended, report) = place.run(&[]);
    ended.expect_code(3);
    assert_eq!(report["summary"]["launches"], 0);
    assert!(report["not_covered"][0]["what"].to_string().contains("no CUDA work"), "{report}");
    let flags = ["--engine", "gpu", "--allow-idle"];
    run(&mut place.command(&flags, "libcuda.so.1", &[])).expect_code(0);
    assert_eq!(place.report()["not_covered"], serde_json::json!([]));
}

/// What this engine checks in no program is stated, and changes no code: here it is another thing that does.
#[test]
fn what_a_gpu_does_not_check_is_a_limitation() {
    let place = TestFolder::new("forwarder-limitation");
    let (_, report) = place.run(&["start", "launch"]);
    let limitations = report["limitations"].as_array().expect("a list");
    assert_eq!(limitations.len(), 1, "{report}");
    let what = limitations[0]["what"].as_str().unwrap_or_default();
    for part in ["copies", "memsets", "accesses of the host"] {
        assert!(what.contains(part), "{what}");
    }
    // Nothing is checked at all, or nothing was launched.
    let flags = ["--engine", "gpu", "--detector", "none"];
    run(&mut place.command(&flags, "libcuda.so.1", &["start", "launch"])).expect_code(3);
    assert!(place.report().get("limitations").is_none());
    let (_, report) = place.run(&["start"]);
    assert!(report.get("limitations").is_none(), "{report}");
}

#[test]
fn the_driver_is_ours_by_its_other_name_too() {
    let place = TestFolder::new("forwarder-names");
    // A copy without its version is what development packages have on the path.
    let development = place.folder.join("libcuda.so");
    std::fs::copy(&place.driver, development).expect("a copy");
    let mut command = place.command(&["--engine", "gpu"], "libcuda.so", &["start", "launch"]);
    run(command.env("LD_LIBRARY_PATH", &place.folder)).expect_code(3);
    assert_eq!(place.report()["summary"]["launches"], 3);
}

#[test]
fn a_program_that_goes_past_us_to_the_driver_is_reported() {
    let place = TestFolder::new("forwarder-past");
    let driver = place.folder.join("libcuda.so.580");
    std::fs::copy(&place.driver, &driver).expect("a copy");
    let path = driver.display().to_string();
    let mut command = place.command(&["--engine", "gpu"], &path, &["start", "launch"]);
    run(&mut command).expect_code(3);
    let report = place.report();
    assert_eq!(report["summary"]["launches"], 0);
    assert_eq!(kernels(&report), [path]);
}

#[test]
fn the_engine_is_chosen_by_what_is_there() {
    let place = TestFolder::new("forwarder-choice");
    let engine = |flags: &[&str], driver: &Path| {
        let mut command = place.command(&idle(flags), "libcuda.so.1", &[]);
        run(command.env(REAL_DRIVER, driver)).expect_code(0);
        place.report()["summary"]["engine"].as_str().unwrap_or_default().to_owned()
    };
    let missing = place.folder.join("no-driver.so");
    let iguard = ["--detector", "iguard"];
    let with = |flags: &[&'static str]| [&iguard[..], flags].concat();
    assert_eq!(engine(&iguard, &place.driver), "gpu");
    assert_eq!(engine(&with(&["--engine", "auto"]), &place.driver), "gpu");
    assert_eq!(engine(&["--detector", "none"], &place.driver), "gpu");
    assert_eq!(engine(&iguard, &missing), "cpu");
    assert_eq!(engine(&with(&["--engine", "cpu"]), &place.driver), "cpu");
    assert_eq!(engine(&with(&["--schedule", "round-robin"]), &place.driver), "cpu");
}

/// A detector that works on the host alone gets the CPU's operations, unless the user wants the GPU's.
#[test]
fn detectors_of_the_host_take_the_gpu_only_when_asked_to() {
    let place = TestFolder::new("forwarder-host-detector");
    let engine = |flags: &[&str]| {
        run(&mut place.command(&idle(flags), "libcuda.so.1", &[])).expect_code(0);
        place.report()["summary"]["engine"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(engine(&[]), "cpu");
    assert_eq!(engine(&["--detector", "hb", "--engine", "auto"]), "cpu");
    assert_eq!(engine(&["--detector", "hb", "--engine", "gpu"]), "gpu");
    for flag in ["--iguard-granularity=1", "--iguard-history=4"] {
        assert_eq!(engine(&["--detector", "iguard", flag]), "gpu");
    }
}

/// The driver is not asked before the program asks it, since that takes longer than many programs.
#[test]
fn a_device_that_is_not_there_is_the_programs_to_find_out() {
    let place = TestFolder::new("forwarder-no-device");
    let mut command = place.command(&["--engine", "gpu"], "libcuda.so.1", &["start"]);
    let ended = run(command.env("FAKE_DEVICES", "0"));
    ended.expect_code(3);
    assert_eq!(stdout(&ended), "start: 100 100\n");
    let report = place.report();
    assert!(report["not_covered"][0]["what"].to_string().contains("no CUDA work"), "{report}");
}

#[test]
fn a_driver_that_is_not_there_is_reported_before_the_program_starts() {
    let place = TestFolder::new("forwarder-missing");
    let gpu = ["--engine", "gpu"];
    let mut command = place.command(&gpu, "libcuda.so.1", &["start"]);
    let missing = place.folder.join("no-driver.so");
    let ended = run(command.env(REAL_DRIVER, &missing));
    ended.expect_code(2).expect_stderr(&["needs a GPU", "no-driver.so"]);
    assert!(ended.stdout.is_empty());
    let flags = ["--engine", "gpu", "--schedule", "round-robin"];
    let ended = run(&mut place.command(&flags, "libcuda.so.1", &["start"]));
    ended.expect_code(2).expect_stderr(&["--schedule", "CPU engine"]);
}
