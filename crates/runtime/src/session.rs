//! A session: what a checked process has, and what was found in it.

mod co_running;
mod host_accesses;
mod host_memory;
mod kernels;
mod launching;
mod on_copies;
mod out_of_bounds;
mod queueing;
mod resetting;
mod starting;
mod transfers;

pub use host_accesses::HostFrames;
pub use queueing::{GraphPiece, QueueStep};

use starting::Starts;

use self::on_copies::OnCopies;
use crate::emission::emit;
use crate::journal::{Journal, Refusal};
use crate::launch_filter::LaunchChoice;
use crate::membership::membership;
use crate::module::PlacedVariable;
use crate::order::WorkId;
use crate::order::WorkOrder;
use crate::progress_file::ProgressListener;
use crate::record::{ProcessReport, Record};
use crate::recording::{RecordedDetector, Recording, TraceSchedule};
use crate::schedules::Schedules;
use crate::work::Queue;
use crate::{Options, RuntimeError, SessionError, progress_file};
use std::path::Path;
use warpsan_detect::Detector;
use warpsan_detect::none::NoDetector;
use warpsan_event::Event;
use warpsan_event::trace::TraceHeader;
use warpsan_model::DeviceAddress;
use warpsan_report::NotCovered;
use warpsan_simt::{AllocationKind, DeviceMemory, HostAccess, MemoryError};

/// All state of a checked process.
pub struct Session {
    options: Options,
    memory: DeviceMemory,
    starts: Starts,
    next_module: u32,
    next_allocation: u64,
    order: WorkOrder,
    queue: Queue,
    /// Memory that was freed in a stream, with the work that did it: whatever that work is not before may still use it, and
    /// races with it.
    freed: Vec<(WorkId, DeviceAddress)>,
    /// The report says that work waits.
    work_waits: bool,
    /// Who runs launches on private copies of memory, if anybody does.
    on_copies: Option<OnCopies>,
    detector: Box<dyn Detector>,
    journal: Journal,
    printed: Vec<u8>,
    warp_instructions: u64,
    progress: Option<ProgressListener>,
    host_frames: Option<HostFrames>,
    /// The thread that a function of the host runs on now, and what the function has done.
    function_thread: Option<u64>,
    function_accesses: Vec<HostAccess>,
    /// What other threads of the host did, who will note it in their turns.
    later_accesses: Vec<HostAccess>,
    ended: bool,
}

impl Session {
    /// A session of a program that `warpsan run` started.
    pub fn from_env() -> Result<Session, SessionError> {
        let run = membership().map_err(SessionError::NotEntered)?;
        let mut session = Self::new(run.options()?, Journal::to_log(run.session_log()))?;
        if session.options.progress {
            session.set_progress(progress_file::listener(run.folder()));
        }
        session.record_process();
        Ok(session)
    }

    /// A session that keeps its report in memory; see [`Session::into_report`].
    pub fn in_memory(options: Options) -> Result<Session, SessionError> {
        Self::new(options, Journal::to_memory())
    }

    fn new(options: Options, mut journal: Journal) -> Result<Session, SessionError> {
        match parts(&options) {
            Ok((detector, memory, schedules)) => {
                Ok(Self::from_parts(options, journal, detector, memory, schedules))
            }
            Err(error) => {
                journal.not_covered(NotCovered {
                    what: format!("a process whose session could not be started: {error}"),
                    place: "the first call of the CUDA runtime API".to_string(),
                    advice: "all its calls were answered with an error".to_string(),
                });
                Err(error)
            }
        }
    }

    fn from_parts(
        options: Options,
        journal: Journal,
        detector: Box<dyn Detector>,
        memory: DeviceMemory,
        schedules: Schedules,
    ) -> Session {
        Session {
            queue: Queue::new(schedules.first().map_or(0, |schedule| schedule.seed)),
            starts: Starts::new(schedules, LaunchChoice::new(&options.launches)),
            memory,
            next_module: 0,
            next_allocation: 1,
            order: WorkOrder::default(),
            freed: Vec::new(),
            work_waits: false,
            on_copies: OnCopies::of(&options),
            detector,
            journal,
            options,
            printed: Vec::new(),
            warp_instructions: 0,
            progress: None,
            host_frames: None,
            function_thread: None,
            function_accesses: Vec::new(),
            later_accesses: Vec::new(),
            ended: false,
        }
    }

    /// Writes everything that happens from now on to a trace file, until
    /// [`end_recording`](Self::end_recording).
    pub fn record(&mut self, file: &Path, header: &TraceHeader) -> std::io::Result<()> {
        self.record_to(Recording::create(file, header)?);
        Ok(())
    }

