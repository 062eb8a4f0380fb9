//! Small kernels, run by LD: what it finds, what it leaves in memory, and what it refuses.

use warpsan_detect::ld::{AfterRace, Copies, LdSettings};
use warpsan_detect::{Settings, Statistic};
use warpsan_event::{Batch, EventSink};
use warpsan_ir::{ModuleIndex, SymbolTable};
use warpsan_ld::{Ld, Promise, Refusal, run_safely};
use warpsan_model::{DeviceAddress, Dim3, Geometry};
use warpsan_report::{NotCovered, Race, RaceKey, RaceKind, RaceSink};
use warpsan_simt::{AllocationKind, DeviceMemory, Launch, Outcome, Prepared, Schedule};

/// `%r1` is the thread's global number, `%r7` that in its block, `%r2` its warp, `%rd1` the memory, `%rd2` the thread's word there.
fn kernel(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n.shared .align 128 .b8 s[4096];\n\
         mov.u32 %r9, %ctaid.x;\nmov.u32 %r8, %ntid.x;\nmov.u32 %r7, %tid.x;\n\
         mad.lo.s32 %r1, %r9, %r8, %r7;\nshr.u32 %r2, %r7, 5;\nld.param.u64 %rd1, [p];\n\
         mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd2, %rd1, %rd3;\n\
         shl.b32 %r10, %r7, 2;\nmov.u32 %r11, s;\nadd.u32 %r12, %r11, %r10;\n{body}\nret;\n}}\n"
    )
}

struct Machine {
    kernel: Prepared,
    memory: DeviceMemory,
    data: DeviceAddress,
    words: usize,
}

#[derive(Default)]
struct Races {
    races: Vec<Race>,
    not_covered: Vec<NotCovered>,
}

impl RaceSink for Races {
    fn race(&mut self, race: Race) {
        self.races.push(race);
    }

    fn seen_again(&mut self, _: &RaceKey, _: u64) {}

    fn not_checked(&mut self, missing: NotCovered) {
        self.not_covered.push(missing);
    }
}

/// What came of a launch.
struct Done {
    found: Races,
    statistics: Vec<Statistic>,
    outcome: Outcome,
    words: Vec<u32>,
}

impl Done {
    /// The pattern of each race, and between whom.
    fn patterns(&self) -> Vec<&str> {
        self.found
            .races
            .iter()
            .map(|race| match &race.reason {
                reason if reason.contains("write-write race of warps") => "ww warps",
                reason if reason.contains("read-write race of warps") => "rw warps",
                reason if reason.contains("write-write race of blocks") => "ww blocks",
                reason if reason.contains("read-write race of blocks") => "rw blocks",
                reason if reason.contains("by one instruction") => "lanes",
                reason => panic!("{reason}"),
            })
            .collect()
    }

    fn statistic(&self, name: &str) -> u64 {
        self.statistics.iter().find(|one| one.name == name).expect("it is counted").value
    }
}

impl Machine {
    fn new(body: &str, words: usize) -> Machine {
        let document = warpsan_ptx::Document::parse(kernel(body));
        assert_eq!(document.errors(), [], "{body}");
        let lowered = warpsan_ir::kernel(&ModuleIndex::of(&document), &SymbolTable::new(), "k");
        let kernel = Prepared::new(lowered.expect("a kernel")).expect("it can run");
        let memory = DeviceMemory::reserve().expect("memory");
        let data = memory.allocate(words as u64 * 4, AllocationKind::Device).expect("room");
        Machine { kernel, memory, data, words }
    }

    fn words(&self) -> Vec<u32> {
        let mut bytes = vec![0; self.words * 4];
        self.memory.read(self.data, &mut bytes).expect("inside");
        bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect()
    }

