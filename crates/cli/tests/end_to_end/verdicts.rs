//! Every example gets the right verdict, however it is built.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::support::build::{Cudart, host_compiler, nvcc};
use crate::support::command::{run, warpsan};
use crate::support::expectation::{self, Expectation};
use crate::support::report::Report;
use crate::support::{cuda_files, examples, fresh_folder, stem};

/// Calls the example in a library that it was linked with.
const LINKED_MAIN: &str = "int example_main();\nint main() { return example_main(); }\n";

/// Opens the library that its argument names, and calls the example in it.
const DLOPEN_MAIN: &str = r#"
#include <cstdio>
#include <dlfcn.h>
int main(int, char** arguments) {
    void* library = dlopen(arguments[1], RTLD_NOW);
    if (!library) {
        std::fprintf(stderr, "%s\n", dlerror());
        return 90;
    }
    auto example_main = reinterpret_cast<int (*)()>(dlsym(library, "_Z12example_mainv"));
    return example_main ? example_main() : 91;
}
"#;

/// Where the kernels of a program are.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Executable,
    LinkedLibrary,
    OpenedLibrary,
}

/// One example with one kind of optimisation: the objects are compiled once for all ways to link them.
struct Unit {
    example: PathBuf,
    mode: &'static str,
}

/// One cell of the table.
struct Verdict {
    name: String,
    problems: Vec<String>,
}

#[test]
fn every_example_in_every_build() {
    let folder = fresh_folder("verdicts");
    write_host_programs(&folder);
    let queue: Mutex<Vec<Unit>> = Mutex::new(
        cuda_files(&examples())
            .into_iter()
            .flat_map(|example| ["-O3", "-G"].map(|mode| Unit { example: example.clone(), mode }))
            .collect(),
    );
    let verdicts: Mutex<Vec<Verdict>> = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from).min(8);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let Some(unit) = queue.lock().unwrap().pop() else { break };
                    let found = judge(&unit, &folder);
                    verdicts.lock().unwrap().extend(found);
                }
            });
        }
    });

    let mut verdicts = verdicts.into_inner().unwrap();
    verdicts.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(verdicts.len(), cuda_files(&examples()).len() * 12, "one verdict for each build");
    for verdict in &verdicts {
        println!(
            "{:60} {}",
            verdict.name,
            if verdict.problems.is_empty() { "right" } else { "WRONG" }
        );
    }
    let wrong: Vec<String> = verdicts
        .iter()
        .filter(|verdict| !verdict.problems.is_empty())
        .map(|verdict| format!("{}:\n    {}", verdict.name, verdict.problems.join("\n    ")))
        .collect();
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), verdicts.len(), wrong.join("\n"));
}

/// The programs that use an example as a library; they know nothing of CUDA.
fn write_host_programs(folder: &Path) {
    for (name, text) in [("linked_main.cpp", LINKED_MAIN), ("dlopen_main.cpp", DLOPEN_MAIN)] {
        std::fs::write(folder.join(name), text).expect("a host program can be written");
    }
    host_compiler(
        &["-c", "-o", &text(&folder.join("linked_main.o"))],
        &[&folder.join("linked_main.cpp")],
    );
    host_compiler(
        &["-ldl", "-o", &text(&folder.join("dlopen_main"))],
        &[&folder.join("dlopen_main.cpp")],
    );
}

/// Builds and runs a unit in all its variants.
fn judge(unit: &Unit, folder: &Path) -> Vec<Verdict> {
    let expected = expectation::of_file(&unit.example);
    let folder_of_unit = folder.join(format!("{}{}", stem(&unit.example), unit.mode));
    std::fs::create_dir_all(&folder_of_unit).expect("a folder can be made");
    let objects = caught(|| compile(unit, &folder_of_unit));
    let mut verdicts = Vec::new();
    for cudart in [Cudart::Shared, Cudart::Static] {
        for shape in [Shape::Executable, Shape::LinkedLibrary, Shape::OpenedLibrary] {
            let name = format!("{} {} {cudart:?} {shape:?}", stem(&unit.example), unit.mode);
            let problems = match &objects {
                Err(problem) => vec![problem.clone()],
                Ok(()) => {
                    let judged = caught(|| {
                        let command = link(cudart, shape, folder, &folder_of_unit);
                        problems_of_run(&command, &unit.example, &expected, &folder_of_unit)
                    });
                    judged.unwrap_or_else(|problem| vec![problem])
                }
            };
            verdicts.push(Verdict { name, problems });
        }
    }
    verdicts
}

/// The object with `main`, and the one for libraries.
fn compile(unit: &Unit, folder: &Path) {
    let common = ["-arch=sm_90", unit.mode, "-c", "-o"];
    let program = text(&folder.join("program.o"));
    nvcc(&[&common[..], &[&program]].concat(), &[&unit.example]);
    let library = text(&folder.join("library.o"));
    let flags = ["-Dmain=example_main", "-Xcompiler", "-fPIC"];
    nvcc(&[&common[..], &[&library], &flags].concat(), &[&unit.example]);
}

