//! Source lines of loads that the compiler moved.
//!
//! A load that was moved out of a loop or merged with another has no line of its own any more (`.loc` with
//! line 0). Whoever reads its value first does, and stands where the programmer wrote the access.

use crate::speculation::Flow;
use crate::{Function, LineId, Op};

/// Gives moved loads the line of what reads them first.
pub(crate) fn run(function: &mut Function) {
    let is_moved = |at: usize| {
        let instruction = &function.code[at];
        matches!(instruction.op, Op::Load { .. }) && function.lines.is_guess(instruction.line)
    };
    let moved: Vec<usize> = (0..function.code.len()).filter(|at| is_moved(*at)).collect();
    if moved.is_empty() {
        return;
    }
    let flow = Flow::of(&function.code);
    let line_of_use = |at: usize| -> Option<LineId> {
        let readers = flow.writes(at).iter().filter_map(|name| flow.readers(*name, at)).flatten();
        let known = readers.filter(|reader| !function.lines.is_guess(flow.code[*reader].line));
        known.min().map(|reader| flow.code[reader].line)
    };
    let found: Vec<(usize, LineId)> =
        moved.into_iter().filter_map(|at| Some((at, line_of_use(at)?))).collect();
    drop(flow);
    for (at, line) in found {
        function.code[at].line = line;
    }
}
