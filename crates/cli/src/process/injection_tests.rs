//! Whether our cudart gets into programs, without a CUDA compiler: small C programs stand in for
//! what nvcc makes. Each asks for the version of its runtime, and ends with it as its exit code.
//! The stand-in of the genuine runtime refuses to answer.

use super::{CheckedProgram, RunOutcome, UncheckedObject, run};
use crate::process::unchecked::UncheckedReason;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use warpsan_runtime::Options;

/// What a statically linked cudart looks like from outside; `MARK` is a name that only one version
/// of cudart has.
const STATIC_CUDART: &str = r#"
    #define ENTRY_POINT __attribute__((aligned(16), noinline)) static
    ENTRY_POINT int cudaRuntimeGetVersion(int *version) { *version = 0; return 77; }
    ENTRY_POINT int MARK(void) { return 77; }
    ENTRY_POINT void **__cudaRegisterFatBinary(void *image) { return (void **)image; }
    __attribute__((section(".nv_fatbin"), used)) const char kernels[16] = "kernels";
    void *keep[] = { (void *)MARK, (void *)__cudaRegisterFatBinary };
"#;

/// A genuine shared cudart, as far as these programs use it.
const SHARED_CUDART: &str = "int cudaRuntimeGetVersion(int *version) { *version = 0; return 77; }";

/// Asks before `main`, as the start-up code of nvcc does.
const ASK: &str = r#"
    #ifdef SHARED
    int cudaRuntimeGetVersion(int *version);
    #endif
    static int answer = 1;
    __attribute__((constructor)) static void ask_early(void) {
        int version = 0;
        if (cudaRuntimeGetVersion(&version) == 0) answer = version / 1000;
    }
    int ask(void) { return answer; }
"#;

const MAIN: &str = "int ask(void); int main(void) { return ask(); }";

const MAIN_WITH_DLOPEN: &str = r#"
    #include <dlfcn.h>
    int main(int count, char **arguments) {
        void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : 0;
        int (*ask)(void) = library ? (int (*)(void))dlsym(library, "ask") : 0;
        return ask ? ask() : 2;
    }
"#;

const MARK_12: &str = "-DMARK=cudaGetDeviceProperties_v2";
const MARK_13: &str = "-DMARK=cudaLogsRegisterCallback";
const MARK_11: &str = "-DMARK=cudaBindTexture";

/// Where a test builds and runs.
struct TestFolder {
    folder: tempfile::TempDir,
}