    fn launch<T>(
        &self,
        (blocks, threads): (u32, u32),
        (seed, jobs): (u64, usize),
        then: impl FnOnce(&Launch<'_>) -> T,
    ) -> T {
        self.memory.fill(self.data, 0, self.words as u64 * 4).expect("inside");
        let parameters = self.data.0.to_le_bytes();
        let geometry = Geometry { grid: Dim3::new(blocks, 1, 1), block: Dim3::new(threads, 1, 1) };
        let schedule = Schedule::random(seed);
        let mut launch = Launch::new(&self.kernel, geometry, &parameters, &schedule);
        launch.jobs = jobs;
        then(&launch)
    }

    fn check(&self, extents: (u32, u32), ld: LdSettings, (seed, jobs): (u64, usize)) -> Done {
        self.launch(extents, (seed, jobs), |launch| {
            let mut detector = Ld::new(Settings { ld, ..Settings::default() });
            let mut found = Races::default();
            assert!(!detector.refuses(launch, &self.memory, &mut found));
            let outcome = detector.run(launch, &self.memory, &mut found);
            Done { found, statistics: detector.statistics(), outcome, words: self.words() }
        })
    }

    /// Checked to its end, with every number of cores and some seeds: all say the same.
    fn everywhere(&self, extents: (u32, u32), ld: LdSettings) -> Done {
        let first = self.check(extents, ld, (1, 1));
        for (seed, jobs) in [(1, 2), (2, 1), (7, 2)] {
            let other = self.check(extents, ld, (seed, jobs));
            assert_eq!(other.patterns(), first.patterns(), "seed {seed}, {jobs} cores");
            // What a race leaves depends on the seed, and on nothing else.
            assert!(seed != 1 || other.words == first.words, "{jobs} cores");
        }
        assert!(first.outcome.result.is_ok());
        first
    }
}

const GO_ON: LdSettings = LdSettings {
    copies: Copies(None),
    memory: warpsan_detect::ld::MemoryLimit(None),
    after_race: AfterRace::GoOn,
    lanes: true,
    times: false,
};

fn with_copies(copies: u32) -> LdSettings {
    LdSettings { copies: Copies(Some(copies)), ..GO_ON }
}

#[test]
fn neighbours_behind_a_barrier_are_clean_and_without_it_they_race() {
    let body = |barrier: &str| {
        format!(
            "add.u32 %r20, %r7, 5;\nst.shared.u32 [%r12], %r20;\n{barrier}\n\
             xor.b32 %r21, %r10, 128;\nadd.u32 %r22, %r11, %r21;\nld.shared.u32 %r23, [%r22];\n\
             st.global.u32 [%rd2], %r23;"
        )
    };
    let clean = Machine::new(&body("bar.sync 0;"), 128).everywhere((2, 64), GO_ON);
    assert!(clean.found.races.is_empty() && clean.found.not_covered.is_empty());
    assert_eq!(clean.words[0], 32 + 5);
    assert_eq!(clean.statistic("regions analysed"), 2);
    let racy = Machine::new(&body(""), 128).everywhere((2, 64), GO_ON);
    assert_eq!(racy.patterns(), ["rw warps"]);
    let race = &racy.found.races[0];
    assert_eq!(race.kind, RaceKind::MissingSync);
    assert!(race.first.instruction.starts_with("st.shared"), "the write comes first");
    assert!(race.second.instruction.starts_with("ld.shared"));
    assert!(race.reason.contains("from the kernel's beginning to its end"), "{}", race.reason);
}

#[test]
fn what_is_only_kept_in_a_register_counts_if_it_lives_on() {
    // Thread 40 reads what warp 0 writes, and stores it behind the barrier, or something else.
    let body = |stored: &str| {
        format!(
            "ld.shared.u32 %r23, [s];\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 st.shared.u32 [s], 7;\n\
             bar.sync 0;\nst.global.u32 [%rd2], {stored};"
        )
    };
    let racy = Machine::new(&body("%r23"), 64).everywhere((1, 64), GO_ON);
    assert_eq!(racy.patterns(), ["rw warps"]);
    assert!(racy.found.races[0].reason.contains("registers"));
    // Class 3 of section 4.7: nothing comes of what was read.
    let unseen = Machine::new(&body("%r7"), 64).everywhere((1, 64), GO_ON);
    assert!(unseen.patterns().is_empty());
}

#[test]
fn two_warps_that_change_a_byte_race_and_neighbouring_bytes_do_not() {
    let body = |offset: &str| {
        format!(
            "and.b32 %r20, %r7, 31;\nsetp.eq.u32 %p1, %r20, 0;\nadd.u32 %r21, %r2, 1;\n\
             cvt.u64.u32 %rd4, %r2;\nadd.s64 %rd5, %rd1, {offset};\n@%p1 st.global.u8 [%rd5], %r21;"
        )
    };
    let racy = Machine::new(&body("0"), 16).everywhere((1, 96), GO_ON);
    assert_eq!(racy.patterns(), ["ww warps"]);
    assert_eq!(racy.statistic("warps in races"), 3);
    assert_eq!(racy.statistic("bytes in races"), 1);
    let clean = Machine::new(&body("%rd4"), 16).everywhere((1, 96), GO_ON);
    assert!(clean.patterns().is_empty(), "exact by bytes");
    assert_eq!(clean.words[0], 0x03_02_01);
}

#[test]
fn blocks_are_compared_over_the_whole_kernel() {
    // Each block adds to its neighbour's word what it finds in its own.
    let body =
        "ld.global.u32 %r20, [%rd2];\nadd.u32 %r20, %r20, 1;\nst.global.u32 [%rd2+128], %r20;";
    let racy = Machine::new(body, 256).everywhere((4, 32), GO_ON);
    assert_eq!(racy.patterns(), ["rw blocks"]);
    let body = "st.global.u32 [%rd1], %r9;\nbar.sync 0;";
    let racy = Machine::new(body, 64).everywhere((5, 1), GO_ON);
    assert_eq!(racy.patterns(), ["ww blocks"]);
}

#[test]
fn rounds_find_the_same_with_few_copies() {
    // Warps 0 and 5 write the same word.
    let body = "and.b32 %r20, %r7, 31;\nsetp.eq.u32 %p1, %r20, 0;\nsetp.eq.u32 %p2, %r2, 0;\n\
                setp.eq.or.u32 %p3, %r2, 5, %p2;\nand.pred %p4, %p1, %p3;\nadd.u32 %r21, %r2, 1;\n\
                @%p4 st.shared.u32 [s], %r21;\nst.global.u32 [%rd2], %r2;";
    let machine = Machine::new(body, 512);
    for copies in [2, 3, 4, 7, 16] {
        let done = machine.everywhere((2, 256), with_copies(copies));
        assert_eq!(done.patterns(), ["ww warps"], "{copies} copies");
        assert_eq!(
            done.statistic("private copies, of the launch with the largest"),
            u64::from(copies.min(8))
        );
    }
}

#[test]
fn races_of_a_group_do_not_look_like_races_between_groups() {
    // Warps 0 and 1 race with each other: with two copies of four warps they share one in the first round.
    let body = "and.b32 %r20, %r7, 31;\nsetp.eq.u32 %p1, %r20, 0;\nsetp.lt.u32 %p2, %r2, 2;\n\
                and.pred %p4, %p1, %p2;\nadd.u32 %r21, %r2, 1;\nld.shared.u32 %r22, [s];\n\
                add.u32 %r22, %r22, %r21;\n@%p4 st.shared.u32 [s], %r22;\nst.global.u32 [%rd2], %r2;";
    let done = Machine::new(body, 128).everywhere((1, 128), with_copies(2));
    assert!(done.patterns().iter().all(|pattern| pattern.ends_with("warps")));
    let warps = done.found.races.iter().flat_map(|race| [race.first.warp, race.second.warp]);
    assert!(warps.max() <= Some(1), "the others have nothing to do with it");
}

#[test]
fn regions_in_loops_are_found_by_their_barriers() {
    let body = "mov.u32 %r20, 0;\nmov.u32 %r24, 0;\nL:\nst.shared.u32 [%r12], %r20;\nbar.sync 0;\n\
                xor.b32 %r21, %r10, 128;\nadd.u32 %r22, %r11, %r21;\nld.shared.u32 %r23, [%r22];\n\
                add.u32 %r20, %r23, 1;\nBARRIER\nadd.u32 %r24, %r24, 1;\nsetp.lt.u32 %p1, %r24, 9;\n@%p1 bra L;\n\
                st.global.u32 [%rd2], %r20;";
    let clean =
        Machine::new(&body.replace("BARRIER", "bar.sync 0;"), 64).everywhere((1, 64), GO_ON);
    assert!(clean.patterns().is_empty());
    assert_eq!(clean.words[0], 9);
    let racy = Machine::new(&body.replace("BARRIER", ""), 64).everywhere((1, 64), GO_ON);
    assert_eq!(racy.patterns(), ["rw warps"]);
}

#[test]
fn the_first_race_ends_the_check_unless_it_is_to_go_on() {
    let body =
        "st.shared.u32 [s], %r7;\nbar.sync 0;\nadd.u32 %r20, %r7, 1;\nst.global.u32 [%rd1], %r20;";
    let machine = Machine::new(body, 64);
    let stopped = machine.everywhere((2, 64), LdSettings { lanes: false, ..LdSettings::default() });
    assert_eq!(stopped.patterns(), ["ww blocks"]);
    let all = machine.everywhere((2, 64), LdSettings { lanes: false, ..GO_ON });
    assert_eq!(all.patterns(), ["ww blocks", "ww warps", "ww warps"]);
}

#[test]
fn lanes_of_one_instruction_are_looked_at() {
    let racy = Machine::new("st.global.u32 [%rd1], %r7;", 8).everywhere((1, 32), GO_ON);
    assert_eq!(racy.patterns(), ["lanes"]);
    let same = Machine::new("st.global.u32 [%rd1], 3;", 8).everywhere((1, 32), GO_ON);
    assert!(same.patterns().is_empty(), "values say nothing of who wrote them");
}

#[test]
fn a_restored_value_is_not_seen() {
    // Class 1 of section 4.7: warp 1 writes back what it has read.
    let body = "ld.shared.u32 %r20, [s];\nsetp.eq.u32 %p1, %r7, 0;\nsetp.eq.u32 %p2, %r7, 32;\n\
                @%p1 st.shared.u32 [s], 5;\n@%p2 st.shared.u32 [s], %r20;\nst.global.u32 [%rd2], %r7;";
    assert!(Machine::new(body, 64).everywhere((1, 64), GO_ON).patterns().is_empty());
}

#[test]
fn a_fault_of_the_second_pass_is_a_finding() {
    // Warp 1 uses a word that warp 0 writes as a distance, and leaves memory.
    let body = "mov.u32 %r20, 0;\nsetp.ge.u32 %p1, %r7, 32;\n@%p1 ld.shared.u32 %r20, [s];\n\
                setp.eq.u32 %p2, %r7, 0;\n@%p2 st.shared.u32 [s], 1073741824;\n\
                cvt.u64.u32 %rd4, %r20;\nadd.s64 %rd5, %rd2, %rd4;\nst.global.u32 [%rd5], 1;";
    // With other seeds warp 0 runs first, and the kernel fails without us, too.
    let done = Machine::new(body, 64).check((1, 64), GO_ON, (1, 1));
    assert_eq!(done.patterns(), ["rw warps"]);
    assert!(done.found.races[0].reason.contains("fails"), "{}", done.found.races[0].reason);
    assert_eq!(done.words, [1; 64], "what the kernel leaves is of the first pass");
}

#[test]
fn other_synchronisation_is_refused_by_name() {
    let refusal = |body: &str| {
        let machine = Machine::new(body, 64);
        machine.launch((1, 64), (1, 1), |launch| {
            let mut found = Races::default();
            let mut detector = Ld::new(Settings::default());
            let refuses = detector.refuses(launch, &machine.memory, &mut found);
            assert_eq!(refuses, !found.not_covered.is_empty());
            found.not_covered.first().map(|missing| missing.what.clone())
        })
    };
    for (body, word) in [
        ("red.global.add.u32 [%rd1], 1;", "atomics"),
        ("ld.acquire.gpu.global.u32 %r20, [%rd1];", "acquiring"),
        ("bar.sync 1, 32;", "parts of a block"),
    ] {
        let what = refusal(body).expect(body);
        assert!(what.contains(word), "{what}");
    }
    assert_eq!(refusal("ld.volatile.global.u32 %r20, [%rd1];"), None);
}

fn safely(machine: &Machine, extents: (u32, u32), promise: Promise, seed: u64) -> Vec<u32> {
    machine.launch(extents, (seed, 1 + seed as usize % 2), |launch| {
        let outcome =
            run_safely(launch, &machine.memory, promise, None).expect("it is not refused");
        assert!(outcome.result.is_ok());
        machine.words()
    })
}

#[test]
fn deterministic_execution_has_one_outcome() {
    let body = "ld.shared.u32 %r20, [s];\nadd.u32 %r20, %r20, %r7;\nst.shared.u32 [s], %r20;\nbar.sync 0;\n\
                ld.shared.u32 %r21, [s];\nld.global.u32 %r22, [%rd1];\nadd.u32 %r21, %r21, %r22;\n\
                add.u32 %r21, %r21, %r9;\nst.global.u32 [%rd1], %r21;\nst.global.u32 [%rd2+4], %r21;";
    let machine = Machine::new(body, 600);
    let first = safely(&machine, (4, 128), Promise::Deterministic, 1);
    for seed in 2..20 {
        assert_eq!(safely(&machine, (4, 128), Promise::Deterministic, seed), first, "seed {seed}");
    }
    // The last warp's last lane, then the last block.
    assert_eq!(first[0], 127 + 3);
    let others: Vec<Vec<u32>> =
        (1..8).map(|seed| safely(&machine, (4, 128), Promise::RaceFree, seed)).collect();
    assert!(others.iter().any(|one| *one != first), "merged in the order of the seed");
}

#[test]
fn updates_that_commute_are_allowed_and_others_are_not() {
    let body = "red.shared.add.u32 [s], 1;\nbar.sync 0;\nld.shared.u32 %r20, [s];\n\
                st.global.u32 [%rd2+4], %r20;\nred.global.add.u32 [%rd1], 2;\nred.global.max.s32 [%rd1+4], %r1;";
    let machine = Machine::new(body, 400);
    for seed in 1..4 {
        let words = safely(&machine, (3, 96), Promise::Deterministic, seed);
        assert_eq!(words[0], 2 * 3 * 96);
        assert!(words[2..289].iter().all(|word| *word == 96), "counted in shared memory");
    }
    for body in [
        "atom.global.add.u32 %r20, [%rd1], 1;\nst.global.u32 [%rd2], %r20;",
        "atom.global.exch.b32 %r20, [%rd1], 1;",
        "red.global.add.f32 [%rd1], 0f3F800000;",
    ] {
        let machine = Machine::new(body, 64);
        let refusal = machine.launch((1, 32), (1, 1), |launch| {
            run_safely(launch, &machine.memory, Promise::Deterministic, None).expect_err(body)
        });
        assert!(matches!(refusal, Refusal::Atomic(_)), "{refusal}");
    }
}

/// Counts accesses, and those of private copies.
#[derive(Default)]
struct Listener {
    addresses: std::collections::BTreeSet<u64>,
}

impl EventSink for Listener {
    fn batch(&mut self, batch: &Batch<'_>) {
        for event in batch.events() {
            if let warpsan_event::Event::Access(access) = event {
                self.addresses.extend(access.lanes().map(|(_, address)| address));
            }
        }
    }
}

#[test]
fn who_listens_sees_the_addresses_of_copies() {
    let machine = Machine::new("st.global.u32 [%rd1], %r7;", 8);
    let mut listener = Listener::default();
    let sink: &mut dyn EventSink = &mut listener;
    machine.launch((2, 64), (1, 1), |launch| {
        run_safely(launch, &machine.memory, Promise::RaceFree, Some(sink)).expect("it runs");
    });
    assert_eq!(listener.addresses.len(), 4, "one place for each of four warps");
}
