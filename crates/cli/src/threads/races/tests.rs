use super::*;
use std::path::Path;
use std::process::Command;
use warpsan_report::{Report, Summary, render_text};
use warpsan_thread_report::StackFrame;

fn frame(offset: u64) -> StackFrame {
    StackFrame { module: "/no/such/app".to_string(), offset }
}

fn side(access: SideAccess, thread: u32, offset: u64) -> Side {
    Side {
        access,
        span: Some((0x1008, 4)),
        thread,
        stack: Some(vec![frame(offset), frame(0x900)]),
        function: None,
        locks: Vec::new(),
        locks_lost: false,
    }
}

fn thread_of(number: u32, offset: u64) -> Thread {
    Thread {
        number,
        name: None,
        started_by: Some(0),
        started_at: Some(vec![frame(offset)]),
        ended: false,
    }
}

/// Two threads on the heap, in a program that is not there any more.
pub(crate) fn record() -> RaceRecord {
    RaceRecord {
        number: 3,
        first: side(SideAccess::Write, 1, 0x100),
        second: side(SideAccess::Read, 2, 0x200),
        address: 0x1008,
        bytes: 4,
        memory: Memory::Heap {
            start: 0x1000,
            bytes: 40,
            freed: false,
            thread: Some(0),
            stack: Some(vec![frame(0x300)]),
        },
        threads: vec![thread_of(1, 0x400), thread_of(2, 0x500)],
    }
}

fn made(record: &RaceRecord) -> Race {
    race(record, 2, &mut Symbols::default())
}

#[test]
fn a_record_without_any_file_still_says_all_that_is_known() {
    let race = made(&record());
    assert_eq!((race.kind, race.count, race.severity), (RaceKind::DataRace, 2, Severity::Error));
    assert_eq!((&race.first.position, race.first.bytes), (&None, 4));
    assert_eq!(&*race.first.frames[0].function, "app+0x100");
    assert_eq!(race.kernel, "app+0x200");
    let block = race.location.allocation.as_ref().expect("a block");
    assert_eq!((block.offset, block.bytes), (8, 40));
    assert_eq!(race.related.len(), 3, "two threads and the allocation");
    let mut report = Report::new(Summary::default());
    report.add_races([race]);
    let text = render_text(&report, false);
    for part in ["app+0x100", "thread 2", "by the main thread", "byte 8 of a block of 40 bytes"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!text.contains("PTX") && !text.contains("to see it again"), "{text}");
}

#[test]
fn a_free_makes_it_a_use_after_free() {
    for swapped in [false, true] {
        let mut freed = record();
        freed.second.access = SideAccess::Free;
        if swapped {
            std::mem::swap(&mut freed.first, &mut freed.second);
        }
        let race = made(&freed);
        assert_eq!(race.kind, RaceKind::UseAfterFree);
        assert!(race.advice.contains("join"), "{}", race.advice);
    }
}

#[test]
fn advice_fits_what_the_sides_do() {
    let lock = Lock { address: 1, exclusive: true, stack: None };
    let mut one_lock = record();
    one_lock.first.locks.push(lock.clone());
    assert!(made(&one_lock).advice.contains("the lock that one of them holds"));
    let mut two_locks = one_lock.clone();
    two_locks.second.locks.push(Lock { address: 2, ..lock });
    assert!(made(&two_locks).advice.contains("the same lock"));
    let mut atomic = record();
    atomic.first.access = SideAccess::AtomicWrite;
    assert!(made(&atomic).advice.contains("atomic, too"));
    let mut object = record();
    object.first.access = SideAccess::VptrWrite;
    assert!(made(&object).advice.contains("destructor"));
}

#[test]
fn a_lost_stack_is_said_to_be_lost() {
    let mut lost = record();
    lost.first.stack = None;
    lost.first.span = None;
    let race = made(&lost);
    assert!(race.threads.as_ref().expect("threads").first.stack_lost);
    let mut report = Report::new(Summary::default());
    report.add_races([race]);
    let text = render_text(&report, false);
    assert!(text.contains("--history") && text.contains("was lost"), "{text}");
}

const SOURCE: &str = "int counters[4];
static inline __attribute__((always_inline)) void add(int *place) {
    *place += 1;
}
void worker(void) {
    add(&counters[2]);
}
int main(void) {
    worker();
    return 0;
}
";

/// The address of a symbol as the file counts.
fn address(program: &Path, name: &str) -> u64 {
    use object::{Object, ObjectSymbol};
    let bytes = std::fs::read(program).expect("a file");
    let file = object::File::parse(&*bytes).expect("an ELF file");
    let symbol = file.symbols().find(|symbol| symbol.name() == Ok(name)).expect("a symbol");
    symbol.address()
}

fn compiled(folder: &Path, flags: &[&str]) -> std::path::PathBuf {
    std::fs::write(folder.join("counters.c"), SOURCE).expect("a file");
    let compiled = Command::new("cc")
        .current_dir(folder)
        .args(["-o", "counters", "counters.c", "-O1"])
        .args(flags)
        .output()
        .expect("a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    folder.join("counters")
}

/// Both sides at the start of `worker`, which is the code of `add`.
fn record_of(program: &Path) -> RaceRecord {
    let module = program.to_string_lossy().into_owned();
    let worker = StackFrame { module: module.clone(), offset: address(program, "worker") };
    let mut record = record();
    for side in [&mut record.first, &mut record.second] {
        side.stack = Some(vec![worker.clone()]);
    }
    let offset = address(program, "counters") + 8;
    record.memory = Memory::Global { module, offset };
    record
}

#[test]
fn lines_functions_and_variables_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = compiled(folder.path(), &["-g"]);
    let race = made(&record_of(&program));
    let position = race.second.position.as_ref().expect("a line");
    assert!(position.file.ends_with("counters.c"), "{position}");
    assert_eq!(&*race.second.frames.last().expect("a frame").function, "worker");
    let variable = race.location.allocation.as_ref().expect("a variable");
    assert_eq!((variable.label.as_str(), variable.bytes, variable.offset), ("counters", 16, 8));
    assert_eq!(race.element().expect("an element").index, 2);
}

#[test]
fn without_debug_information_the_symbol_table_names_functions() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = compiled(folder.path(), &[]);
    let race = made(&record_of(&program));
    assert_eq!((race.kernel.as_str(), &race.second.position), ("worker", &None));
    let place = &race.second.frames[0].function;
    assert!(place.starts_with("worker (counters+0x"), "{place}");
}