impl TestFolder {
    fn new() -> TestFolder {
        TestFolder { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Compiles C source.
    fn compile(&self, output: &str, source: &[&str], flags: &[&str]) -> PathBuf {
        let file = self.path(&format!("{output}.c"));
        std::fs::write(&file, source.concat()).expect("a source file");
        let mut command = Command::new("cc");
        command.current_dir(self.folder.path()).args(["-fPIC", "-o", output]).arg(&file);
        // Libraries are found beside the program, by the tag that beats LD_LIBRARY_PATH.
        command.args(flags).args(["-Wl,-rpath,$ORIGIN", "-Wl,--disable-new-dtags", "-ldl"]);
        let compiled = command.output().expect("a C compiler");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        self.path(output)
    }

    /// The stand-in of a genuine shared cudart, with the symbol versions of the genuine one.
    fn compile_shared_cudart(&self, version: &str) -> String {
        let name = format!("libcudart.so.{version}");
        let script = self.path("versions");
        std::fs::write(&script, format!("{name} {{ global: cuda*; local: *; }};")).expect("a file");
        let soname = format!("-Wl,-soname,{name}");
        let script = format!("-Wl,--version-script={}", script.display());
        self.compile(&name, &[SHARED_CUDART], &["-shared", &soname, &script]);
        format!("-l:{name}")
    }

    fn run(&self, program: &Path, argument: Option<&Path>) -> RunOutcome {
        let arguments: Vec<OsString> = argument.map(|path| path.into()).into_iter().collect();
        let program = CheckedProgram {
            program: program.as_os_str(),
            arguments: &arguments,
            timeout: None,
            threads: None,
            again: "",
        };
        run(program, &Options::default(), Some(&self.path("cache"))).expect("the program runs")
    }

    /// The version that a program finds.
    fn version(&self, program: &Path, argument: Option<&Path>) -> Option<i32> {
        let outcome = self.run(program, argument);
        assert!(outcome.unchecked.is_empty(), "{:?}", outcome.unchecked);
        outcome.status.code()
    }
}

#[test]
fn without_warpsan_the_stand_ins_do_not_answer() {
    let place = TestFolder::new();
    let program = place.compile("program", &[STATIC_CUDART, ASK, MAIN], &[MARK_13]);
    let alone = Command::new(program).status().expect("the program runs");
    assert_eq!(alone.code(), Some(1));
}

#[test]
fn a_static_cudart_is_redirected_in_a_program() {
    let place = TestFolder::new();
    for (version, mark) in [(12, MARK_12), (13, MARK_13)] {
        let program = place.compile("program", &[STATIC_CUDART, ASK, MAIN], &[mark]);
        assert_eq!(place.version(&program, None), Some(version));
        let fixed = place.compile("fixed", &[STATIC_CUDART, ASK, MAIN], &[mark, "-no-pie"]);
        assert_eq!(place.version(&fixed, None), Some(version), "at a fixed address");
    }
}

#[test]
fn a_static_cudart_is_redirected_in_a_linked_library() {
    let place = TestFolder::new();
    for (version, mark) in [(12, MARK_12), (13, MARK_13)] {
        place.compile("libkernels.so", &[STATIC_CUDART, ASK], &["-shared", mark]);
        let program = place.compile("program", &[MAIN], &["-L.", "-lkernels"]);
        assert_eq!(place.version(&program, None), Some(version));
    }
}

#[test]
fn a_static_cudart_is_redirected_in_a_library_that_is_opened_later() {
    let place = TestFolder::new();
    let program = place.compile("program", &[MAIN_WITH_DLOPEN], &[]);
    for (version, mark) in [(12, MARK_12), (13, MARK_13)] {
        let library = place.compile("libkernels.so", &[STATIC_CUDART, ASK], &["-shared", mark]);
        assert_eq!(place.version(&program, Some(&library)), Some(version));
    }
}

#[test]
fn a_shared_cudart_gives_way_to_ours() {
    let place = TestFolder::new();
    let opener = place.compile("opener", &[MAIN_WITH_DLOPEN], &[]);
    for version in [12, 13] {
        let cudart = place.compile_shared_cudart(&version.to_string());
        let flags = ["-DSHARED", "-L.", &cudart];
        let program = place.compile("program", &[ASK, MAIN], &flags);
        assert_eq!(place.version(&program, None), Some(version), "a program");
        let flags = ["-shared", "-DSHARED", "-L.", &cudart];
        let library = place.compile("libkernels.so", &[ASK], &flags);
        let program = place.compile("linked", &[MAIN], &["-L.", "-lkernels"]);
        assert_eq!(place.version(&program, None), Some(version), "a linked library");
        assert_eq!(place.version(&opener, Some(&library)), Some(version), "one opened later");
    }
}

#[test]
fn a_shared_cudart_that_is_opened_by_its_path_gives_way_to_ours() {
    let place = TestFolder::new();
    let source = r#"
        #include <dlfcn.h>
        int main(int count, char **arguments) {
            void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : 0;
            int (*ask)(int *) = library ? (int (*)(int *))dlsym(library, "cudaRuntimeGetVersion") : 0;
            int version = 0;
            return ask && ask(&version) == 0 ? version / 1000 : 2;
        }
    "#;
    let program = place.compile("program", &[source], &[]);
    for version in [12, 13] {
        place.compile_shared_cudart(&version.to_string());
        let cudart = place.path(&format!("libcudart.so.{version}"));
        assert_eq!(place.version(&program, Some(&cudart)), Some(version));
    }
}

#[test]
fn what_cannot_be_redirected_is_named() {
    let place = TestFolder::new();
    let check = |flags: &[&str], reason: UncheckedReason| {
        let program = place.compile("program", &[STATIC_CUDART, ASK, MAIN], flags);
        let outcome = place.run(&program, None);
        assert_eq!(outcome.status.code(), Some(1), "the program ran as it is");
        let path = program.canonicalize().expect("a path");
        assert_eq!(outcome.unchecked, [UncheckedObject { path, reason }]);
    };
    check(&[MARK_13, "-s"], UncheckedReason::Stripped);
    check(&[MARK_11], UncheckedReason::UnknownVersion);
}
