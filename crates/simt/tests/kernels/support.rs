//! A machine with one kernel and some memory.

use warpsan_event::{Batch, EventMask, EventSink};
use warpsan_ir::{ModuleIndex, SymbolTable};
use warpsan_model::{DeviceAddress, Dim3, Geometry};
use warpsan_simt::{
    AllocationKind, DeviceMemory, Fault, Launch, LaunchError, LaunchStats, OutOfBounds, Policy,
    Prepared, Progress, Schedule, run,
};

/// Warp instructions that a test's kernel may take.
pub(crate) const BUDGET: u64 = 8_000_000;

/// `%r1` is the thread's global number, `%r7` its number in the block, `%rd1` the first parameter,
/// `%rd2` the address of the thread's own word there, `%rd4` the second parameter.
const PROLOGUE: &str = "mov.u32 %r9, %ctaid.x;\nmov.u32 %r8, %ntid.x;\nmov.u32 %r7, %tid.x;\n\
    mad.lo.s32 %r1, %r9, %r8, %r7;\nld.param.u64 %rd1, [p];\nmul.wide.u32 %rd3, %r1, 4;\n\
    add.s64 %rd2, %rd1, %rd3;\nld.param.u64 %rd4, [q];\n";

/// A module with one kernel `k` that has registers enough for small bodies.
pub(crate) fn kernel(body: &str) -> String {
    module("", body)
}

/// The same, with declarations in front of the kernel.
pub(crate) fn module(declarations: &str, body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n{declarations}\n\
         .visible .entry k(.param .u64 p, .param .u64 q)\n{{\n\
         .reg .pred %p<20>;\n.reg .b16 %rs<10>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<40>;\n\
         .reg .f32 %f<20>;\n.reg .f64 %fd<10>;\n.shared .align 128 .b8 s[1024];\n\
         {PROLOGUE}{body}\n}}\n"
    )
}

/// Schedules of all rules.
pub(crate) fn schedules() -> Vec<Schedule> {
    let mut all: Vec<Schedule> = (0..20).map(Schedule::random).collect();
    all.push(Schedule { policy: Policy::RoundRobin, seed: 0 });
    for depth in [1, 3, 10] {
        all.extend((0..3).map(|seed| Schedule { policy: Policy::Pct { depth }, seed }));
    }
    all
}

/// Runs a kernel of one parameter under all schedules, and looks at the memory that it leaves.
pub(crate) fn everywhere(
    text: &str,
    (blocks, threads): (u32, u32),
    words: usize,
    check: impl Fn(&[u32]),
) {
    let machine = Machine::new(text, words);
    for schedule in schedules() {
        machine.clear();
        let setup = Setup { schedule: schedule.clone(), ..Setup::new(blocks, threads) };
        let done = machine.launch(&setup);
        done.result.unwrap_or_else(|error| panic!("{schedule}: {error}"));
        let checked =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&done.memory)));
        assert!(checked.is_ok(), "the schedule was {schedule}");
    }
}

/// How a kernel is launched.
#[derive(Clone)]
pub(crate) struct Setup {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) cluster: Option<Dim3>,
    pub(crate) cooperative: bool,
    pub(crate) dynamic_shared_bytes: u32,
    pub(crate) schedule: Schedule,
    pub(crate) record: bool,
    pub(crate) jobs: usize,
    pub(crate) max_instructions: u64,
    pub(crate) max_idle_instructions: u64,
    pub(crate) collectives_in_one_place: bool,
    /// What events somebody listens to.
    pub(crate) interest: EventMask,
    /// The second parameter.
    pub(crate) argument: u64,
    /// Whether the watch lets the launch go on.
    pub(crate) watch: fn(Progress) -> bool,
}

impl Setup {
    pub(crate) fn new(blocks: u32, threads: u32) -> Setup {
        Setup {
            grid: Dim3::new(blocks, 1, 1),
            block: Dim3::new(threads, 1, 1),
            cluster: None,
            cooperative: false,
            dynamic_shared_bytes: 0,
            schedule: Schedule::random(1),
            record: false,
            jobs: 1,
            max_instructions: BUDGET,
            max_idle_instructions: 1 << 30,
            collectives_in_one_place: false,
            interest: EventMask::NONE,
            argument: 0,
            watch: |_| true,
        }
    }

    pub(crate) fn listening(self) -> Setup {
        Setup { interest: EventMask::ALL, ..self }
    }

    pub(crate) fn seed(self, seed: u64) -> Setup {
        Setup { schedule: Schedule::random(seed), ..self }
    }

    /// Clusters of so many blocks in a row.
    pub(crate) fn clusters_of(self, blocks: u32) -> Setup {
        Setup { cluster: Some(Dim3::new(blocks, 1, 1)), ..self }
    }
}

/// What came of a launch.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) result: Result<(), LaunchError>,
    pub(crate) memory: Vec<u32>,
    pub(crate) events: Vec<String>,
    pub(crate) printed: String,
    pub(crate) turns: Option<Schedule>,
    pub(crate) out_of_bounds: Vec<OutOfBounds>,
    pub(crate) stats: LaunchStats,
}

