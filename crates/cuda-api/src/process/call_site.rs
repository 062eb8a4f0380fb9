//! Where the program calls the API, for reports of copies and fills that race.

use std::ffi::c_void;
use std::sync::Arc;
use warpsan_runtime::{SourceFrame, SourcePosition, is_library_source};

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

/// Functions of the C and C++ libraries, and templates of the toolkit's headers, are not the program's own.
fn is_own(frame: &SourceFrame) -> bool {
    frame.position.as_ref().is_some_and(|position| !is_library_source(&position.file))
}

/// The function of the program that an instruction lies in, with those that it is inlined into; the first of several
/// that is in one.
pub(crate) fn frames_at(way: &[usize]) -> Vec<SourceFrame> {
    let resolve = |instruction: &usize| resolve_before(instruction + 1);
    let of_program = way.iter().map(resolve).find(|frames| frames.iter().any(is_own));
    of_program.or_else(|| way.first().map(resolve)).unwrap_or_default()
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

    #[test]
    fn what_the_c_library_does_is_at_the_line_that_called_it() {
        let in_library = (libc::memcpy as *const c_void).expose_provenance();
        let own = (what_the_c_library_does_is_at_the_line_that_called_it as *const c_void)
            .expose_provenance();
        let is_here = |frames: &[SourceFrame]| {
            let position = frames.first().and_then(|frame| frame.position.as_ref());
            position.is_some_and(|position| position.file.ends_with("call_site.rs"))
        };
        assert!(is_here(&frames_at(&[in_library, own])));
        assert!(is_here(&frames_at(&[own, in_library])));
        assert!(!frames_at(&[in_library]).is_empty(), "better than nothing");
        assert!(frames_at(&[]).is_empty());
    }
}