/// Links one variant and gives the command that runs it.
fn link(cudart: Cudart, shape: Shape, common: &Path, folder: &Path) -> Vec<String> {
    let program = folder.join(format!("{cudart:?}{shape:?}"));
    let library = folder.join(format!("lib{cudart:?}.so"));
    if !matches!(shape, Shape::Executable) && !library.exists() {
        let output = text(&library);
        nvcc(&[&["-shared", "-o", &output], cudart.flags()].concat(), &[&folder.join("library.o")]);
    }
    match shape {
        Shape::Executable => {
            let output = text(&program);
            nvcc(&[&["-o", &output], cudart.flags()].concat(), &[&folder.join("program.o")]);
            vec![output]
        }
        Shape::LinkedLibrary => {
            let flags =
                ["-Wl,--allow-shlib-undefined", "-Wl,-rpath,$ORIGIN", "-o", &text(&program)];
            host_compiler(&flags, &[&common.join("linked_main.o"), &library]);
            vec![text(&program)]
        }
        Shape::OpenedLibrary => vec![text(&common.join("dlopen_main")), text(&library)],
    }
}

/// What is wrong with the verdict on this command; nothing where it is right.
fn problems_of_run(
    command: &[String],
    example: &Path,
    expected: &[Expectation],
    folder: &Path,
) -> Vec<String> {
    let report = folder.join("report.json");
    let _ = std::fs::remove_file(&report);
    let mut flags = vec!["run", "--format", "json", "--output"];
    let report_name = text(&report);
    flags.extend([report_name.as_str(), "--"]);
    let ended = run(warpsan(flags).args(command));
    judge_end(&ended.status.code(), &ended.stderr, &report, example, expected)
}

/// Compares the exit code and the report with what the file expects.
pub(crate) fn judge_end(
    code: &Option<i32>,
    stderr: &str,
    report: &Path,
    file: &Path,
    expected: &[Expectation],
) -> Vec<String> {
    let right_code = if expected.is_empty() { 0 } else { 1 };
    let mut problems = Vec::new();
    if *code != Some(right_code) {
        problems.push(format!("exit code {code:?} instead of {right_code}; stderr:\n{stderr}"));
    }
    if report.exists() {
        problems.extend(Report::read(report).differences(file, expected));
    } else {
        problems.push("there is no report".to_owned());
    }
    problems
}

#[test]
fn every_file_of_kernels() {
    let folder = fresh_folder("kernels");
    let mut problems = Vec::new();
    for file in cuda_files(&examples().join("kernels")) {
        crate::support::build::need_compiler();
        let report = folder.join(format!("{}.json", stem(&file)));
        let ended = run(warpsan(["check", "--format", "json", "--output"]).arg(&report).arg(&file));
        let expected = expectation::of_file(&file);
        let found = judge_end(&ended.status.code(), &ended.stderr, &report, &file, &expected);
        problems.extend(found.iter().map(|problem| format!("{}: {problem}", stem(&file))));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_source_file_runs_at_once_and_its_race_is_shown_with_both_lines() {
    crate::support::build::need_compiler();
    let file = examples().join("missing_sync.cu");
    let ended = run(warpsan(["run"]).arg(&file));
    ended.expect_code(1);
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "added up 1024 numbers in 4 blocks\n");
    for expectation in expectation::of_file(&file) {
        let (one, other) = expectation.lines;
        let lines = [format!("missing_sync.cu:{one}"), format!("missing_sync.cu:{other}")];
        ended.expect_stderr(&[&expectation.kind, &lines[0], &lines[1]]);
    }
}

#[test]
fn a_ptx_file_is_checked_as_its_source_is() {
    let folder = fresh_folder("ptx");
    let source = examples().join("kernels/reverse_racy.cu");
    let ptx = folder.join("reverse_racy.ptx");
    nvcc(&["-arch=sm_90", "-ptx", "-o", &text(&ptx)], &[&source]);
    let code = std::fs::read_to_string(&ptx).expect("nvcc has written the file");
    let launch = "//@ launch: reverse<<<2, 128>>>(numbers: f32[256] = iota)";
    std::fs::write(&ptx, format!("{launch}\n{code}")).expect("the file can be written");
    let report = folder.join("report.json");
    let ended = run(warpsan(["check", "--format", "json", "--output"]).arg(&report).arg(&ptx));
    let expected = expectation::of_file(&source);
    let problems = judge_end(&ended.status.code(), &ended.stderr, &report, &source, &expected);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_detector_none_runs_everything_and_finds_nothing() {
    let file = examples().join("missing_sync.cu");
    crate::support::build::need_compiler();
    let report = fresh_folder("none").join("report.json");
    let flags = ["run", "--detector", "none", "--format", "json", "--output"];
    run(warpsan(flags).arg(&report).arg(&file)).expect_code(0);
    let report = Report::read(&report);
    assert!(report.races().is_empty(), "{}", report.text);
    assert_eq!(report.summary("detector"), "none");
    assert_eq!(report.summary("launches"), 1);
}

/// A panic of the building steps is a problem of one cell, not the end of the table.
fn caught<T>(step: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(step)).map_err(|panic| {
        panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
            .unwrap_or_else(|| "a panic without a message".to_owned())
    })
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
