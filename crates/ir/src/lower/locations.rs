use crate::display_name;
use std::collections::HashMap;
use std::sync::Arc;
use warpsan_model::{SourceFrame, SourcePosition};
use warpsan_ptx::{Location, Module};

/// Longer chains than this are a loop in the line table.
const LONGEST_CHAIN: usize = 64;

type Place = (u32, u32, u32);

/// Follows the `.loc` directives of one function.
#[derive(Debug, Default)]
pub(super) struct LineReader<'s> {
    current: Option<Location<'s>>,
    /// The newest `.loc` of each place: an `inlined_at` refers to it, and it may be inlined itself.
    newest: HashMap<Place, Location<'s>>,
}

impl<'s> LineReader<'s> {
    pub(super) fn advance(&mut self, location: &Location<'s>) {
        // Line 0 marks code that the compiler made up; the line before it is the better answer.
        if location.line == 0 {
            return;
        }
        self.newest.insert((location.file, location.line, location.column), location.clone());
        self.current = Some(location.clone());
    }

    /// The frames of the current place, innermost first, up to `function` itself.
    pub(super) fn frames(&self, module: &Module<'_>, function: &str) -> Vec<SourceFrame> {
        let own_name = || Arc::from(display_name(function));
        let Some(mut location) = self.current.as_ref() else {
            return vec![SourceFrame { function: own_name(), position: None }];
        };
        let mut frames = Vec::new();
        let mut place = (location.file, location.line, location.column);
        loop {
            let position = module.files.get(&place.0).map(|file| SourcePosition {
                file: Arc::from(*file),
                line: place.1,
                column: place.2,
            });
            let inlined = location.inlined.filter(|_| frames.len() < LONGEST_CHAIN);
            let Some((label, outer)) = inlined else {
                frames.push(SourceFrame { function: own_name(), position });
                return frames;
            };
            let name = module.debug_strings.get(label).map_or(label, String::as_str);
            frames.push(SourceFrame { function: Arc::from(display_name(name)), position });
            place = outer;
            match self.newest.get(&outer) {
                Some(next) if next != location => location = next,
                _ => {
                    let position = module.files.get(&place.0).map(|file| SourcePosition {
                        file: Arc::from(*file),
                        line: place.1,
                        column: place.2,
                    });
                    frames.push(SourceFrame { function: own_name(), position });
                    return frames;
                }
            }
        }
    }
}
