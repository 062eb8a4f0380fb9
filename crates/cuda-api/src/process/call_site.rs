//! Where the program calls the API, for reports of copies and fills that race.

use std::ffi::c_void;
use std::sync::Arc;
use warpsan_runtime::{SourceFrame, SourcePosition, is_toolkit_header};

/// Deeper frames say nothing more about a call.
const MOST_FRAMES: usize = 16;

/// Knows the function of the program that called the API, with those that it is inlined into. To find the lines
/// takes a while, so that is done only where the call is emitted or reported.
pub(crate) fn here() -> Arc<dyn Fn() -> Vec<SourceFrame> + Send + Sync> {
    let addresses = callers();
    Arc::new(move || {
        let mut resolved = addresses.iter().map(|address| resolve_before(*address));
        resolved.find(|frames| frames.iter().any(is_own)).unwrap_or_default()
    })
}

/// Where functions that called this library return to, innermost first.
fn callers() -> Vec<usize> {
    let own = object_of(callers as *const c_void);
    let mut addresses = Vec::new();
    backtrace::trace(|frame| {
        if !addresses.is_empty() || object_of(frame.ip()) != own {
            addresses.push(frame.ip().expose_provenance());
        }
        addresses.len() < MOST_FRAMES
    });
    addresses
}

/// An instruction of the program that led to this call.
pub(crate) fn caller() -> Option<usize> {
    let addresses = callers();
    let is_of_program = |address: &&usize| resolve_before(**address).iter().any(is_own);
    addresses.iter().find(is_of_program).or(addresses.first()).map(|address| address - 1)
}

/// Templates of the toolkit's headers are not the program's own functions.
fn is_own(frame: &SourceFrame) -> bool {
    frame.position.as_ref().is_some_and(|position| !is_toolkit_header(&position.file))
}

/// The function that an instruction of the program lies in, with those that it is inlined into.
pub(crate) fn frames_at(instruction: usize) -> Vec<SourceFrame> {
    resolve_before(instruction + 1)
}

/// What the line table says of the instruction before an address, as which a call is known by the place that it
/// returns to: with inlined functions, several frames.
fn resolve_before(address: usize) -> Vec<SourceFrame> {
    let mut frames = Vec::new();
    backtrace::resolve(std::ptr::with_exposed_provenance_mut(address), |symbol| {
        let position = symbol.filename().zip(symbol.lineno()).map(|(file, line)| SourcePosition {
            file: file.to_string_lossy().into(),
            line,
            column: symbol.colno().unwrap_or(0),
        });
        let function = symbol.name().map_or_else(|| "?".to_string(), |name| name.to_string());
        frames.push(SourceFrame { function: function.into(), position });
    });
    frames
}

/// Where the executable or library that has an address begins.
fn object_of(address: *const c_void) -> usize {
    // SAFETY: a `Dl_info` is pointers, which may be null.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: any address may be asked about, and the answer goes to a place of our own.
    match unsafe { libc::dladdr(address, &mut info) } {
        0 => 0,
        _ => info.dli_fbase.addr(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_resolved_to_its_function_and_line() {
        let mut found = None;
        backtrace::trace(|frame| {
            let positions =
                resolve_before(frame.ip().addr()).into_iter().filter_map(|frame| frame.position);
            found = positions.into_iter().find(|position| position.file.ends_with("call_site.rs"));
            found.is_none()
        });
        assert!(found.is_some_and(|position| position.line > 50), "this test's own frame");
    }
}
