//! The machine itself: one struct with all that CUDA keeps for a process.

use super::advice::Advice;
use super::capture::Captures;
use super::device_settings::DeviceSettings;
use super::error::CudaError;
use super::events::Events;
use super::graphs::Graphs;
use super::host;
use super::libraries::Libraries;
use super::page_locked::PageLockedMemory;
use super::pools::Pools;
use super::registered_memory::RegisteredMemory;
use super::registry::Registry;
use super::stream_attributes::StreamAttributes;
use super::streams::Streams;
use crate::{ApiCall, Session, WorkSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// All that CUDA keeps for a process, whichever API the program mixes. It is behind one lock (`process.rs`).
#[derive(Default)]
pub struct Machine {
    /// Made on first use; see [`Machine::session`].
    session: Option<Session>,
    /// The session could not be made. Its report says so, once.
    session_failed: bool,
    /// The call that runs now.
    pub(super) entry_point: String,
    /// What the call that runs now has to wait for.
    pub(super) waits: Waits,
    /// Code, kernels and variables.
    pub registry: Registry,
    /// Streams.
    pub streams: Streams,
    /// Attributes of streams.
    pub stream_attributes: StreamAttributes,
    /// Events.
    pub events: Events,
    /// Captures of streams.
    pub captures: Captures,
    /// Graphs, and those that can be launched.
    pub graphs: Graphs,
    /// Page-locked memory that CUDA has allocated.
    pub page_locked: PageLockedMemory,
    /// Memory of the program that it has registered.
    pub registered_memory: RegisteredMemory,
    /// Pools of memory.
    pub pools: Pools,
    /// What was said of managed memory.
    pub advice: Advice,
    /// Limits, flags and preferences.
    pub device_settings: DeviceSettings,
    /// Libraries of kernels.
    pub libraries: Libraries,
}

/// What a call has to wait for before it returns.
#[derive(Default)]
pub(super) struct Waits {
    pub(super) awaited: Vec<WorkSet>,
    /// The call has asked whether work is done, and advances it a little.
    pub(super) asked: bool,
}

/// The process that made the session, or 0 before there is one.
static SESSION_PROCESS: AtomicU32 = AtomicU32::new(0);

/// Whether a session was made, by this process or by the one that it was forked from.
pub(super) fn has_session() -> bool {
    SESSION_PROCESS.load(Ordering::Acquire) != 0
}

/// Whether this process was forked from one that had a session. CUDA does not survive a fork.
pub fn is_forked_child() -> bool {
    let process = SESSION_PROCESS.load(Ordering::Acquire);
    process != 0 && process != std::process::id()
}

impl Machine {
    /// The session, made on first use. Registering code does not need one, so that a program that
    /// only carries kernels, or forks before it uses them, is not disturbed.
    pub fn session(&mut self) -> Result<&mut Session, CudaError> {
        Ok(self.session_and_registry()?.0)
    }

    /// The session together with the registry, for what needs both.
    pub fn session_and_registry(&mut self) -> Result<(&mut Session, &mut Registry), CudaError> {
        if self.session_failed {
            return Err(CudaError::INITIALIZATION_ERROR);
        }
        if self.session.is_none() {
            self.session = Some(self.start_session()?);
        }
        let session = self.session.as_mut().ok_or(CudaError::INITIALIZATION_ERROR)?;
        Ok((session, &mut self.registry))
    }

    fn start_session(&mut self) -> Result<Session, CudaError> {
        let mut session = Session::from_env().map_err(|error| {
            self.session_failed = true;
            tracing::error!("the session of this process could not be started: {error}");
            CudaError::INITIALIZATION_ERROR
        })?;
        SESSION_PROCESS.store(std::process::id(), Ordering::Release);
        if let Some(host) = host::get() {
            session.set_host_frames(host.frames_at.clone());
            (host.session_started)();
        }
        Ok(session)
    }

    /// A machine around a session that keeps its report.
    pub fn with_session(session: Session) -> Machine {
        Machine { session: Some(session), ..Machine::default() }
    }

    /// The session, given up with the machine around it.
    pub fn into_session(self) -> Option<Session> {
        self.session
    }

    /// The session, if something has already needed it.
    pub fn existing_session(&mut self) -> Option<&mut Session> {
        self.session.as_mut()
    }

    /// The call that runs now, with the place where the program makes it.
    pub fn current_call(&self) -> ApiCall {
        let name = self.entry_point.clone();
        let frames = host::get().map_or_else(no_frames, |host| (host.caller)());
        ApiCall { name, frames }
    }

    /// The call that runs now, where nobody will ask for its place: finding it takes a while.
    pub(super) fn current_call_by_name(&self) -> ApiCall {
        ApiCall { name: self.entry_point.clone(), frames: no_frames() }
    }

    /// Records a call, or a use of one, that is not answered.
    pub fn refuse<T>(&mut self, what: &str) -> Result<T, CudaError> {
        Err(self.session()?.not_supported(what).into())
    }

    /// Records a function of the driver that is not answered.
    pub fn refuse_driver_function<T>(&mut self, name: &str) -> Result<T, CudaError> {
        Err(self.session()?.driver_function_not_supported(name).into())
    }
}

fn no_frames() -> host::CallerFrames {
    Arc::new(Vec::new)
}
