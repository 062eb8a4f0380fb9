//! Running kernels.

use super::Session;
use super::starting::Begun;
use crate::RuntimeError;
use crate::emission::emit_order;
use crate::order::{OrderPosition, Stream, WorkId};
use crate::record::Record;
use crate::schedules;
use crate::work::QueuedLaunch;
use warpsan_model::{EMULATED_DEVICE, LaunchId};
use warpsan_report::NotCovered;
use warpsan_simt::{FaultKind, LaunchError, Outcome, Policy, Prepared, Schedule};

/// The largest block, grid and shared memory of the emulated device.
const MOST_THREADS: u64 = EMULATED_DEVICE.max_threads_per_block as u64;
/// Blocks of a grid are numbered from 0, by [`BlockIndex`](warpsan_model::BlockIndex). CUDA has no limit but those of the
/// three dimensions.
const MOST_BLOCKS: u64 = u32::MAX as u64;
const MOST_SHARED_BYTES: u64 = EMULATED_DEVICE.shared_bytes_per_block_opt_in;
const MOST_CLUSTER_BLOCKS: u64 = EMULATED_DEVICE.max_cluster as u64;

impl Session {
    /// Runs a kernel to its end, at once.
    pub fn launch(&mut self, stream: Stream, launch: &QueuedLaunch) -> Result<(), RuntimeError> {
        self.check_launch(launch)?;
        let work = self.order.add(stream);
        self.run_launch(work, launch)
    }

    /// Refuses a launch that the device could not run.
    pub fn check_launch(&mut self, launch: &QueuedLaunch) -> Result<(), RuntimeError> {
        let prepared = self.prepared(launch.kernel)?;
        check_configuration(&prepared, launch)?;
        if launch.grid.count() > MOST_BLOCKS {
            return Err(RuntimeError::NotSupported(self.refuse(
                format!(
                    "a grid of {} blocks; {MOST_BLOCKS} are possible here",
                    launch.grid.count()
                ),
                format!("kernel `{}`", prepared.facts.display_name),
                "use a smaller grid; the program went on without the kernel's results",
            )));
        }
        Ok(())
    }

    /// Runs a launch whose turn it is, and what it may be waiting for.
    pub(super) fn run_launch(
        &mut self,
        work: WorkId,
        launch: &QueuedLaunch,
    ) -> Result<(), RuntimeError> {
        // Code that could not be got ready was reported when the launch was queued.
        let prepared = self.prepared(launch.kernel);
        let prepared = prepared.inspect_err(|_| self.order.done(work, None))?;
        let begun = match self.starts.begin(work, launch.clone(), prepared) {
            Ok(begun) => begun,
            Err((prepared, error)) => {
                self.order.done(work, None);
                return Err(self.launch_error(&prepared, &error));
            }
        };
        let position = self.order.position(work);
        self.launch_begins(&begun, &position);
        let on_copies = self.run_on_copies(&begun).map(|outcome| (outcome, Vec::new()));
        let (outcome, co_run) = on_copies.unwrap_or_else(|| self.run_co_running(&begun));
        let mut result = self.launch_ended(&begun, outcome);
        for work in co_run {
            result = result.and(self.emit_co_run(work));
        }
        result
    }

    /// Notes that a launch begins, and emits what it is after.
    pub(super) fn launch_begins(&mut self, begun: &Begun, position: &OrderPosition) {
        if self.ended && self.options.record_trace.is_some() {
            self.not_checked(
                "a launch after the trace of its process was ended",
                &format!("kernel `{}`", begun.prepared.facts.display_name),
                "the launch itself was checked, and is not in the trace",
            );
        }
        let facts = &begun.prepared.facts;
        self.journal.write(Record::LaunchBegin {
            kernel: facts.display_name.clone(),
            has_line_information: facts.has_line_information,
            unwatched: !begun.is_watched,
        });
        if begun.is_watched {
            // A detector that executes kernels itself says so when it has looked at the launch.
            if !self.options.detector.executes {
                self.journal.not_covered_by_detector(&*self.detector, facts);
            }
            emit_order(&mut *self.detector, &mut self.journal, begun.id, position);
        }
    }

    /// Notes that a launch has ended, and how.
    pub(super) fn launch_ended(
        &mut self,
        begun: &Begun,
        outcome: Outcome,
    ) -> Result<(), RuntimeError> {
        self.order.done(begun.work, Some(begun.id));
        self.store_schedule(outcome.turns.as_ref(), begun.schedule.seed);
        self.warp_instructions += outcome.stats.warp_instructions;
        self.printed.extend_from_slice(&outcome.printed);
        self.report_out_of_bounds(begun, &outcome.out_of_bounds);
        let accesses = if begun.is_watched { outcome.stats.accesses } else { 0 };
        self.journal.write(Record::LaunchEnd { accesses });
        outcome.result.map_err(|error| self.launch_error(&begun.prepared, &error))
    }

