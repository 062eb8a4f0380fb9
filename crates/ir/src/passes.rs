//! The passes that make a function of the syntax tree one that the engines can use, in their order.

use crate::control_flow::ControlFlow;
use crate::{
    Function, LowerError, ModuleIndex, loops, lower, moved_lines, reconvergence, speculation,
    unused_elements, unused_results,
};

/// The kernel or function of this name, with every pass applied.
pub fn run(index: &ModuleIndex<'_>, name: &str) -> Result<Function, LowerError> {
    let mut function = lower::run(index, name)?;
    moved_lines::run(&mut function);
    unused_elements::run(&mut function);
    unused_results::run(&mut function);
    speculation::run(&mut function);
    function.control_flow = ControlFlow::of(&function.code);
    function.loops = loops::run(&function.control_flow);
    reconvergence::run(&mut function.code, &function.control_flow);
    Ok(function)
}
