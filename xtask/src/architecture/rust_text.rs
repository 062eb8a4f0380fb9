//! Rust source as plain text, with comments (and, if wanted, strings) blanked out: enough to look for a
//! macro or a declaration without being fooled by documentation that mentions it.

/// What is replaced by spaces. Line breaks always stay, so that line numbers do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Blank {
    Comments,
    CommentsAndStrings,
}

/// The source with the same length in characters, without the parts that are blanked.
pub(super) fn blank(source: &str, what: Blank) -> String {
    let text: Vec<char> = source.chars().collect();
    let mut kept = String::with_capacity(source.len());
    let mut at = 0;
    while at < text.len() {
        let (end, drop) = match part_at(&text, at) {
            Part::Comment(end) => (end, true),
            Part::Text(end) => (end, what == Blank::CommentsAndStrings),
            Part::Code(end) => (end, false),
        };
        for &character in &text[at..end] {
            kept.push(if drop && character != '\n' { ' ' } else { character });
        }
        at = end;
    }
    kept
}

/// The kind of the piece of source that starts here, and where it ends.
enum Part {
    Comment(usize),
    Text(usize),
    Code(usize),
}

fn part_at(text: &[char], at: usize) -> Part {
    let next = text.get(at + 1).copied();
    let after_name = at > 0 && is_name(text[at - 1]);
    match text[at] {
        '/' if next == Some('/') => {
            Part::Comment(find(text, at, |rest| rest[0] == '\n').unwrap_or(text.len()))
        }
        '/' if next == Some('*') => Part::Comment(end_of_block_comment(text, at)),
        '"' => Part::Text(end_of_string(text, at + 1)),
        'r' if !after_name => match raw_string_hashes(&text[at + 1..]) {
            Some(hashes) => Part::Text(end_of_raw_string(text, at + 2 + hashes, hashes)),
            None => Part::Code(at + 1),
        },
        // The prefixes of byte and C strings belong to the code; `br` and `cr` start a raw string.
        'b' | 'c' if !after_name && next == Some('r') => match raw_string_hashes(&text[at + 2..]) {
            Some(hashes) => Part::Text(end_of_raw_string(text, at + 3 + hashes, hashes)),
            None => Part::Code(at + 1),
        },
        '\'' => end_of_character(text, at).map_or(Part::Code(at + 1), Part::Text),
        _ => Part::Code(at + 1),
    }
}

pub(super) fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn find(text: &[char], from: usize, matches: impl Fn(&[char]) -> bool) -> Option<usize> {
    (from..text.len()).find(|&at| matches(&text[at..]))
}

/// Block comments nest in Rust.
fn end_of_block_comment(text: &[char], start: usize) -> usize {
    let mut depth = 0;
    let mut at = start;
    while at + 1 < text.len() {
        match (text[at], text[at + 1]) {
            ('/', '*') => {
                depth += 1;
                at += 2;
            }
            ('*', '/') => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    text.len()
}

fn end_of_string(text: &[char], mut at: usize) -> usize {
    while at < text.len() {
        match text[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// How many hashes stand between an `r` and its quote, if this is a raw string.
fn raw_string_hashes(after_r: &[char]) -> Option<usize> {
    let hashes = after_r.iter().take_while(|&&c| c == '#').count();
    (after_r.get(hashes) == Some(&'"')).then_some(hashes)
}

fn end_of_raw_string(text: &[char], from: usize, hashes: usize) -> usize {
    let closes = |rest: &[char]| {
        rest[0] == '"' && rest[1..].iter().take_while(|&&c| c == '#').count() >= hashes
    };
    find(text, from, closes).map_or(text.len(), |at| at + 1 + hashes)
}

/// A quote starts a character literal or a lifetime; only the first has an end.
fn end_of_character(text: &[char], at: usize) -> Option<usize> {
    if text.get(at + 1) == Some(&'\\') {
        return find(text, at + 3, |rest| rest[0] == '\'').map(|end| end + 1);
    }
    (text.get(at + 2) == Some(&'\'')).then_some(at + 3)
}

#[cfg(test)]
mod tests {
    use super::{Blank, blank};

    fn code(source: &str) -> String {
        let text = blank(source, Blank::CommentsAndStrings);
        assert_eq!(text.chars().count(), source.chars().count(), "positions are kept");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn comments_and_strings_disappear() {
        assert_eq!(code("a // println!()\nb"), "a b");
        assert_eq!(code("a /* x /* y */ z */ b"), "a b");
        assert_eq!(code(r#"a("x \" // y") b"#), "a( ) b");
        assert_eq!(code("a(r#\"x \" y\"#) b"), "a( ) b");
        assert_eq!(code("a(br\"x\") b"), "a( ) b");
        assert_eq!(code("a('\"') b"), "a( ) b");
        assert_eq!(code("a('\\'') b"), "a( ) b");
        assert_eq!(code("fn f<'a>(x: &'a str) {} g(\"x\")"), "fn f<'a>(x: &'a str) {} g( )");
    }

    #[test]
    fn strings_stay_when_only_comments_are_blanked() {
        assert_eq!(blank("f(\"// no\") // yes", Blank::Comments).trim_end(), "f(\"// no\")");
    }
}
