//! What a launch is made of before it runs.

use crate::Options;
use crate::kernel::{KernelId, ModuleId};
use crate::launch_filter::LaunchChoice;
use crate::module::Module;
use crate::order::WorkId;
use crate::schedules::Schedules;
use crate::work::QueuedLaunch;
use std::collections::HashMap;
use warpsan_model::{Geometry, LaunchId};
use warpsan_simt::{DeviceMemory, Launch, LaunchError, Prepared, Progress, Schedule};

/// The parts of a session that are needed to begin a launch.
pub(super) struct Starts {
    pub(super) modules: HashMap<ModuleId, Module>,
    pub(super) kernels: Vec<(ModuleId, String)>,
    schedules: Schedules,
    choice: LaunchChoice,
    /// Launches and copies that the detector got events of.
    pub(super) launches: u32,
    /// Kernels that were launched.
    kernel_launches: u32,
}

/// A launch that has a number, a schedule and code.
#[derive(Clone)]
pub(super) struct Begun {
    pub(super) id: LaunchId,
    pub(super) work: WorkId,
    pub(super) queued: QueuedLaunch,
    pub(super) prepared: Prepared,
    pub(super) schedule: Schedule,
    /// Whether the detector gets its events.
    pub(super) is_watched: bool,
    constants: Vec<(u64, u64)>,
}

impl Starts {
    pub(super) fn new(schedules: Schedules, choice: LaunchChoice) -> Starts {
        Starts {
            modules: HashMap::new(),
            kernels: Vec::new(),
            schedules,
            choice,
            launches: 0,
            kernel_launches: 0,
        }
    }

    /// Begins a launch, unless there is no schedule for it.
    pub(super) fn begin(
        &mut self,
        work: WorkId,
        queued: QueuedLaunch,
        prepared: Prepared,
    ) -> Result<Begun, (Prepared, LaunchError)> {
        let schedule = match self.schedules.of_launch(self.kernel_launches) {
            Ok(schedule) => schedule.clone(),
            Err(error) => return Err((prepared, LaunchError::Schedule(error.to_string()))),
        };
        self.launches += 1;
        self.kernel_launches += 1;
        let is_watched = self.choice.watches_next(&prepared.facts.display_name);
        let constants = self.constants_of(queued.kernel);
        let id = LaunchId(self.launches - 1);
        Ok(Begun { id, work, queued, prepared, schedule, is_watched, constants })
    }

    /// The code of a kernel that is ready already.
    pub(super) fn ready(&mut self, kernel: KernelId, memory: &DeviceMemory) -> Option<Prepared> {
        let (module, name) = self.kernels.get(kernel.0 as usize)?;
        self.modules.get_mut(module)?.kernel(name, memory, &mut Vec::new()).ok()
    }

    /// Where the constant variables of a kernel's module are.
    fn constants_of(&self, kernel: KernelId) -> Vec<(u64, u64)> {
        let module = self.kernels.get(kernel.0 as usize).map(|(module, _)| *module);
        let module = module.and_then(|module| self.modules.get(&module));
        module.map_or(Vec::new(), Module::constants)
    }
}

impl Begun {
    /// The launch as the engine wants it.
    pub(super) fn for_engine<'a>(
        &'a self,
        options: &Options,
        watch: &'a (dyn Fn(Progress) -> bool + Sync),
    ) -> Launch<'a> {
        let QueuedLaunch { grid, block, parameters, .. } = &self.queued;
        let geometry = Geometry { grid: *grid, block: *block };
        let mut launch = Launch::new(&self.prepared, geometry, parameters, &self.schedule);
        launch.id = self.id;
        launch.cluster = self.queued.cluster;
        launch.cooperative = self.queued.cooperative;
        launch.dynamic_shared_bytes = self.queued.dynamic_shared_bytes;
        launch.max_instructions = options.max_instructions;
        launch.jobs = options.jobs;
        launch.record_schedule = options.record_schedule.is_some();
        launch.watch = watch;
        launch.constants = &self.constants;
        launch
    }
}
