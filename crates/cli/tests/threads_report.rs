//! The report of a run whose processes wrote about their threads: the log is made here, and `warpsan report` reads it.

use object::{Object, ObjectSymbol};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use warpsan_evidence::{LogKeeper, StreamKind};
use warpsan_runtime::{Options, begin_run};
use warpsan_thread_report::{
    End, Lock, Memory, RaceCount, RaceRecord, Record, Side, SideAccess, StackFrame, Start, Thread,
    encode,
};

const SOURCE: &str = "\
struct account { long balance; long owner; };
struct account accounts[2];
void deposit(void) {
    accounts[1].balance = 1;
}
void withdraw(void) {
    accounts[1].balance = 2;
}
int main(void) {
    deposit();
    withdraw();
    return 0;
}
";

fn program(folder: &Path) -> PathBuf {
    std::fs::write(folder.join("bank.c"), SOURCE).expect("a file");
    let compiled = Command::new("cc")
        .current_dir(folder)
        .args(["-g", "-O0", "-o", "bank", "bank.c"])
        .output()
        .expect("a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    folder.join("bank")
}

struct Bank {
    file: PathBuf,
    bytes: Vec<u8>,
}

impl Bank {
    fn address(&self, name: &str) -> u64 {
        let file = object::File::parse(&*self.bytes).expect("an ELF file");
        file.symbols().find(|symbol| symbol.name() == Ok(name)).expect("a symbol").address()
    }

    fn frame(&self, function: &str, distance: u64) -> StackFrame {
        let offset = self.address(function) + distance;
        StackFrame { module: self.file.display().to_string(), offset }
    }

    fn side(&self, function: &str, thread: u32) -> Side {
        Side {
            access: SideAccess::Write,
            span: Some((0x5010, 8)),
            thread,
            // Behind the start of the function, where its first line is.
            stack: Some(vec![self.frame(function, 5), self.frame("main", 5)]),
            function: None,
            locks: Vec::new(),
            locks_lost: false,
        }
    }

    fn race(&self) -> RaceRecord {
        let mut first = self.side("deposit", 1);
        let stack = Some(vec![self.frame("deposit", 5)]);
        first.locks.push(Lock { address: 0x7000, exclusive: true, stack });
        let module = self.file.display().to_string();
        RaceRecord {
            number: 0,
            first,
            second: self.side("withdraw", 0),
            address: 0x5010,
            bytes: 8,
            memory: Memory::Global { module, offset: self.address("accounts") + 16 },
            threads: vec![Thread {
                number: 1,
                name: Some("teller".to_string()),
                started_by: Some(0),
                started_at: Some(vec![self.frame("main", 5)]),
                ended: true,
            }],
        }
    }
}

/// The report of a log with these records behind the first.
fn report(folder: &Path, records: &[Record], flags: &[&str]) -> Output {
    let log = folder.join("log");
    let keeper = LogKeeper::create(&log).expect("a log");
    begin_run(keeper.log(), &Options::default(), "warpsan run -- ./bank".to_string());
    let start = Record::Start(Start {
        process: 1,
        fork_of: None,
        detector: "slimfast".to_string(),
        program: "bank".to_string(),
    });
    let mut stream = keeper.log().stream(StreamKind::Threads);
    for record in std::iter::once(&start).chain(records) {
        stream.append(&encode(record).expect("a record")).expect("room");
    }
    let ended = Command::new(env!("CARGO_BIN_EXE_warpsan"))
        .current_dir(folder)
        .arg("report")
        .args(flags)
        .arg(&log)
        .output()
        .expect("the command can be started");
    drop(keeper);
    ended
}

fn bank(folder: &Path) -> Bank {
    // As the debug information names it.
    let file = program(folder);
    Bank { bytes: std::fs::read(&file).expect("a file"), file }
}

#[test]
fn a_race_among_threads_is_reported_with_lines_stacks_locks_and_the_variable() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().canonicalize().expect("a folder");
    let race = bank(&path).race();
    let counts = Record::Counts(vec![RaceCount { number: 0, count: 12 }]);
    let end = Record::End(End { threads: 2, statistics: Vec::new() });
    let ended = report(&path, &[Record::Race(Box::new(race)), counts, end], &[]);
    let text = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.code(), Some(1), "{text}");
    for part in [
        "error[data-race]: data race on `accounts`, between the main thread and thread 1 `teller`",
        "--> bank.c:7:",
        "accounts[1].balance = 2;",
        "::: bank.c:4:",
        "first access: write of 8 bytes by thread 1 `teller`",
        "#0 withdraw at bank.c:7:",
        "#1 main at bank.c:",
        "thread 1 `teller` was started here, by the main thread",
        "both access `accounts` + 16 bytes, a variable of bank: element 2 of 8 bytes",
        "no lock in common: the first access is under the lock 0x7000, taken at bank.c:4:",
        "seen 12 times; the command was: warpsan run -- ./bank",
        "checked: 2 threads of 1 process",
        "detector slimfast, for threads",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn the_other_forms_have_it_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let bank = bank(folder.path());
    for (format, part) in [
        ("json", "\"stack_lost\": false"),
        ("sarif", "\"ruleId\": \"data-race\""),
        ("junit", "type=\"data-race\""),
        ("github", ",line=7,"),
    ] {
        let race = Record::Race(Box::new(bank.race()));
        // A new log for each.
        let own = folder.path().join(format);
        std::fs::create_dir(&own).expect("a folder");
        let output = own.join("out");
        let flags = ["--format", format, "--output", &output.display().to_string()];
        let ended = report(&own, &[race], &flags);
        assert_eq!(ended.status.code(), Some(1), "{}", String::from_utf8_lossy(&ended.stderr));
        let text = std::fs::read_to_string(&output).expect("a report");
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn suppressions_fit_functions_of_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let race = Record::Race(Box::new(bank(folder.path()).race()));
    let known = folder.path().join("known.supp");
    std::fs::write(&known, "race: function:deposit kind:data-race\n").expect("a file");
    let ended = report(folder.path(), &[race], &["--suppressions", &known.display().to_string()]);
    let text = String::from_utf8_lossy(&ended.stdout);
    assert_eq!(ended.status.code(), Some(3), "nobody saw the end of the run\n{text}");
    assert!(text.contains("1 race was suppressed"), "{text}");
}
