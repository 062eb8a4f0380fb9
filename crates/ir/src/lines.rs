//! The line table: `.loc` directives as source frames with their chain of inlining.

use crate::{ModuleIndex, display_name};
use std::collections::HashMap;
use std::sync::Arc;
use warpsan_model::{SourceFrame, SourcePosition, is_toolkit_header};
use warpsan_ptx::{Location, Place};

/// An entry of a function's [`LineTable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineId(pub u32);

/// Longer chains than this say nothing more to a reader.
const LONGEST_CHAIN: usize = 64;

/// The source lines of a function. An entry names the one it was inlined into, which always stands
/// before it.
#[derive(Debug, Default)]
pub struct LineTable {
    entries: Vec<Entry>,
    functions: Vec<Arc<str>>,
    files: HashMap<u32, Arc<str>>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    place: Option<Place>,
    function: u32,
    outer: Option<LineId>,
    /// The compiler gave no line; this is the one before it.
    is_guess: bool,
}

impl LineTable {
    /// Whether the compiler gave no line for what has this entry: it is the line before it.
    pub fn is_guess(&self, id: LineId) -> bool {
        self.entries.get(id.0 as usize).is_none_or(|entry| entry.is_guess)
    }

    /// The frames of an entry, innermost first, up to the function itself.
    pub fn frames(&self, id: LineId) -> Vec<SourceFrame> {
        let mut frames = Vec::new();
        let mut next = Some(id);
        while let Some(entry) = next.and_then(|id| self.entries.get(id.0 as usize)) {
            if frames.len() == LONGEST_CHAIN {
                break;
            }
            let position = entry.place.and_then(|place| {
                let file = self.files.get(&place.file)?.clone();
                Some(SourcePosition { file, line: place.line, column: place.column })
            });
            let function = self.functions[entry.function as usize].clone();
            frames.push(SourceFrame { function, position });
            next = entry.outer;
        }
        frames
    }
}

/// Fills a table while the statements of a function go by.
#[derive(Debug)]
pub(crate) struct LineReader<'a> {
    index: &'a ModuleIndex<'a>,
    table: LineTable,
    current: LineId,
    names: HashMap<&'a str, u32>,
    /// The newest entry of each place: an `inlined_at` refers to it, and it may be inlined itself.
    newest: HashMap<Place, LineId>,
    /// The newest entry of the function's own file. Debug builds expand small functions of the toolkit's headers
    /// without saying where, and that is there.
    own: Option<LineId>,
}

impl<'a> LineReader<'a> {
    pub(crate) fn new(index: &'a ModuleIndex<'a>, function: &str) -> LineReader<'a> {
        let files = index.files.iter().map(|(number, path)| (*number, Arc::from(*path)));
        let nowhere = Entry { place: None, function: 0, outer: None, is_guess: false };
        LineReader {
            index,
            table: LineTable {
                entries: vec![nowhere],
                functions: vec![Arc::from(display_name(function))],
                files: files.collect(),
            },
            current: LineId(0),
            names: HashMap::new(),
            newest: HashMap::new(),
            own: None,
        }
    }

    pub(crate) fn current(&self) -> LineId {
        self.current
    }

    pub(crate) fn frames(&self) -> Vec<SourceFrame> {
        self.table.frames(self.current)
    }

    pub(crate) fn finish(self) -> LineTable {
        self.table
    }

    pub(crate) fn advance(&mut self, location: &Location<'a>) {
        // Line 0 marks code that the compiler made up; the line before it is the better answer.
        if location.place.line == 0 {
            let before = self.table.entries[self.current.0 as usize];
            if !before.is_guess {
                self.current = self.push(Entry { is_guess: true, ..before });
            }
            return;
        }
        let place = Some(location.place);
        let entry = match location.inlined {
            None => {
                let outer = if self.is_of_toolkit(location.place) { self.own } else { None };
                Entry { place, function: 0, outer, is_guess: false }
            }
            Some(inlined) => {
                let outer = self.newest.get(&inlined.at).copied();
                let outer = outer.unwrap_or_else(|| {
                    self.push(Entry {
                        place: Some(inlined.at),
                        function: 0,
                        outer: None,
                        is_guess: false,
                    })
                });
                Entry {
                    place,
                    function: self.name(inlined.function),
                    outer: Some(outer),
                    is_guess: false,
                }
            }
        };
        self.current = self.push(entry);
        self.newest.insert(location.place, self.current);
        if location.inlined.is_none() && !self.is_of_toolkit(location.place) {
            self.own = Some(self.current);
        }
    }

    fn is_of_toolkit(&self, place: Place) -> bool {
        self.table.files.get(&place.file).is_some_and(|file| is_toolkit_header(file))
    }

    fn push(&mut self, entry: Entry) -> LineId {
        self.table.entries.push(entry);
        LineId(self.table.entries.len() as u32 - 1)
    }

    /// The number of an inlined function's name, given the label of its string.
    fn name(&mut self, label: &'a str) -> u32 {
        if let Some(known) = self.names.get(label) {
            return *known;
        }
        let name = self.index.debug_strings.get(label).map_or(label, String::as_str);
        self.table.functions.push(Arc::from(display_name(name)));
        let number = self.table.functions.len() as u32 - 1;
        self.names.insert(label, number);
        number
    }
}