    /// A number for something that a detector gets events of.
    pub(super) fn next_launch(&mut self) -> LaunchId {
        self.starts.launches += 1;
        LaunchId(self.starts.launches - 1)
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

    /// A kernel that did not end by itself was not checked to its end.
    #[cold]
    fn launch_error(&mut self, prepared: &Prepared, error: &LaunchError) -> RuntimeError {
        let kernel = &prepared.facts.display_name;
        let (place, advice) = match error {
            LaunchError::Fault(fault) => {
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
                "use smaller input, or raise the limit (--launch-timeout of `run`, --timeout of others)",
            ),
            LaunchError::Schedule(_) => (
                format!("kernel `{kernel}`"),
                "replay a schedule with the program, input and detector that it was recorded with",
            ),
            LaunchError::Internal(_) => {
                (format!("kernel `{kernel}`"), "this is a bug of warpsan; please report it")
            }
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
        let message = format!("{place}: {what}");
        self.journal.not_covered(NotCovered {
            what: format!("the launch was stopped: {what}"),
            place,
            advice: advice.to_string(),
        });
        match error {
            LaunchError::Fault(fault) => fault_error(fault.kind, message),
            LaunchError::Schedule(_) | LaunchError::Memory(_) | LaunchError::Internal(_) => {
                RuntimeError::LaunchFailed(message)
            }
            LaunchError::Geometry(_) => RuntimeError::InvalidConfiguration(message),
            LaunchError::OutOfBudget { .. } | LaunchError::Stopped => {
                RuntimeError::LaunchTimeout(message)
            }
        }
    }
}

/// The error of a launch whose kernel misbehaved.
fn fault_error(kind: FaultKind, what: String) -> RuntimeError {
    match kind {
        FaultKind::AssertionFailed => RuntimeError::AssertionFailed(what),
        FaultKind::MisalignedAddress => RuntimeError::MisalignedAddress(what),
        FaultKind::IllegalAddress => RuntimeError::InvalidAddress(what),
        FaultKind::InvalidFree
        | FaultKind::InvalidAddressSpace
        | FaultKind::Trap
        | FaultKind::InvalidTarget
        | FaultKind::StackOverflow
        | FaultKind::InvalidBarrier
        | FaultKind::InvalidMbarrier
        | FaultKind::MissingLanes
        | FaultKind::InvalidCopySize => RuntimeError::LaunchFailed(what),
        FaultKind::Deadlock | FaultKind::Livelock => RuntimeError::LaunchTimeout(what),
    }
}

fn check_configuration(prepared: &Prepared, launch: &QueuedLaunch) -> Result<(), RuntimeError> {
    let kernel = &prepared.kernel;
    let refuse = |what: String| {
        Err(RuntimeError::InvalidConfiguration(format!("kernel `{}`: {what}", kernel.display_name)))
    };
    let (threads, blocks) = (launch.block.count(), launch.grid.count());
    let most = kernel.max_threads.map_or(MOST_THREADS, u64::from).min(MOST_THREADS);
    if threads == 0 || blocks == 0 {
        return refuse(format!("a launch of {blocks} blocks of {threads} threads"));
    }
    if threads > most || launch.block.z > EMULATED_DEVICE.max_block[2] {
        return refuse(format!("{threads} threads in a block; {most} are possible"));
    }
    let [most_x, most_y, most_z] = EMULATED_DEVICE.max_grid;
    if launch.grid.x > most_x || launch.grid.y > most_y || launch.grid.z > most_z {
        return refuse(format!("a grid of {} blocks is too large", launch.grid));
    }
    let shared = kernel.static_shared_bytes + u64::from(launch.dynamic_shared_bytes);
    if shared > MOST_SHARED_BYTES {
        return refuse(format!(
            "{shared} bytes of shared memory; {MOST_SHARED_BYTES} are possible"
        ));
    }
    if let Some(cluster) = launch.cluster
        && cluster.count() > MOST_CLUSTER_BLOCKS
    {
        return refuse(format!(
            "clusters of {} blocks; {MOST_CLUSTER_BLOCKS} are possible",
            cluster.count()
        ));
    }
    if launch.parameters.len() < kernel.parameter_bytes {
        return Err(RuntimeError::InvalidValue(format!(
            "kernel `{}` takes {} bytes of parameters, {} were given",
            kernel.display_name,
            kernel.parameter_bytes,
            launch.parameters.len()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_fault_has_its_error() {
        type ErrorOf = fn(String) -> RuntimeError;
        let failed: ErrorOf = RuntimeError::LaunchFailed;
        let kinds: [(FaultKind, ErrorOf); 14] = [
            (FaultKind::AssertionFailed, RuntimeError::AssertionFailed),
            (FaultKind::MisalignedAddress, RuntimeError::MisalignedAddress),
            (FaultKind::IllegalAddress, RuntimeError::InvalidAddress),
            (FaultKind::InvalidFree, failed),
            (FaultKind::InvalidAddressSpace, failed),
            (FaultKind::Trap, failed),
            (FaultKind::InvalidTarget, failed),
            (FaultKind::StackOverflow, failed),
            (FaultKind::InvalidBarrier, failed),
            (FaultKind::InvalidMbarrier, failed),
            (FaultKind::MissingLanes, failed),
            (FaultKind::InvalidCopySize, failed),
            (FaultKind::Deadlock, RuntimeError::LaunchTimeout),
            (FaultKind::Livelock, RuntimeError::LaunchTimeout),
        ];
        for (kind, error) in kinds {
            // The sentence must not matter.
            let what = "an address in the assertion".to_string();
            assert_eq!(
                std::mem::discriminant(&fault_error(kind, what.clone())),
                std::mem::discriminant(&error(what)),
                "{kind:?}"
            );
        }
    }
}
