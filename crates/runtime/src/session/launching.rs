//! Running kernels.

use super::{KernelId, LaunchRequest, Session, tell_order};
use crate::RuntimeError;
use crate::module::Module;
use crate::order::{Stream, WorkId};
use crate::record::Record;
use crate::schedules;
use crate::watch::Watch;
use crate::work::QueuedLaunch;
use std::time::Instant;
use warpsan_model::{Geometry, LaunchId};
use warpsan_report::NotCovered;
use warpsan_simt::{Launch, LaunchError, Policy, Prepared, Progress, Schedule, run};

/// The largest block, grid and shared memory of an H100-class device.
pub(super) const MOST_THREADS: u64 = 1024;
const MOST_BLOCKS: u64 = (1 << 31) - 1;
const MOST_SHARED_BYTES: u64 = 227 * 1024;
const MOST_CLUSTER_BLOCKS: u64 = 16;

impl Session {
    /// Runs a kernel to its end, at once.
    pub fn launch(&mut self, request: &LaunchRequest<'_>) -> Result<(), RuntimeError> {
        let launch = self.checked_launch(request)?;
        let work = self.order.add(request.stream.unwrap_or(Stream::Legacy));
        self.run_launch(work, &launch)
    }

    /// A launch that can be put in line, if nothing is wrong with it.
    pub fn checked_launch(
        &mut self,
        request: &LaunchRequest<'_>,
    ) -> Result<QueuedLaunch, RuntimeError> {
        let prepared = self.prepared(request.kernel)?;
        check_configuration(&prepared, request)?;
        Ok(QueuedLaunch {
            kernel: request.kernel,
            grid: request.grid,
            block: request.block,
            dynamic_shared_bytes: request.dynamic_shared_bytes,
            parameters: request.parameters.to_vec(),
            cooperative: request.cooperative,
            cluster: request.cluster,
            overlaps: false,
        })
    }

    /// Runs a launch whose turn it is.
    pub(super) fn run_launch(
        &mut self,
        work: WorkId,
        launch: &QueuedLaunch,
    ) -> Result<(), RuntimeError> {
        let id = self.next_launch();
        let outcome = self.run_numbered(id, work, launch);
        self.order.done(work, Some(id));
        outcome
    }

    fn run_numbered(
        &mut self,
        id: LaunchId,
        work: WorkId,
        queued: &QueuedLaunch,
    ) -> Result<(), RuntimeError> {
        let prepared = self.prepared(queued.kernel)?;
        self.kernel_launches += 1;
        let schedule = match self.schedules.of_launch(self.kernel_launches - 1) {
            Ok(schedule) => schedule,
            Err(what) => {
                return Err(self.launch_error(&prepared, &LaunchError::Schedule(what)));
            }
        };
        let facts = &prepared.facts;
        let is_watched = self.choice.watches_next(&facts.display_name);
        self.journal.write(Record::LaunchBegin {
            kernel: facts.display_name.clone(),
            has_line_information: facts.has_line_information,
            unwatched: !is_watched,
        });
        if is_watched {
            self.journal.not_covered_by_detector(&*self.detector, facts);
        }
        let geometry = Geometry { grid: queued.grid, block: queued.block };
        let constants = self.constants_of(queued.kernel);
        let deadline = self.options.timeout.and_then(|time| Instant::now().checked_add(time));
        let progress = self.progress.clone();
        let watch = |now: Progress| {
            if let Some(progress) = &progress {
                progress(&prepared.facts.display_name, now);
            }
            deadline.is_none_or(|deadline| Instant::now() < deadline)
        };
        let mut launch = Launch::new(&prepared, geometry, &queued.parameters, schedule);
        launch.id = id;
        launch.cluster = queued.cluster;
        launch.cooperative = queued.cooperative;
        launch.dynamic_shared_bytes = queued.dynamic_shared_bytes;
        launch.max_instructions = self.options.max_instructions;
        launch.jobs = self.options.jobs;
        launch.record_schedule = self.options.record_schedule.is_some();
        launch.watch = &watch;
        launch.constants = &constants;
        let place = self.order.place(work);
        let (detector, journal) = (&mut *self.detector, &mut self.journal);
        if is_watched {
            tell_order(detector, journal, id, &place);
        }
        let mut sink = Watch { detector, journal, is_watched };
        let outcome = run(&launch, &self.memory, &mut sink);
        let seed = schedule.seed;
        self.store_schedule(outcome.turns.as_ref(), seed);
        self.warp_instructions += outcome.stats.warp_instructions;
        self.printed.extend_from_slice(&outcome.printed);
        let accesses = if is_watched { outcome.stats.accesses } else { 0 };
        self.journal.write(Record::LaunchEnd { accesses });
        outcome.result.map_err(|error| self.launch_error(&prepared, &error))
    }

    /// A number for something that a detector is told of.
    pub(super) fn next_launch(&mut self) -> LaunchId {
        self.launches += 1;
        LaunchId(self.launches - 1)
    }