    /// Starts the trace of this process, if one was asked for. What cannot be recorded is checked all
    /// the same.
    fn record_process(&mut self) {
        let Some(folder) = self.options.record_trace.clone() else { return };
        let schedule = TraceSchedule::Cpu(self.options.schedule_line()).to_string();
        let header = TraceHeader { seed: self.options.seed, schedule, command: folder.command };
        match Recording::create_in(&folder.path, &header) {
            Ok(recording) => self.record_to(recording),
            Err(error) => self.trace_is_missing(&error),
        }
    }

    fn trace_is_missing(&mut self, error: &std::io::Error) {
        let folder = self.options.record_trace.as_ref().map(|folder| folder.path.display());
        let place = folder.map_or(String::new(), |folder| folder.to_string());
        self.not_checked(
            &format!("the trace of a process could not be written: {error}"),
            &place,
            "the process itself was checked",
        );
    }

    fn record_to(&mut self, recording: Recording) {
        let detector = std::mem::replace(&mut self.detector, Box::new(NoDetector));
        self.detector = Box::new(RecordedDetector { detector, recording: recording.clone() });
        self.journal.recording = Some(recording);
    }

    /// The session ends, and the trace with it. A failure to write it is returned here.
    pub fn end_recording(&mut self) -> std::io::Result<()> {
        self.finish();
        self.journal.recording.take().map_or(Ok(()), |recording| recording.finish())
    }

    /// Takes device memory.
    pub fn allocate(
        &mut self,
        bytes: u64,
        kind: AllocationKind,
    ) -> Result<DeviceAddress, RuntimeError> {
        let mut allocated = self.memory.allocate(bytes, kind);
        if allocated.is_err() && !self.freed.is_empty() {
            // What was freed is needed more than the race that it might show.
            let freed = std::mem::take(&mut self.freed);
            freed.into_iter().try_for_each(|(_, address)| self.free(address))?;
            allocated = self.memory.allocate(bytes, kind);
        }
        let address = allocated.map_err(|error| self.memory_error(error))?;
        if kind.is_host_visible() {
            self.order.set_host_can_race(true);
        }
        let label = format!("allocation {} of {bytes} bytes", self.next_allocation);
        self.next_allocation += 1;
        self.announce(&[PlacedVariable { label, address, bytes }]);
        Ok(address)
    }

    /// Takes device memory for something that has a name.
    pub fn allocate_named(
        &mut self,
        bytes: u64,
        name: &str,
    ) -> Result<DeviceAddress, RuntimeError> {
        let allocated = self.memory.allocate(bytes, AllocationKind::Device);
        let address = allocated.map_err(|error| self.memory_error(error))?;
        self.announce(&[PlacedVariable { label: name.to_string(), address, bytes }]);
        Ok(address)
    }

    /// Gives memory back that was freed before a piece of work, or before all that may come.
    fn give_back_freed(&mut self, before: Option<WorkId>) -> Result<(), RuntimeError> {
        let earlier = before.map(|work| self.order.with_before(work)).unwrap_or_default();
        let is_over = |work: &WorkId| !self.order.counts(*work) || earlier.contains(work);
        let (over, left) = self.freed.iter().partition(|(work, _)| is_over(work));
        self.freed = left;
        let over: Vec<(WorkId, DeviceAddress)> = over;
        over.into_iter().try_for_each(|(_, address)| self.free(address))
    }

    /// Gives device memory back.
    pub fn free(&mut self, address: DeviceAddress) -> Result<(), RuntimeError> {
        self.memory.free(address).map_err(|error| self.memory_error(error))?;
        self.emit(&[Event::Free { address }]);
        Ok(())
    }

    fn announce(&mut self, placed: &[PlacedVariable]) {
        for PlacedVariable { label, address, bytes } in placed {
            self.memory.set_label(*address, label);
            self.emit(&[Event::Allocation { address: *address, bytes: *bytes, label }]);
        }
    }

    /// Emits something that happened outside of kernels.
    fn emit(&mut self, events: &[Event<'_>]) {
        emit(&mut *self.detector, &mut self.journal, events);
    }

    /// Whether an address is one of device memory, allocated or not.
    pub fn is_device_address(&self, address: u64) -> bool {
        self.memory.is_device_address(address)
    }

    /// Free and total bytes of device memory.
    pub fn memory_info(&self) -> (u64, u64) {
        (self.memory.free_bytes(), self.memory.total_bytes())
    }

    /// The order of streams and events.
    pub fn order(&mut self) -> &mut WorkOrder {
        &mut self.order
    }

    /// What kernels printed since this was last asked.
    pub fn take_printed(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.printed)
    }

