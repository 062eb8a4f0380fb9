//! Races and reports that the tests of this crate render.

use crate::{
    AccessOrder, AccessOrigin, AccessReport, AccessType, AllocationReport, LockReport,
    MemoryLocation, NamedReport, NotCovered, Outcome, Race, RaceKind, RelatedSite, Replay, Report,
    Severity, Statistic, Summary, Suppressions, ThreadMemory, ThreadRace, ThreadReport, ThreadSide,
    ThreadStatistic, ThreadSummary, UnreadableSource,
};
use warpsan_model::{DeviceAddress, Dim3, SourceFrame, SourcePosition, Space};

pub(crate) fn position(file: &str, line: u32) -> SourcePosition {
    SourcePosition { file: file.into(), line, column: 5 }
}

pub(crate) fn frame(function: &str, file: &str, line: u32) -> SourceFrame {
    SourceFrame { function: function.into(), position: Some(position(file, line)) }
}

pub(crate) fn access(line: u32, text: &str, access: AccessType, thread: u32) -> AccessReport {
    AccessReport {
        access,
        strength: "weak".into(),
        position: Some(position("sum.cu", line)),
        source_line: Some(text.into()),
        frames: vec![frame("sum", "sum.cu", line)],
        origin: AccessOrigin::Kernel,
        instruction: "ld.shared.f32 %f1, [%r1]".into(),
        ptx_line: 40,
        thread: Dim3::new(thread, 0, 0),
        block: Dim3::new(2, 0, 0),
        warp: thread / 32,
        bytes: 4,
    }
}

/// The plainest race: two lines of one file, in shared memory.
pub(crate) fn race() -> Race {
    Race {
        kind: RaceKind::MissingSync,
        severity: Severity::Error,
        kernel: "sum".into(),
        first: access(12, "    tile[t] = in[i];", AccessType::Write, 70),
        second: access(14, "    total += tile[t + 64];  // add", AccessType::Read, 6),
        order: AccessOrder::FirstThenSecond,
        location: MemoryLocation {
            space: Some(Space::Shared),
            address: DeviceAddress(280),
            allocation: Some(AllocationReport { label: "tile".into(), bytes: 512, offset: 280 }),
        },
        reason: "no barrier comes between them".into(),
        advice: "put __syncthreads() between the two".into(),
        related: Vec::new(),
        same_value: false,
        programmatic: false,
        count: 3,
        also_seen: Vec::new(),
        replay: Replay { seed: 7, launch: 0 },
        threads: None,
    }
}

/// A hand-over whose fence has too narrow a scope, between two functions that were inlined.
pub(crate) fn race_with_related_places() -> Race {
    let mut race = race();
    race.kind = RaceKind::Scope;
    race.kernel = "hand_over<unsigned int>".into();
    race.count = 10_000_000;
    race.replay = Replay { seed: 19, launch: 4 };
    race.reason = "the fence at line 31 has block scope; the reader is in another block".into();
    race.advice = "use __threadfence() in place of __threadfence_block()".into();
    race.first = access(30, "  *data = value;", AccessType::Write, 0);
    race.first.frames = vec![
        frame("store_through", "/opt/cuda/include/crt/wrapper.hpp", 8),
        frame("publish", "sum.cu", 30),
        frame("step", "sum.cu", 50),
        frame("hand_over<unsigned int>", "sum.cu", 61),
    ];
    race.second = access(44, "  return *data;", AccessType::Read, 0);
    race.second.block = Dim3::new(3, 1, 0);
    race.second.strength = "volatile".into();
    race.second.frames =
        vec![frame("take", "sum.cu", 44), frame("hand_over<unsigned int>", "sum.cu", 63)];
    race.location = MemoryLocation {
        space: Some(Space::Global),
        address: DeviceAddress(0x7000_0010),
        allocation: Some(AllocationReport { label: "in".into(), bytes: 4096, offset: 12 }),
    };
    race.related = vec![
        RelatedSite {
            message: "this fence has block scope".into(),
            position: Some(position("sum.cu", 31)),
            source_line: Some("  __threadfence_block();".into()),
            instruction: "fence.acq_rel.cta".into(),
            ptx_line: 90,
        },
        RelatedSite {
            message: "the flag is written here".into(),
            position: None,
            source_line: None,
            instruction: "st.relaxed.gpu.u32 [%rd4], 1".into(),
            ptx_line: 91,
        },
    ];
    race
}

