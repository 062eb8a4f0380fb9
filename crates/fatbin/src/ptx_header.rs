//! The first directives of a PTX file: for which version and which architecture it is.

use crate::Architecture;

/// What a PTX file says about itself at its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PtxHeader {
    pub(crate) version: (u16, u16),
    pub(crate) architecture: Option<Architecture>,
    pub(crate) debug: bool,
    pub(crate) wide_addresses: bool,
}

/// Whether this could be PTX: text whose first word, comments left out, is a directive.
pub(crate) fn looks_like_ptx(text: &[u8]) -> bool {
    Words { rest: text }.next().is_some_and(|word| word.starts_with(b"."))
}

/// Reads the directives that a PTX file starts with. What is not there stays at zero: whether the
/// file is good PTX is for the parser to say.
pub(crate) fn read_ptx_header(text: &[u8]) -> PtxHeader {
    let mut header =
        PtxHeader { version: (0, 0), architecture: None, debug: false, wide_addresses: false };
    let mut words = Words { rest: text }.peekable();
    while let Some(directive) = words.next() {
        match directive {
            b".version" => {
                let word = words.next().and_then(|word| std::str::from_utf8(word).ok());
                let numbers = word.and_then(|word| word.split_once('.'));
                if let Some((major, minor)) = numbers {
                    header.version = (major.parse().unwrap_or(0), minor.parse().unwrap_or(0));
                }
            }
            b".target" => {
                while let Some(target) = words.next_if(|word| !word.starts_with(b".")) {
                    let target = std::str::from_utf8(target).unwrap_or_default();
                    match target.parse() {
                        Ok(architecture) => header.architecture = Some(architecture),
                        Err(_) => header.debug |= target == "debug",
                    }
                }
            }
            b".address_size" => header.wide_addresses = words.next() == Some(b"64"),
            _ => break,
        }
    }
    header
}

/// Words, separated by white space, commas and comments.
struct Words<'t> {
    rest: &'t [u8],
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        loop {
            let start = self.rest.iter().position(|b| !b.is_ascii_whitespace() && *b != b',')?;
            self.rest = &self.rest[start..];
            if self.rest.starts_with(b"//") {
                let end = self.rest.iter().position(|b| *b == b'\n');
                self.rest = &self.rest[end.unwrap_or(self.rest.len())..];
            } else if self.rest.starts_with(b"/*") {
                let end = self.rest.windows(2).skip(2).position(|pair| pair == b"*/");
                self.rest = &self.rest[end.map_or(self.rest.len(), |end| end + 4)..];
            } else {
                break;
            }
        }
        let end = self.rest.iter().position(|b| b.is_ascii_whitespace() || *b == b',');
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directives_at_the_start_are_read() {
        let text = b"//\n// Generated\n/* a * comment **/\n.version 8.7\n.target sm_90a, debug\n\
                     .address_size 64\n.visible .entry k()";
        assert!(looks_like_ptx(text));
        let expected = PtxHeader {
            version: (8, 7),
            architecture: Some("sm_90a".parse().unwrap()),
            debug: true,
            wide_addresses: true,
        };
        assert_eq!(read_ptx_header(text), expected);
    }

    #[test]
    fn other_text_is_none() {
        for text in ["", "  ", "// only a comment", "/* open", "#include <cstdio>", "/*/ .version"]
        {
            assert!(!looks_like_ptx(text.as_bytes()), "{text}");
        }
        assert_eq!(read_ptx_header(b".target").architecture, None);
        assert_eq!(read_ptx_header(b".version x.y .target nonsense").version, (0, 0));
    }
}
