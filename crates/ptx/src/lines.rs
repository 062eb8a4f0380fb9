/// Where the lines of a text begin, for turning byte offsets into line numbers.
#[derive(Debug, Clone)]
pub struct LineIndex {
    line_ends: Vec<u32>,
}

impl LineIndex {
    /// Reads a text once.
    pub fn new(text: &str) -> LineIndex {
        let bytes = text.bytes().enumerate();
        LineIndex {
            line_ends: bytes.filter(|(_, b)| *b == b'\n').map(|(at, _)| at as u32).collect(),
        }
    }

    /// The line, from 1, that a byte offset lies in.
    pub fn line(&self, offset: u32) -> u32 {
        self.line_ends.partition_point(|end| *end < offset) as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_lines() {
        let index = LineIndex::new("ab\nc\n\nd");
        let lines: Vec<u32> = (0..9u32).map(|offset| index.line(offset)).collect();
        assert_eq!(lines, [1, 1, 1, 2, 2, 3, 4, 4, 4]);
    }
}
