//! Contexts: whose state something belongs to, and what happens when one ends.
//!
//! A device's memory, modules and streams belong to a context, and so does all that the engine has there. A program may
//! have several at a time: of one device, of several, and one current in each of its threads. A launch belongs to the
//! context of its stream; what needs a current context gets it by [`Engine::within`].

use super::device::Device;
use super::{Engine, State};
use crate::driver_types::{CUcontext, CUdevice, CUevent, CUgreenCtx, CUresult, CUstream};
use crate::hooks::{CodeContainer, ContextEnd, LaunchCall, LaunchSource};
use std::collections::HashMap;

/// What is known of contexts themselves.
#[derive(Debug, Default)]
pub(super) struct Contexts {
    /// Contexts with a part of a device, and the one of the whole, whose memory and modules they share.
    whole: HashMap<CUcontext, CUcontext>,
    /// How often the program has asked for each.
    users: HashMap<CUcontext, u32>,
}

impl Contexts {
    /// A context was made, or somebody else uses it, too. Its handle may have been another's.
    pub(super) fn made(&mut self, context: CUcontext) {
        self.whole.remove(&context);
        *self.users.entry(context).or_default() += 1;
    }

    /// One user less: whether that was the last one, as far as was seen.
    fn is_last(&mut self, context: CUcontext) -> bool {
        let users = self.users.entry(context).or_default();
        *users = users.saturating_sub(1);
        *users == 0
    }

    fn forget(&mut self, context: CUcontext) {
        self.users.remove(&context);
        self.whole.retain(|part, whole| *part != context && *whole != context);
    }
}

impl Engine {
    /// The context of this thread's calls; none if it has none.
    pub(super) fn current_context(&self, state: &mut State) -> Option<CUcontext> {
        self.context_of_stream(state, CUstream::NULL)
    }

    /// The context of a stream's work.
    pub(super) fn context_of_stream(
        &self,
        state: &mut State,
        stream: CUstream,
    ) -> Option<CUcontext> {
        let mut context = CUcontext::NULL;
        // SAFETY: a place for a context, and a stream of the program.
        let answer = unsafe {
            match stream {
                CUstream::NULL | CUstream::LEGACY | CUstream::PER_THREAD => {
                    self.driver.cuCtxGetCurrent(&mut context)
                }
                _ => self.driver.cuStreamGetCtx(stream, &mut context),
            }
        };
        if !answer.is_success() || context.is_null() {
            return None;
        }
        if state.devices.contains_key(&context) {
            return Some(context);
        }
        let whole = state.contexts.whole.entry(context);
        Some(*whole.or_insert_with(|| self.whole_of(stream).unwrap_or(context)))
    }

    /// The context of the whole device, for that of a part of it.
    fn whole_of(&self, stream: CUstream) -> Option<CUcontext> {
        let (mut whole, mut part) = (CUcontext::NULL, CUgreenCtx::NULL);
        // SAFETY: places for two contexts, and a stream of the program.
        let answer = self
            .uncaptured(|| unsafe { self.driver.cuStreamGetCtx_v2(stream, &mut whole, &mut part) });
        (answer.is_success() && !part.is_null() && !whole.is_null()).then_some(whole)
    }

    /// The context that a launch, or a node, is for, as far as the call says.
    pub(super) fn context_of_launch(
        &self,
        state: &mut State,
        call: &LaunchCall,
    ) -> Option<CUcontext> {
        match call.source {
            LaunchSource::Stream | LaunchSource::SeveralDevices => {
                self.context_of_stream(state, call.named_stream())
            }
            _ if !call.context.is_null() => {
                Some(state.contexts.whole.get(&call.context).copied().unwrap_or(call.context))
            }
            _ => self.current_context(state),
        }
    }

    /// Does something while a context is current; nothing if it cannot be.
    pub(super) fn within<T>(&self, context: CUcontext, action: impl FnOnce() -> T) -> Option<T> {
        let mut current = CUcontext::NULL;
        // SAFETY: a place for a context.
        unsafe { self.driver.cuCtxGetCurrent(&mut current) };
        if current == context {
            return Some(action());
        }
        // SAFETY: a context of the program.
        unsafe { self.driver.cuCtxPushCurrent_v2(context) }.ok().ok()?;
        let result = action();
        // SAFETY: what was pushed is taken away again.
        unsafe { self.driver.cuCtxPopCurrent_v2(&mut current) };
        Some(result)
    }

    /// Runs with what the engine has in a context, which is current meanwhile. It is made on first use.
    pub(super) fn with_device_of<T>(
        &self,
        state: &mut State,
        context: CUcontext,
        action: impl FnOnce(&mut State, &mut Device) -> T,
    ) -> Option<T> {
        self.within(context, || {
            let mut device = match state.devices.remove(&context) {
                Some(device) => device,
                None => match self.uncaptured(|| Device::new(self, context)) {
                    Ok(mut device) => {
                        device.uncovered = state.memory.reachable(context);
                        device
                    }
                    Err(error) => {
                        let text = format!("the GPU cannot be used for checking: {error}");
                        self.listener.warning(&text);
                        return None;
                    }
                },
            };
            let result = action(state, &mut device);
            state.devices.insert(context, device);
            Some(result)
        })?
    }

    /// Does something in the order of a stream, which may be one of another context: then in the engine's own stream,
    /// behind what the stream has, and before what comes next in it.
    pub(super) fn in_order_of(
        &self,
        (stream, of_stream): (CUstream, CUcontext),
        device: &mut Device,
        action: impl FnOnce(&mut Device, CUstream),
    ) {
        if of_stream == device.context {
            return action(device, stream);
        }
        let (own, own_context) = (device.stream, device.context);
        self.follow((own, own_context), (stream, of_stream));
        action(device, own);
        self.follow((stream, of_stream), (own, own_context));
    }

