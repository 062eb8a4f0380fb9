use std::ops::Range;

/// A range of bytes of the PTX text. Texts of 4 GiB and more are refused before anything is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}

impl Span {
    /// The span from one offset to another.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// As a range, to index the text with.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// What the text has there; nothing if it is not of that text.
    pub fn text(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or_default()
    }
}
