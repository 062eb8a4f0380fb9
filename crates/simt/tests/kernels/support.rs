use warpsan_event::{Batch, EventSink};
use warpsan_ir::{ModuleIndex, SymbolTable};
use warpsan_model::{DeviceAddress, Dim3, Geometry};
use warpsan_simt::{
    AllocationKind, DeviceMemory, Launch, LaunchError, Prepared, Schedule, run,
};

/// Warp instructions that a test's kernel may take.
pub(crate) const BUDGET: u64 = 8_000_000;

/// A module with one kernel `k` that takes a pointer, and registers enough for small bodies.
pub(crate) fn head(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<10>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n.shared .align 4 .b8 s[1024];\n{body}\n}}\n"
    )
}

/// Writes down every event as text.
#[derive(Default)]
struct Listener {
    told: Vec<String>,
}

impl EventSink for Listener {
    fn batch(&mut self, batch: &Batch<'_>) {
        self.told.extend(batch.events().map(|event| format!("{event:?}")));
    }
}

pub(crate) struct Machine {
    kernel: Prepared,
    memory: DeviceMemory,
    data: DeviceAddress,
    words: usize,
}

impl Machine {
    pub(crate) fn new(text: &str, words: usize) -> Machine {
        let document = warpsan_ptx::Document::parse(text.to_string());
        assert_eq!(document.errors(), [], "{text}");
        let lowered = warpsan_ir::kernel(&ModuleIndex::of(&document), &SymbolTable::new(), "k");
        let kernel = Prepared::new(lowered.unwrap_or_else(|error| panic!("{error}"))).unwrap();
        let memory = DeviceMemory::reserve().unwrap();
        let data = memory.allocate(words as u64 * 4, AllocationKind::Device).unwrap();
        Machine { kernel, memory, data, words }
    }

    fn launch(
        &self,
        blocks: u32,
        threads: u32,
        schedule: &Schedule,
    ) -> (Listener, Result<(), LaunchError>) {
        let mut listener = Listener::default();
        let parameters = self.data.0.to_le_bytes();
        let geometry = Geometry { grid: Dim3::new(blocks, 1, 1), block: Dim3::new(threads, 1, 1) };
        let mut launch = Launch::new(&self.kernel, geometry, &parameters, schedule);
        launch.max_instructions = BUDGET;
        let outcome = run(&launch, &self.memory, &mut listener);
        (listener, outcome.result)
    }

    /// Runs the kernel and gives back the memory that its parameter points to.
    pub(crate) fn run(
        &self,
        blocks: u32,
        threads: u32,
        seed: u64,
    ) -> Result<Vec<u32>, LaunchError> {
        self.launch(blocks, threads, &Schedule::random(seed)).1?;
        let mut bytes = vec![0; self.words * 4];
        self.memory.read(self.data, &mut bytes).unwrap();
        Ok(bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect())
    }

    /// Runs the kernel and gives back what it told.
    pub(crate) fn events(&self, blocks: u32, threads: u32, seed: u64) -> Vec<String> {
        let (listener, result) = self.launch(blocks, threads, &Schedule::random(seed));
        result.unwrap();
        listener.told
    }
}