impl Done {
    /// The memory of a launch that ended well.
    #[track_caller]
    pub(crate) fn well(self) -> Vec<u32> {
        if let Err(error) = self.result {
            panic!("{error}: {error:?}");
        }
        self.memory
    }

    /// What the kernel did wrong.
    #[track_caller]
    pub(crate) fn fault(&self) -> Fault {
        match &self.result {
            Err(LaunchError::Fault(fault)) => fault.clone(),
            other => panic!("{other:?} is no fault"),
        }
    }

    /// The events of these kinds.
    pub(crate) fn emitted(&self, kinds: &[&str]) -> Vec<&str> {
        let is_it = |event: &&str| kinds.iter().any(|kind| event.starts_with(kind));
        self.events.iter().map(String::as_str).filter(is_it).collect()
    }
}

/// Writes down every event as text.
struct Listener {
    interest: EventMask,
    emitted: Vec<String>,
}

impl EventSink for Listener {
    fn interest(&self) -> EventMask {
        self.interest
    }

    fn batch(&mut self, batch: &Batch<'_>) {
        self.emitted.extend(batch.events().map(|event| format!("{event:?}")));
    }
}

pub(crate) struct Machine {
    pub(crate) kernel: Prepared,
    pub(crate) memory: DeviceMemory,
    pub(crate) data: DeviceAddress,
    words: usize,
}

impl Machine {
    pub(crate) fn new(text: &str, words: usize) -> Machine {
        let kernel = prepare(text);
        let memory = DeviceMemory::reserve().unwrap();
        let data = memory.allocate(words as u64 * 4, AllocationKind::Device).unwrap();
        Machine { kernel, memory, data, words }
    }

    /// Makes the memory zero.
    pub(crate) fn clear(&self) {
        self.memory.fill(self.data, 0, self.words as u64 * 4).unwrap();
    }

    /// Puts words into the memory, from this one on.
    pub(crate) fn write(&self, word: usize, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.memory.write(DeviceAddress(self.data.0 + word as u64 * 4), &bytes).unwrap();
    }

    pub(crate) fn words(&self) -> Vec<u32> {
        let mut bytes = vec![0; self.words * 4];
        self.memory.read(self.data, &mut bytes).unwrap();
        bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    }

    pub(crate) fn launch(&self, setup: &Setup) -> Done {
        self.launch_kernel(&self.kernel, setup)
    }

    /// Launches a kernel that need not be the machine's own, on its memory.
    pub(crate) fn launch_kernel(&self, kernel: &Prepared, setup: &Setup) -> Done {
        let mut listener = Listener { interest: setup.interest, emitted: Vec::new() };
        let parameters: Vec<u8> =
            [self.data.0, setup.argument].iter().flat_map(|one| one.to_le_bytes()).collect();
        let geometry = Geometry { grid: setup.grid, block: setup.block };
        let mut launch = Launch::new(kernel, geometry, &parameters, &setup.schedule);
        launch.cluster = setup.cluster;
        launch.cooperative = setup.cooperative;
        launch.dynamic_shared_bytes = setup.dynamic_shared_bytes;
        launch.record_schedule = setup.record;
        launch.jobs = setup.jobs;
        launch.max_instructions = setup.max_instructions;
        launch.max_idle_instructions = setup.max_idle_instructions;
        launch.collectives_in_one_place = setup.collectives_in_one_place;
        launch.watch = &setup.watch;
        let outcome = run(&launch, &self.memory, &mut listener);
        Done {
            result: outcome.result,
            memory: self.words(),
            events: listener.emitted,
            printed: String::from_utf8_lossy(&outcome.printed).into_owned(),
            turns: outcome.turns,
            out_of_bounds: outcome.out_of_bounds,
            stats: outcome.stats,
        }
    }

    /// Runs the kernel and gives back the memory that its parameter points to.
    pub(crate) fn run(
        &self,
        blocks: u32,
        threads: u32,
        seed: u64,
    ) -> Result<Vec<u32>, LaunchError> {
        let done = self.launch(&Setup::new(blocks, threads).seed(seed));
        done.result.map(|()| done.memory)
    }

    /// Runs the kernel and gives back what it emitted.
    pub(crate) fn events(&self, blocks: u32, threads: u32, seed: u64) -> Vec<String> {
        let done = self.launch(&Setup::new(blocks, threads).seed(seed).listening());
        done.result.unwrap();
        done.events
    }
}

/// A kernel `k` that the engine can run.
pub(crate) fn prepare(text: &str) -> Prepared {
    let document = warpsan_ptx::Document::parse(text.to_string());
    assert_eq!(document.errors(), [], "{text}");
    let lowered = warpsan_ir::kernel(&ModuleIndex::of(&document), &SymbolTable::new(), "k");
    Prepared::new(lowered.unwrap_or_else(|error| panic!("{error}"))).unwrap()
}
