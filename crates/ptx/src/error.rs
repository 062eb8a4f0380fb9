use crate::{LineIndex, Span};

/// Something that is not PTX. It knows its place; the text makes a message of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where.
    pub span: Span,
    /// What would have been right there.
    pub expected: &'static str,
}

/// Longer tokens are cut off in a message.
const LONGEST_QUOTE: usize = 60;

impl SyntaxError {
    /// What was expected and what was found.
    pub fn message(&self, text: &str) -> String {
        let found = self.span.text(text);
        let expected = self.expected;
        match found.char_indices().nth(LONGEST_QUOTE) {
            _ if found.is_empty() => format!("expected {expected}, found the end of the text"),
            None => format!("expected {expected}, found `{found}`"),
            Some((end, _)) => format!("expected {expected}, found `{}…`", &found[..end]),
        }
    }

    /// The message with the line in front.
    pub fn message_with_line(&self, text: &str) -> String {
        let line = LineIndex::new(text).line(self.span.start);
        format!("line {line}: {}", self.message(text))
    }
}
