//! A workload on the CPU engine: its kernels are made ready once, and run as often as a measurement needs them.

use std::path::Path;

use anyhow::Context;
use warpsan_event::{Batch, Event, EventBuffer, EventMask, EventSink};
use warpsan_ir::{ModuleIndex, Parameter, SymbolTable};
use warpsan_model::{DeviceAddress, Dim3, Geometry, LaunchId};
use warpsan_ptx::Document;
use warpsan_simt::{AllocationKind, DeviceMemory, Launch, Outcome, Prepared, Schedule};
use warpsan_toolchain::{KernelOptions, Toolchain};

use super::clock::processor_seconds;
use super::workload::{Argument, Workload, WorkloadLaunch};

/// Far more than any of the kernels takes.
const MAX_WARP_INSTRUCTIONS: u64 = 1 << 40;

/// What detector `none` is to the engine: nothing is listened to.
struct Deaf;

impl EventSink for Deaf {
    fn interest(&self) -> EventMask {
        EventMask::NONE
    }

    fn batch(&mut self, _: &Batch<'_>) {}
}

/// A workload with its kernels made ready and its buffers in device memory.
pub(crate) struct Machine<'w> {
    workload: &'w Workload,
    /// One for each launch of the workload.
    kernels: Vec<Prepared>,
    memory: DeviceMemory,
    buffers: Vec<DeviceAddress>,
}

/// What one run gave.
#[derive(Debug)]
pub(crate) struct EngineRun {
    /// The processor time of all launches together.
    pub(crate) seconds: f64,
    pub(crate) warp_instructions: u64,
    pub(crate) output: Vec<u8>,
}

impl<'w> Machine<'w> {
    /// Compiles the workload's kernels, which are in the file of its name in the suite's folder.
    pub(crate) fn new(
        toolchain: &Toolchain,
        suite: &Path,
        workload: &'w Workload,
    ) -> anyhow::Result<Self> {
        let source = suite.join(workload.name).with_extension("cu");
        // As `warpsan check` compiles: in this process, which needs no compiler for host code.
        let compiled = toolchain.compile_kernels(&source, &KernelOptions::default())?;
        let document = Document::parse(compiled.ptx);
        if let Some(error) = document.errors().first() {
            anyhow::bail!(error.message_with_line(document.text()));
        }
        let index = ModuleIndex::of(&document);
        let mut kernels = Vec::new();
        for requested in &workload.launches {
            let kernel = warpsan_ir::kernel(&index, &SymbolTable::new(), requested.kernel)
                .and_then(Prepared::new)
                .context(requested.kernel)?;
            kernels.push(kernel);
        }
        let memory = DeviceMemory::reserve()?;
        let mut buffers = Vec::new();
        for buffer in &workload.buffers {
            let address = memory.allocate(buffer.len() as u64, AllocationKind::Device);
            buffers.push(address?);
        }
        Ok(Self { workload, kernels, memory, buffers })
    }

    /// Runs all launches on fresh contents of the buffers, with nobody listening.
    pub(crate) fn run(&mut self) -> anyhow::Result<EngineRun> {
        self.run_with(&mut Deaf)
    }

    /// Runs all launches on fresh contents of the buffers, and emits their events to a sink.
    pub(crate) fn run_with(&mut self, sink: &mut dyn EventSink) -> anyhow::Result<EngineRun> {
        for (address, contents) in self.buffers.iter().zip(&self.workload.buffers) {
            self.memory.write(*address, contents)?;
        }
        self.announce_buffers(sink);
        let (mut seconds, mut warp_instructions) = (0.0, 0);
        for (number, (requested, kernel)) in
            self.workload.launches.iter().zip(&self.kernels).enumerate()
        {
            let parameters = self.parameter_block(requested, &kernel.kernel.parameters)?;
            let start = processor_seconds();
            let id = LaunchId(number as u32);
            let instructions = self.launch(id, requested, kernel, &parameters, sink)?;
            seconds += processor_seconds() - start;
            warp_instructions += instructions;
        }
        let mut output = vec![0; self.workload.buffers[self.workload.output].len()];
        self.memory.read(self.buffers[self.workload.output], &mut output)?;
        Ok(EngineRun { seconds, warp_instructions, output })
    }

    /// Who listens learns what memory there is, as from a session.
    fn announce_buffers(&self, sink: &mut dyn EventSink) {
        if !sink.interest().contains(EventMask::STRUCTURE) {
            return;
        }
        let mut buffer = EventBuffer::new();
        for (address, contents) in self.buffers.iter().zip(&self.workload.buffers) {
            let bytes = contents.len() as u64;
            buffer.push(Event::Allocation { address: *address, bytes, label: "buffer" });
        }
        sink.buffer(&mut buffer);
    }

    /// The one place where a launch is described to the engine. Gives back its warp instructions.
    fn launch(
        &self,
        id: LaunchId,
        requested: &WorkloadLaunch,
        kernel: &Prepared,
        parameters: &[u8],
        sink: &mut dyn EventSink,
    ) -> anyhow::Result<u64> {
        let geometry = Geometry {
            grid: Dim3::new(requested.grid.0, requested.grid.1, 1),
            block: Dim3::new(requested.block.0, requested.block.1, 1),
        };
        let schedule = Schedule::random(1);
        let mut launch = Launch::new(kernel, geometry, parameters, &schedule);
        launch.id = id;
        launch.max_instructions = MAX_WARP_INSTRUCTIONS;
        let Outcome { stats, result, .. } = warpsan_simt::run(&launch, &self.memory, sink);
        result.context(requested.kernel)?;
        Ok(stats.warp_instructions)
    }

    fn parameter_block(
        &self,
        requested: &WorkloadLaunch,
        parameters: &[Parameter],
    ) -> anyhow::Result<Vec<u8>> {
        if parameters.len() != requested.arguments.len() {
            anyhow::bail!(
                "{} has {} parameters, but {} arguments are given",
                requested.kernel,
                parameters.len(),
                requested.arguments.len()
            );
        }
        let mut block = Vec::new();
        for (parameter, argument) in parameters.iter().zip(&requested.arguments) {
            let bytes = match argument {
                Argument::Buffer(index) => self.buffers[*index].0.to_le_bytes().to_vec(),
                Argument::U32(number) => number.to_le_bytes().to_vec(),
                Argument::F32(number) => number.to_le_bytes().to_vec(),
            };
            if parameter.bytes != bytes.len() {
                anyhow::bail!("parameter `{}` has another size", parameter.name);
            }
            block.resize(parameter.offset, 0);
            block.extend(bytes);
        }
        Ok(block)
    }
}
