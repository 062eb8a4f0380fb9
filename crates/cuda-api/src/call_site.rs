//! Where the program calls the API, for reports of copies and fills that race.

use std::ffi::c_void;
use warpsan_runtime::{SourceFrame, SourcePosition, is_toolkit_header};

/// Deeper frames say nothing more about a call.
const MOST_FRAMES: usize = 16;

/// The function of the program that called the API, with those that it is inlined into. It takes a while, so
/// it is asked for only where the call is told to somebody.
pub(crate) fn frames() -> Vec<SourceFrame> {
    let own = object_of(frames as *const c_void);
    let mut addresses = Vec::new();
    backtrace::trace(|frame| {
        let address = frame.ip();
        if !addresses.is_empty() || object_of(address) != own {
            addresses.push(address);
        }
        addresses.len() < MOST_FRAMES
    });
    // Templates of the toolkit's headers are not the program's own functions.
    let is_own = |frame: &SourceFrame| {
        frame.position.as_ref().is_some_and(|position| !is_toolkit_header(&position.file))
    };
    let mut resolved = addresses.into_iter().map(resolve);
    resolved.find(|frames| frames.iter().any(is_own)).unwrap_or_default()
}

/// What the line table says of an address that a call returns to: with inlined functions, several frames.
fn resolve(address: *mut c_void) -> Vec<SourceFrame> {
    let mut frames = Vec::new();
    // The call itself is before the place that it returns to.
    backtrace::resolve(address.wrapping_byte_sub(1), |symbol| {
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
            let positions = resolve(frame.ip()).into_iter().filter_map(|frame| frame.position);
            found = positions.into_iter().find(|position| position.file.ends_with("call_site.rs"));
            found.is_none()
        });
        assert!(found.is_some_and(|position| position.line > 50), "this test's own frame");
    }
}