/// Other lines of the same kernel, array and fault as the plainest race, and of the next pass of a loop. They were also
/// seen as another kind.
pub(crate) fn race_of_the_same_cause() -> Vec<Race> {
    let mut race = race();
    race.first = access(22, "    tile[t] = total;", AccessType::Write, 3);
    race.second = access(20, "    total += tile[t + 1];", AccessType::Read, 2);
    race.order = AccessOrder::NextPass;
    let mut harmless = race.clone();
    (harmless.kind, harmless.severity, harmless.count) = (RaceKind::Volatile, Severity::Warning, 2);
    harmless.advice = "use cuda::atomic_ref".into();
    vec![race, harmless]
}

/// One call of cooperative groups, which alone could order the two.
pub(crate) fn race_within_a_header() -> Race {
    let mut race = race();
    for access in [&mut race.first, &mut race.second] {
        let header = "/usr/local/cuda/include/cooperative_groups/details/reduce.h";
        access.position = Some(position("sum.cu", 70));
        access.source_line =
            Some("    total = groups::reduce(tile, total, groups::plus<int>());".into());
        access.frames = vec![frame("reduce", header, 291), frame("sum", "sum.cu", 70)];
        access.warp = 0;
    }
    race
}

/// A line with characters of other scripts, in a file whose name has them too.
pub(crate) fn race_in_unicode() -> Race {
    let mut race = race();
    race.severity = Severity::Warning;
    race.kind = RaceKind::WarpSync;
    race.kernel = "größe".into();
    for access in [&mut race.first, &mut race.second] {
        access.position = Some(position("quellen/größe, 50%.cu", 3));
        access.source_line = Some("    /* 变量 */ größe[t] = \"é😀\";  // Länge".into());
        access.frames.clear();
    }
    race
}

/// A race whose lines are not known, and another one whose file is not there.
pub(crate) fn race_without_lines() -> Race {
    let mut race = race();
    race.first.position = None;
    race.first.source_line = None;
    race.first.frames.clear();
    race.second.source_line = None;
    race.location.allocation = None;
    race.location.space = Some(Space::Global);
    race.same_value = true;
    race.count = 1;
    race
}

/// A barrier that not all threads reach.
pub(crate) fn barrier() -> Race {
    let mut race = race();
    race.kind = RaceKind::BarrierDivergence;
    for access in [&mut race.first, &mut race.second] {
        access.access = AccessType::Barrier;
        access.strength = "waits at the barrier".into();
        access.bytes = 0;
    }
    race.order = AccessOrder::Unknown;
    race.location = MemoryLocation::NONE;
    race
}

/// One access that is in other memory than it was meant for.
pub(crate) fn out_of_bounds() -> Race {
    let mut race = race();
    race.kind = RaceKind::OutOfBounds;
    race.first = race.second.clone();
    race.location.space = Some(Space::Global);
    race.location.allocation =
        Some(AllocationReport { label: "allocation 1 of 400 bytes".into(), bytes: 400, offset: 8 });
    race.reason = "it is 120 bytes behind the end of that memory".into();
    race.advice = "compare the index with the number of elements".into();
    race
}

pub(crate) fn report(races: Vec<Race>) -> Report {
    let mut report = Report::new(Summary {
        detector: "hb".into(),
        engine: "cpu".into(),
        seed: 7,
        processes: 1,
        launches: 2,
        kernels: vec!["sum".into()],
        accesses: 1000,
        ..Summary::default()
    });
    report.replay_commands =
        [7, 19].map(|seed| (seed, format!("warpsan run --seed {seed} -- ./sum"))).into();
    report.add_races(races);
    report
}

