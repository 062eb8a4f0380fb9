//! Lists of calls as frames.

use warpsan_thread_report::Stack;

use crate::context::Context;
use crate::modules;
use crate::own_code;

/// Frames of a list of calls, from the inside out.
pub(crate) fn stack(calls: Context) -> Stack {
    /// More than anybody reads; recursion may be deep.
    const FRAMES: usize = 256;
    let programs = calls.elements().filter(|address| !own_code::contains(*address));
    programs.take(FRAMES).map(modules::frame).collect()
}
