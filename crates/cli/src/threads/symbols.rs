//! What raw stacks and addresses mean. Every file is read once.

use super::module::{Module, Variable};
use std::collections::HashMap;
use warpsan_model::{SourceFrame, position_for_reader};
use warpsan_thread_report::StackFrame;

/// The files of all processes of a run.
#[derive(Default)]
pub(super) struct Symbols {
    modules: HashMap<String, Module>,
}

impl Symbols {
    fn module(&mut self, path: &str) -> &Module {
        self.modules.entry(path.to_string()).or_insert_with(|| Module::new(path))
    }

    /// A stack with names and lines, from the inside out; functions that were inlined are calls as any other.
    pub(super) fn stack(&mut self, stack: &[StackFrame]) -> Vec<SourceFrame> {
        stack.iter().flat_map(|frame| self.module(&frame.module).frames(frame.offset)).collect()
    }

    /// The variable at an address of a file.
    pub(super) fn variable(&mut self, path: &str, offset: u64) -> Option<&Variable> {
        self.module(path).variable(offset)
    }
}

/// The frame of a stack that a reader should look at: the innermost one of the program's own code that has a line, or else
/// the innermost one. What happens in a header of a library belongs to the line of the program that leads there.
pub(super) fn shown(stack: &[SourceFrame]) -> Option<&SourceFrame> {
    let position = position_for_reader(stack);
    let has_it =
        |frame: &&SourceFrame| frame.position.is_some() && frame.position.as_ref() == position;
    stack.iter().find(has_it).or_else(|| stack.first())
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_model::SourcePosition;

    fn frame(file: &str, line: u32) -> SourceFrame {
        let position = SourcePosition { file: file.into(), line, column: 0 };
        SourceFrame { function: format!("f{line}").into(), position: Some(position) }
    }

    #[test]
    fn what_happens_in_a_header_belongs_to_the_line_that_leads_there() {
        let unknown = SourceFrame { function: "g (libx.so+0x1)".into(), position: None };
        let stack = [unknown, frame("/usr/include/c++/12/atomic", 1), frame("/src/a.cpp", 2)];
        assert_eq!(shown(&stack), Some(&stack[2]));
        assert_eq!(shown(&stack[..2]), Some(&stack[1]), "a header is better than nothing");
        assert_eq!(shown(&stack[..1]), Some(&stack[0]));
        assert_eq!(shown(&[]), None);
    }
}