/// Everything that a report can have.
pub(crate) fn full_report() -> Report {
    let mut harmless = race();
    harmless.kind = RaceKind::SameValue;
    harmless.severity = Severity::Info;
    harmless.kernel = "looked_at".into();
    let mut report = report(vec![
        race(),
        race_with_related_places(),
        race_in_unicode(),
        race_without_lines(),
        barrier(),
        out_of_bounds(),
        harmless,
        race_within_a_header(),
    ]);
    report.add_races(race_of_the_same_cause());
    report.not_covered.push(not_covered());
    let summary = &mut report.summary;
    summary.seeds = vec![7, 8, 9, 10, 19];
    summary.kernels = ["sum", "größe", "idle", "looked_at"].map(String::from).to_vec();
    summary.without_line_information = vec!["sum".into()];
    summary.unreadable_sources.push(UnreadableSource {
        file: "sum.cu".into(),
        reason: "the file cannot be read: No such file or directory (os error 2)".into(),
    });
    summary.statistics = vec![
        Statistic { name: "read of the same epoch".into(), value: 10_000_000 },
        Statistic { name: "größte Uhr".into(), value: 3 },
    ];
    summary.program = Some("the program ended with code 7".into());
    report.sort();
    suppressions().apply(&mut report);
    report.hide_library_code();
    report
}

pub(crate) fn suppressions() -> Suppressions {
    let text = "# looked at\nrace: kind:same-value kernel:looked_*\n\nrace: file:gone.cu line:3\n";
    Suppressions::parse("known.supp", text).expect("suppressions")
}

pub(crate) fn not_covered() -> NotCovered {
    NotCovered {
        what: "the instruction tex.2d".into(),
        place: "kernel `sum`, sum.cu:9".into(),
        advice: "its results are not checked".into(),
    }
}

pub(crate) fn named(name: &str, report: Report) -> NamedReport {
    NamedReport { name: name.into(), outcome: Outcome::Report(Box::new(report)) }
}

/// A side of a race among threads.
fn thread_access(line: u32, text: &str, access: AccessType) -> AccessReport {
    let frames = vec![
        frame("std::atomic<int>::store", "/usr/include/c++/14/atomic", 400),
        frame("Queue::push", "queue.cpp", line),
        frame("worker", "main.cpp", 30),
        SourceFrame { function: "start_thread (libc.so.6+0x8923c)".into(), position: None },
    ];
    AccessReport {
        access,
        strength: "plain".into(),
        position: Some(position("queue.cpp", line)),
        source_line: Some(text.into()),
        frames,
        origin: AccessOrigin::Thread,
        instruction: AccessOrigin::THREAD.into(),
        ptx_line: 0,
        thread: Dim3::new(0, 0, 0),
        block: Dim3::new(0, 0, 0),
        warp: 0,
        bytes: 8,
    }
}

fn thread_side(thread: u32, locks: Vec<LockReport>) -> ThreadSide {
    ThreadSide { thread, function: None, locks, locks_lost: false, stack_lost: false }
}

/// Two threads on the heap, one of them under a lock.
pub(crate) fn race_of_threads() -> Race {
    let lock = LockReport {
        address: 0x5580,
        exclusive: true,
        stack: vec![frame("Queue::push", "queue.cpp", 17)],
    };
    let started_at = vec![frame("main", "main.cpp", 41)];
    let thread = |number, name: Option<&str>, started_at| ThreadReport {
        number,
        name: name.map(String::from),
        started_by: (number > 0).then_some(0),
        started_at,
        ended: false,
    };
    let memory = ThreadMemory::Heap {
        bytes: 40,
        freed: false,
        thread: Some(0),
        stack: vec![frame("main", "main.cpp", 38)],
    };
    Race {
        kind: RaceKind::DataRace,
        kernel: "Queue::push".into(),
        first: thread_access(18, "    head = node;", AccessType::Write),
        second: thread_access(24, "    return head == nullptr;", AccessType::Read),
        location: MemoryLocation {
            space: None,
            address: DeviceAddress(0x7000_0008),
            allocation: Some(AllocationReport {
                label: "block of 40 bytes allocated at main.cpp:38".into(),
                bytes: 40,
                offset: 8,
            }),
        },
        reason: "nothing orders the two threads between these accesses".into(),
        advice: "hold the same lock on both sides".into(),
        related: vec![RelatedSite {
            message: "thread 1 `worker` was started here, by the main thread".into(),
            position: Some(position("main.cpp", 41)),
            source_line: Some("    std::thread first(worker);".into()),
            instruction: "main".into(),
            ptx_line: 0,
        }],
        replay: Replay::NONE,
        threads: Some(Box::new(ThreadRace {
            first: thread_side(1, vec![lock]),
            second: thread_side(2, Vec::new()),
            memory,
            threads: vec![
                thread(0, None, Vec::new()),
                thread(1, Some("worker"), started_at.clone()),
                thread(2, None, started_at),
            ],
        })),
        ..race()
    }
}

