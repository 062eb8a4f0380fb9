//! A trace in the STD format as a source file: its lines are the places of its events.

use super::module::Variable;
use std::path::Path;
use warpsan_model::{SourceFrame, SourcePosition};
use warpsan_thread_trace::std_text::{self, NamedTrace};

/// The ending of such files.
pub(super) const ENDING: &str = "std";

/// A text, by its lines.
pub(super) struct TextModule {
    path: String,
    named: NamedTrace,
    variables: Vec<Variable>,
}

impl TextModule {
    /// The text of a file; none where it is something else.
    pub(super) fn of_file(path: &str) -> Option<TextModule> {
        Path::new(path).extension().filter(|extension| *extension == ENDING)?;
        let named = std_text::parse(&std::fs::read_to_string(path).ok()?).ok()?;
        let variable = |event: &warpsan_thread_trace::Event| {
            let (span, name) = match event.action {
                warpsan_thread_trace::Action::Read(span)
                | warpsan_thread_trace::Action::Write(span) => {
                    named.names.variable(span.address)?
                }
                _ => return None,
            };
            Some(Variable { start: span.address, bytes: span.size, name: name.to_owned() })
        };
        let mut variables: Vec<Variable> = named.trace.events.iter().filter_map(variable).collect();
        variables.sort_by_key(|variable| variable.start);
        variables.dedup();
        Some(TextModule { path: path.to_owned(), named, variables })
    }

    /// The frame of a line.
    pub(super) fn frame(&self, line: u64) -> SourceFrame {
        let at = self.named.lines.iter().position(|other| *other as u64 == line);
        let event = at.and_then(|place| self.named.trace.events.get(place));
        let name = event.and_then(|event| self.named.names.site(event.site)).unwrap_or_default();
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        let position = SourcePosition { file: self.path.as_str().into(), line, column: 0 };
        SourceFrame { function: name.into(), position: Some(position) }
    }

    pub(super) fn variables(&self) -> &[Variable] {
        &self.variables
    }
}