    /// Keeps the schedule that a launch took, if that was asked for. A launch that took no turn has
    /// its line too, so that the others keep their numbers.
    fn store_schedule(&mut self, turns: Option<&Schedule>, seed: u64) {
        let Some(file) = &self.options.record_schedule else { return };
        let none = Schedule { policy: Policy::Replay(Vec::new()), seed };
        if let Err(error) = schedules::store(file, turns.unwrap_or(&none)) {
            let place = file.display().to_string();
            self.not_checked(
                &format!("the schedule of a launch could not be stored: {error}"),
                &place,
                "the launch itself was checked",
            );
        }
    }

    /// Where the constant variables of a kernel's module are.
    fn constants_of(&self, kernel: KernelId) -> Vec<(u64, u64)> {
        let module = self.kernels.get(kernel.0 as usize).map(|(module, _)| *module);
        let module = module.and_then(|module| self.modules.get(&module));
        module.map_or(Vec::new(), Module::constants)
    }

    /// A kernel that did not end by itself was not checked to its end.
    #[cold]
    fn launch_error(&mut self, prepared: &Prepared, error: &LaunchError) -> RuntimeError {
        let kernel = &prepared.facts.display_name;
        let (place, advice) = match error {
            LaunchError::Fault(fault)
            | LaunchError::Deadlock(fault)
            | LaunchError::Livelock(fault) => {
                let site = prepared.sites.get(fault.site);
                let line = match site.position() {
                    Some(position) => position.to_string(),
                    None => format!("PTX line {}", site.ptx_line),
                };
                let who = format!("block {}, thread {}", fault.block.0, fault.thread);
                (
                    format!("kernel `{kernel}`, {line} ({who})"),
                    "races up to that point are reported",
                )
            }
            LaunchError::OutOfBudget { .. } => (
                format!("kernel `{kernel}`"),
                "use smaller input, or raise the limit with --max-instructions",
            ),
            LaunchError::Stopped => (
                format!("kernel `{kernel}`"),
                "use smaller input, or raise the limit with --timeout",
            ),
            LaunchError::Schedule(_) => (
                format!("kernel `{kernel}`"),
                "replay a schedule with the program, input and detector that it was recorded with",
            ),
            LaunchError::Geometry(_) | LaunchError::Memory(_) => {
                (format!("kernel `{kernel}`"), "nothing of the launch was run")
            }
        };
        let what = match (error, self.options.timeout) {
            (LaunchError::Stopped, Some(time)) => {
                format!("it did not end within {} seconds", time.as_secs_f64())
            }
            _ => error.to_string(),
        };
        let told = format!("{place}: {what}");
        self.journal.not_covered(NotCovered {
            what: format!("the launch was stopped: {what}"),
            place,
            advice: advice.to_string(),
        });
        match error {
            LaunchError::Fault(fault) if fault.what.starts_with("the assertion") => {
                RuntimeError::AssertionFailed(told)
            }
            LaunchError::Fault(fault) if fault.what.starts_with("a misaligned address") => {
                RuntimeError::MisalignedAddress(told)
            }
            LaunchError::Fault(fault) if fault.what.contains("address") => {
                RuntimeError::InvalidAddress(told)
            }
            LaunchError::Fault(_) | LaunchError::Schedule(_) => RuntimeError::LaunchFailed(told),
            LaunchError::Geometry(_) => RuntimeError::InvalidConfiguration(told),
            LaunchError::Memory(_) => RuntimeError::LaunchFailed(told),
            LaunchError::Deadlock(_)
            | LaunchError::Livelock(_)
            | LaunchError::OutOfBudget { .. }
            | LaunchError::Stopped => RuntimeError::LaunchTimeout(told),
        }
    }
}

fn check_configuration(
    prepared: &Prepared,
    request: &LaunchRequest<'_>,
) -> Result<(), RuntimeError> {
    let kernel = &prepared.kernel;
    let refuse = |what: String| {
        Err(RuntimeError::InvalidConfiguration(format!("kernel `{}`: {what}", kernel.display_name)))
    };
    let (threads, blocks) = (request.block.count(), request.grid.count());
    let most = kernel.max_threads.map_or(MOST_THREADS, u64::from).min(MOST_THREADS);
    if threads == 0 || blocks == 0 {
        return refuse(format!("a launch of {blocks} blocks of {threads} threads"));
    }
    if threads > most || request.block.z > 64 {
        return refuse(format!("{threads} threads in a block; {most} are possible"));
    }
    if blocks > MOST_BLOCKS || request.grid.y > 65_535 || request.grid.z > 65_535 {
        return refuse(format!("a grid of {} blocks is too large", request.grid));
    }
    let shared = kernel.static_shared_bytes + u64::from(request.dynamic_shared_bytes);
    if shared > MOST_SHARED_BYTES {
        return refuse(format!(
            "{shared} bytes of shared memory; {MOST_SHARED_BYTES} are possible"
        ));
    }
    if let Some(cluster) = request.cluster
        && cluster.count() > MOST_CLUSTER_BLOCKS
    {
        return refuse(format!(
            "clusters of {} blocks; {MOST_CLUSTER_BLOCKS} are possible",
            cluster.count()
        ));
    }
    if request.parameters.len() < kernel.parameter_bytes {
        return Err(RuntimeError::InvalidValue(format!(
            "kernel `{}` takes {} bytes of parameters, {} were given",
            kernel.display_name,
            kernel.parameter_bytes,
            request.parameters.len()
        )));
    }
    Ok(())
}