/// A free, and an access whose place is no longer known.
pub(crate) fn use_after_free() -> Race {
    let mut race = race_of_threads();
    race.kind = RaceKind::UseAfterFree;
    race.first.position = None;
    race.first.source_line = None;
    race.first.frames.clear();
    race.first.bytes = 0;
    race.second.access = AccessType::Free;
    race.second.position = Some(position("queue.cpp", 50));
    race.second.source_line = Some("    delete head;".into());
    race.second.frames = vec![frame("Queue::~Queue", "queue.cpp", 50)];
    race.count = 1;
    race.kernel = "Queue::~Queue".into();
    race.advice = "join the other thread before the memory is freed".into();
    race.related.clear();
    if let Some(threads) = &mut race.threads {
        threads.first =
            ThreadSide { stack_lost: true, locks_lost: true, ..thread_side(1, Vec::new()) };
        threads.second = ThreadSide { function: Some("free".into()), ..thread_side(0, Vec::new()) };
        threads.memory =
            ThreadMemory::Heap { bytes: 40, freed: true, thread: Some(0), stack: Vec::new() };
    }
    race
}

/// A program without kernels, whose code has lines in one place only.
pub(crate) fn report_of_threads() -> Report {
    let mut stripped = race_of_threads();
    for access in [&mut stripped.first, &mut stripped.second] {
        access.position = None;
        access.source_line = None;
        access.frames =
            vec![SourceFrame { function: "spin (libspin.so+0x1139)".into(), position: None }];
    }
    stripped.second.strength = "atomic".into();
    stripped.kernel = "spin".into();
    stripped.related.clear();
    stripped.location.allocation =
        Some(AllocationReport { label: "counters".into(), bytes: 64, offset: 16 });
    if let Some(threads) = &mut stripped.threads {
        threads.memory = ThreadMemory::Global { module: "/opt/lib/libspin.so".into() };
        threads.first.locks.clear();
    }
    let mut report = Report::new(Summary {
        detector: "hb".into(),
        engine: "cpu".into(),
        seed: 1,
        threads: Some(ThreadSummary {
            detector: "slimfast".into(),
            processes: 1,
            threads: 3,
            without_line_information: vec!["libspin.so".into()],
            statistics: vec![ThreadStatistic { name: "accesses".into(), value: 123_456.into() }],
            ..ThreadSummary::default()
        }),
        ..Summary::default()
    });
    report.thread_command = Some("warpsan run --detector slimfast -- ./queue".into());
    report.add_races(vec![race_of_threads(), use_after_free(), stripped]);
    report.sort();
    report
}

/// Several files: one with everything, a clean one, and one that could not be checked.
pub(crate) fn several() -> Vec<NamedReport> {
    let mut clean = report(Vec::new());
    suppressions().apply(&mut clean);
    let failure = Outcome::Failure("it is neither a .cu nor a .ptx file".into());
    vec![
        named("sum.cu", full_report()),
        named("clean.cu", clean),
        NamedReport { name: "notes.txt".into(), outcome: failure },
    ]
}