    /// Who is called with how far launches are.
    pub fn set_progress(&mut self, progress: ProgressListener) {
        self.progress = Some(progress);
    }

    /// Warp instructions of all launches so far.
    pub fn warp_instructions(&self) -> u64 {
        self.warp_instructions
    }

    /// The program called something of the API that is not there.
    pub fn not_supported(&mut self, entry_point: &str) -> RuntimeError {
        RuntimeError::NotSupported(self.journal.refuse(not_supported(entry_point)))
    }

    /// The program called, or asked for, a function of the driver that is not there.
    pub fn driver_function_not_supported(&mut self, name: &str) -> RuntimeError {
        RuntimeError::NotSupported(self.journal.refuse_driver_function(not_supported(name)))
    }

    /// Names something that warpsan does not do, and what came of it.
    fn refuse(&mut self, what: String, place: String, advice: &str) -> Refusal {
        self.journal.refuse(NotCovered { what, place, advice: advice.to_string() })
    }

    /// The program uses a kernel or a variable after it has taken away the code, which its end does before its last
    /// destructors run.
    pub fn code_is_gone(&mut self, name: &str) -> RuntimeError {
        RuntimeError::CodeIsGone(self.refuse(
            "a use of code that the program has unregistered, which it does when it ends".to_string(),
            format!("`{}`", warpsan_ir::display_name(name)),
            "the call returned cudaErrorCudartUnloading; use the device before the end of main, or in handlers that were registered there",
        ))
    }

    /// An error of device memory. What a GPU would refuse, too, is the program's; the rest is named.
    fn memory_error(&mut self, error: MemoryError) -> RuntimeError {
        let text = error.to_string();
        match error {
            MemoryError::OutOfMemory { asked, free } if asked > free => {
                RuntimeError::OutOfMemory(text)
            }
            MemoryError::OutOfMemory { .. } | MemoryError::Mapping(_) => {
                let advice = "the call returned cudaErrorMemoryAllocation, and the program went on";
                RuntimeError::NoRoom(self.refuse(text, DEVICE_MEMORY.to_string(), advice))
            }
            MemoryError::NotHostVisible => {
                let advice = "the call returned cudaErrorNotSupported, and the program went on";
                RuntimeError::NotSupported(self.refuse(text, DEVICE_MEMORY.to_string(), advice))
            }
            MemoryError::NotAnAllocation(_) | MemoryError::OutOfBounds { .. } => {
                RuntimeError::InvalidValue(text)
            }
        }
    }

    /// Something was done whose consequences are not checked.
    pub fn not_checked(&mut self, what: &str, place: &str, advice: &str) {
        self.journal.not_covered(NotCovered {
            what: what.to_string(),
            place: place.to_string(),
            advice: advice.to_string(),
        });
    }

    /// A bug of warpsan showed itself; nothing that follows can be relied on.
    pub fn internal_error(&mut self, what: &str) {
        self.not_checked(
            &format!("warpsan itself failed: {what}"),
            "inside of warpsan",
            "please report this with the program that shows it",
        );
    }

    /// The session ends in good order, and the trace of its process with it. What comes later is still
    /// taken into the report.
    pub fn finish(&mut self) {
        if !self.ended {
            self.ended = true;
            if self.options.statistics {
                let of_copies = self.on_copies.as_ref().and_then(OnCopies::statistics);
                let counted = of_copies.unwrap_or_else(|| self.detector.statistics());
                self.journal.statistics(counted);
            }
            self.journal.write(Record::End);
            if self.options.record_trace.is_some()
                && let Some(recording) = self.journal.recording.take()
                && let Err(error) = recording.finish()
            {
                self.trace_is_missing(&error);
            }
        }
    }

    /// The report of a session in memory.
    pub fn into_report(mut self) -> ProcessReport {
        self.finish();
        self.journal.into_report()
    }
}

/// Where memory is missing, in the words of a report.
const DEVICE_MEMORY: &str = "memory of the emulated device";

/// What a session needs and may not get.
fn parts(options: &Options) -> Result<(Box<dyn Detector>, DeviceMemory, Schedules), SessionError> {
    let schedules = options.schedules()?;
    Ok((options.detector(), DeviceMemory::reserve()?, schedules))
}

/// What a report says about a call that is not answered.
fn not_supported(entry_point: &str) -> NotCovered {
    NotCovered {
        what: format!("{entry_point} is not supported yet"),
        place: "a call of the CUDA runtime API".to_string(),
        advice: "the call returned cudaErrorNotSupported, and the program went on".to_string(),
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use tests::sample_race;
