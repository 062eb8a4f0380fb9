//! Kernels whose checks are behind calls: the functions are compiled once for an architecture, and linked with each kernel by the driver.
//!
//! That takes a kernel a few milliseconds, where its functions would take it half a second; and the assembler keeps what a kernel has in
//! registers there, since it does not know what the functions need.

use super::Engine;
use super::compiler::{Compiled, compile_with};
use super::error::EngineError;
use crate::driver::DriverError;
use crate::driver_types::{CUjitInputType, CUlinkState};
use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, PoisonError};
use warpsan_instrument::{DevicePlan, LinkedPieces, linked_functions};

/// Registers of the functions: as many as threads have of which a multiprocessor has as many as it can. Functions that have more take less time, and the
/// kernels around them much more, since fewer threads are there to wait for memory.
const MOST_REGISTERS: &str = "-maxrregcount=32";
/// Code that is to be linked.
const RELOCATABLE: &str = "-c";
/// How functions are assembled.
const FUNCTIONS: &[&str] = &[RELOCATABLE, MOST_REGISTERS];

/// How a kernel is assembled: as it is, or to be linked with functions.
pub(super) fn kernel_flags(linked: Option<&LinkedPieces>) -> &'static [&'static str] {
    match linked {
        Some(linked) if !linked.pieces.is_empty() => &[RELOCATABLE],
        _ => &[],
    }
}

/// Which functions: the plan, one of its device libraries, and the architecture.
type Piece = (DevicePlan, usize, String);

/// Functions, as far as they were needed.
#[derive(Debug, Default)]
pub(super) struct Functions(Mutex<HashMap<Piece, Arc<Compiled>>>);

impl Functions {
    fn of(
        &self,
        engine: &Engine,
        plan: DevicePlan,
        piece: usize,
        target: &str,
    ) -> Result<Arc<Compiled>, EngineError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (plan, piece, target.to_owned());
        if let Some(functions) = known.get(&key) {
            return Ok(functions.clone());
        }
        let text = linked_functions(plan, piece, target).unwrap_or_default();
        let functions = compile_with(engine.settings.assembly(), text, target, FUNCTIONS)?;
        let functions = Arc::new(functions);
        known.insert(key, functions.clone());
        Ok(functions)
    }
}

/// Compiles the text of a kernel, and links it with the functions that it is to be linked with.
pub(super) fn compile_and_link(
    engine: &Engine,
    plan: DevicePlan,
    text: String,
    linked: Option<&LinkedPieces>,
    target: &str,
) -> Result<Compiled, EngineError> {
    let (pieces, flags) = (linked.map_or(&[][..], |linked| &linked.pieces), kernel_flags(linked));
    if pieces.is_empty() {
        return Ok(compile_with(engine.settings.assembly(), text, target, flags)?);
    }
    // The first kernel for an architecture does not wait for its functions before it is assembled.
    let (kernel, functions) = std::thread::scope(|scope| {
        let functions = scope.spawn(|| {
            let of = |piece: &usize| engine.functions.of(engine, plan, *piece, target);
            pieces.iter().map(of).collect::<Result<Vec<_>, _>>()
        });
        let kernel = compile_with(engine.settings.assembly(), text, target, flags);
        (kernel, functions.join())
    });
    let kernel = kernel?;
    let functions = functions.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    let functions = functions.iter().map(|functions| (c"functions", &**functions));
    let all: Vec<_> = [(c"kernel", &kernel)].into_iter().chain(functions).collect();
    Ok(link(engine, &all)?)
}

fn link(engine: &Engine, pieces: &[(&CStr, &Compiled)]) -> Result<Compiled, DriverError> {
    let driver = engine.driver;
    let mut state = CUlinkState::NULL;
    let (no_options, no_values) = (std::ptr::null(), std::ptr::null());
    // SAFETY: a place for the state, and no options.
    let created = unsafe { driver.cuLinkCreate_v2(0, no_options, no_values, &mut state) };
    driver.check("cuLinkCreate", created)?;
    let linked = pieces.iter().try_for_each(|(name, piece)| {
        // A text ends with a zero.
        let (kind, bytes) = match piece {
            Compiled::Cubin(bytes) => (CUjitInputType::CUBIN, bytes.clone()),
            Compiled::Text(text) => (CUjitInputType::PTX, [text.as_bytes(), &[0]].concat()),
        };
        let data = bytes.as_ptr().cast::<c_void>();
        // SAFETY: so many bytes and a name, which the driver copies.
        let added = unsafe {
            driver.cuLinkAddData_v2(
                state,
                kind,
                data,
                bytes.len(),
                name.as_ptr(),
                0,
                no_options,
                no_values,
            )
        };
        driver.check("cuLinkAddData", added)
    });
    let (mut code, mut bytes) = (std::ptr::null_mut(), 0);
    let linked = linked.and_then(|()| {
        // SAFETY: places for an address and a number.
        driver
            .check("cuLinkComplete", unsafe { driver.cuLinkComplete(state, &mut code, &mut bytes) })
    });
    let linked = linked.map(|()| {
        // SAFETY: the code is there until the state is destroyed.
        Compiled::Cubin(unsafe { std::slice::from_raw_parts(code.cast::<u8>(), bytes) }.to_vec())
    });
    // SAFETY: created above.
    unsafe { driver.cuLinkDestroy(state) };
    linked
}