    /// Lets what comes next in one stream wait for all that is in another.
    fn follow(&self, later: (CUstream, CUcontext), earlier: (CUstream, CUcontext)) {
        const WITHOUT_TIMING: u32 = 2;
        let driver = self.driver;
        let mut event = CUevent::NULL;
        // SAFETY: a place for an event, which is recorded in its own context, and may be destroyed before it is over.
        let recorded = self.within(earlier.1, || unsafe {
            driver.cuEventCreate(&mut event, WITHOUT_TIMING);
            driver.cuEventRecord(event, earlier.0)
        });
        // SAFETY: an event and a stream, which may be of different contexts.
        let waits = self.within(later.1, || unsafe { driver.cuStreamWaitEvent(later.0, event, 0) });
        // SAFETY: the same event, which nobody else knows.
        self.within(earlier.1, || unsafe { driver.cuEventDestroy_v2(event) });
        if [recorded, waits].iter().any(|done| done.is_none_or(|done| !done.is_success())) {
            self.listener.warning("a graph of several contexts: what is found in it may be wrong");
        }
    }

    /// The primary context of a device, if it is in use.
    fn primary_of(&self, device: CUdevice) -> Option<CUcontext> {
        if !self.is_in_use(device) {
            return None;
        }
        let mut context = CUcontext::NULL;
        // SAFETY: a place for a context. It is in use, so that this makes none.
        unsafe {
            self.driver.cuDevicePrimaryCtxRetain(&mut context, device).ok().ok()?;
            self.driver.cuDevicePrimaryCtxRelease_v2(device);
        }
        Some(context)
    }

    fn is_in_use(&self, device: CUdevice) -> bool {
        let (mut flags, mut active) = (0, 0);
        // SAFETY: places for two numbers.
        let answer =
            unsafe { self.driver.cuDevicePrimaryCtxGetState(device, &mut flags, &mut active) };
        answer.is_success() && active != 0
    }

    /// A context ends by `real`, or one user of it goes. What was found in it is read before, since everything in it is
    /// gone afterwards.
    pub(super) fn end_context(
        &self,
        end: ContextEnd,
        real: &mut dyn FnMut() -> CUresult,
    ) -> CUresult {
        let mut state = self.lock();
        let context = match end {
            ContextEnd::Destroyed(context) => Some(context),
            ContextEnd::PrimaryReset(device) | ContextEnd::PrimaryReleased(device) => {
                self.primary_of(device)
            }
        };
        let Some(context) = context else {
            drop(state);
            return real();
        };
        let is_end = match end {
            ContextEnd::PrimaryReleased(_) => state.contexts.is_last(context),
            _ => true,
        };
        if is_end {
            self.read_last(&mut state, context);
        }
        let mut result = CUresult::UNKNOWN;
        let mut is_gone = false;
        let mut ends = || {
            result = real();
            is_gone = match end {
                ContextEnd::PrimaryReleased(device) => !self.is_in_use(device),
                _ => result.is_success(),
            };
            is_gone
        };
        match state.devices.get(&context) {
            Some(device) => device.reports.while_paused(ends),
            None => {
                ends();
            }
        }
        if is_gone {
            self.forget_context(&mut state, context);
        }
        result
    }

    /// Waits for what runs in a context, and reads what was found.
    fn read_last(&self, state: &mut State, context: CUcontext) {
        if let Some(watchdog) = &self.watchdog {
            watchdog.forget(context);
        }
        let Some(device) = state.devices.get_mut(&context) else { return };
        self.within(context, || {
            self.uncaptured(|| {
                // SAFETY: the current context.
                unsafe { self.driver.cuCtxSynchronize() };
                if let Some(shipping) = &mut device.shipping {
                    shipping.wait();
                }
                device.reports.drain(self);
                self.report_gaps(device);
                self.report_entry_gaps(device);
            });
        });
    }

    /// Everything in a context is gone.
    fn forget_context(&self, state: &mut State, context: CUcontext) {
        if let Some(device) = state.devices.remove(&context) {
            self.forget_memory(device.stream);
        }
        for gone in state.memory.forget_context(context) {
            for device in state.devices.values_mut() {
                device.lost(gone);
            }
        }
        state.modules.retain(|_, of| *of != context);
        let State { code, modules, .. } = state;
        code.retain(|container, _| match container {
            CodeContainer::Module(module) => modules.contains_key(module),
            CodeContainer::Library(_) => true,
        });
        state.identities.forget_context(context);
        state.variants.forget_context(context);
        state.contexts.forget(context);
    }

    /// Reads the last reports.
    pub(super) fn drain_all(&self) {
        let mut state = self.lock();
        for (context, device) in &mut state.devices {
            self.within(*context, || {
                if let Some(shipping) = &mut device.shipping {
                    shipping.wait();
                }
                // The last launches may not be compared yet, nor their gaps be known.
                let (has_sets, has_pools) = (!device.sets.is_empty(), device.pools.is_some());
                if has_sets || has_pools || !device.copies.is_empty() {
                    // SAFETY: the current context.
                    unsafe { self.driver.cuCtxSynchronize() };
                }
                if has_sets {
                    self.report_gaps(device);
                }
                if has_pools {
                    self.report_entry_gaps(device);
                }
                device.reports.end(self);
            });
        }
    }
}
