//! `printf` of kernels.
//!
//! The format is taken apart here, since the values come out of device memory; C's own `snprintf`
//! puts each one into words, so that a kernel prints what CUDA prints.

use std::ffi::CString;

/// A part of a format.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text as it is.
    Text(String),
    /// A value.
    Conversion {
        /// Flags, width and precision as written, with `*` for those that are values.
        options: String,
        kind: Kind,
        /// The letter.
        letter: char,
    },
}

/// What a conversion reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An integer of so many bits, which is passed in 4 or 8 bytes.
    Integer {
        bits: u32,
    },
    Float,
    Text,
    Pointer,
}

/// A value out of device memory.
#[derive(Debug)]
pub(crate) enum Argument {
    Bits(u64),
    Text(String),
}

impl Piece {
    /// Widths and precisions that are values.
    pub(crate) fn stars(&self) -> usize {
        match self {
            Piece::Text(_) => 0,
            Piece::Conversion { options, .. } => options.matches('*').count(),
        }
    }

    /// Bytes of the value.
    pub(crate) fn bytes(&self) -> Option<u64> {
        match self {
            Piece::Text(_) => None,
            Piece::Conversion { kind: Kind::Integer { bits }, .. } if *bits <= 32 => Some(4),
            Piece::Conversion { .. } => Some(8),
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Piece::Conversion { kind: Kind::Text, .. })
    }
}

/// The pieces of a format. What is no conversion is text.
pub(crate) fn parse(format: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            text.push('%');
            rest = behind;
            continue;
        }
        let end = rest.find(|c: char| !"-+ #0123456789.*".contains(c)).unwrap_or(rest.len());
        let (options, behind) = rest.split_at(end);
        // The device knows no other lengths: it prints `%zu` as it stands, and takes no value for it.
        let length_end = behind.find(|c: char| !"hl".contains(c)).unwrap_or(behind.len());
        let (length, behind) = behind.split_at(length_end);
        let mut letters = behind.chars();
        let kind = letters.next().and_then(|letter| Some((letter, kind(letter, length)?)));
        match kind {
            Some((letter, kind)) => {
                if !text.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                }
                pieces.push(Piece::Conversion { options: options.to_string(), kind, letter });
                rest = letters.as_str();
            }
            None => text.push('%'),
        }
    }
    text.push_str(rest);
    if !text.is_empty() {
        pieces.push(Piece::Text(text));
    }
    pieces
}

fn kind(letter: char, length: &str) -> Option<Kind> {
    Some(match letter {
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' => Kind::Integer {
            bits: match length {
                "hh" => 8,
                "h" => 16,
                "" => 32,
                _ => 64,
            },
        },
        'c' => Kind::Integer { bits: 32 },
        'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => Kind::Float,
        's' => Kind::Text,
        'p' => Kind::Pointer,
        _ => return None,
    })
}

/// Puts a piece into words.
pub(crate) fn render(piece: &Piece, stars: &[i32], argument: Option<Argument>, to: &mut Vec<u8>) {
    let (options, kind, letter) = match piece {
        Piece::Text(text) => return to.extend_from_slice(text.as_bytes()),
        Piece::Conversion { options, kind, letter } => (options, kind, *letter),
    };
    let mut filled = String::new();
    let mut stars = stars.iter();
    for option in options.chars() {
        match option {
            '*' => filled.push_str(&stars.next().copied().unwrap_or(0).to_string()),
            other => filled.push(other),
        }
    }
    match (kind, argument) {
        (Kind::Text, Some(Argument::Text(text))) => {
            let text = CString::new(text.replace('\0', "")).unwrap_or_default();
            formatted(&format!("%{filled}s"), |buffer, size, format| {
                // SAFETY: the format asks for one text, which ends with a zero.
                unsafe { libc::snprintf(buffer, size, format, text.as_ptr()) }
            })
        }
        (Kind::Float, Some(Argument::Bits(bits))) => {
            formatted(&format!("%{filled}{letter}"), |buffer, size, format| {
                // SAFETY: the format asks for one double.
                unsafe { libc::snprintf(buffer, size, format, f64::from_bits(bits)) }
            })
        }
        (Kind::Integer { .. }, Some(Argument::Bits(bits))) if letter == 'c' => {
            formatted(&format!("%{filled}c"), |buffer, size, format| {
                // SAFETY: the format asks for one character, which is passed as an int.
                unsafe { libc::snprintf(buffer, size, format, bits as libc::c_int) }
            })
        }
        (Kind::Integer { bits: width }, Some(Argument::Bits(bits))) => {
            let unused = 64 - width;
            let value = match letter {
                'd' | 'i' => ((bits << unused) as i64) >> unused,
                _ => ((bits << unused) >> unused) as i64,
            };
            formatted(&format!("%{filled}ll{letter}"), |buffer, size, format| {
                // SAFETY: the format asks for one long long.
                unsafe { libc::snprintf(buffer, size, format, value as libc::c_longlong) }
            })
        }
        (Kind::Pointer, Some(Argument::Bits(bits))) => {
            formatted(&format!("%{filled}p"), |buffer, size, format| {
                // SAFETY: the format asks for one pointer, which is not followed.
                unsafe { libc::snprintf(buffer, size, format, bits as *const libc::c_void) }
            })
        }
        _ => None,
    }
    .into_iter()
    .for_each(|words| to.extend_from_slice(&words));
}

/// What `snprintf` makes of a format, in as much room as that needs.
fn formatted(
    format: &str,
    print: impl Fn(*mut libc::c_char, usize, *const libc::c_char) -> libc::c_int,
) -> Option<Vec<u8>> {
    let format = CString::new(format).ok()?;
    let needed = usize::try_from(print(std::ptr::null_mut(), 0, format.as_ptr())).ok()?;
    // A width in the billions is a mistake, and no reason to take that much memory.
    if needed > 1 << 20 {
        return None;
    }
    let mut buffer = vec![0u8; needed + 1];
    print(buffer.as_mut_ptr().cast(), buffer.len(), format.as_ptr());
    buffer.pop();
    Some(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(format: &str, arguments: Vec<Argument>) -> String {
        let mut words = Vec::new();
        let mut arguments = arguments.into_iter();
        for piece in parse(format) {
            let mut stars = Vec::new();
            for _ in 0..piece.stars() {
                let Some(Argument::Bits(star)) = arguments.next() else { panic!("no star") };
                stars.push(star as i32);
            }
            let argument = piece.bytes().and_then(|_| arguments.next());
            render(&piece, &stars, argument, &mut words);
        }
        String::from_utf8(words).unwrap()
    }

    #[test]
    fn values_are_put_into_words_as_c_does() {
        use Argument::{Bits, Text};
        let minus = u64::from(-5i32 as u32);
        assert_eq!(print("%d|%u|%x", vec![Bits(minus), Bits(7), Bits(255)]), "-5|7|ff");
        assert_eq!(print("%5.2f%%", vec![Bits(2.71f64.to_bits())]), " 2.71%");
        assert_eq!(print("%-4s|%c", vec![Text("ab".into()), Bits(65)]), "ab  |A");
        assert_eq!(print("%*d", vec![Bits(4), Bits(9)]), "   9");
        assert_eq!(print("%lld %hhd", vec![Bits(u64::MAX), Bits(0x1FF)]), "-1 -1");
        assert_eq!(print("50%, 100%", vec![]), "50%, 100%");
        assert_eq!(print("%zu %% %hd", vec![Bits(4)]), "%zu % 4");
        assert_eq!(print("%p", vec![Bits(0x10)]), "0x10");
    }

    #[test]
    fn the_bytes_of_values_follow_c() {
        let bytes: Vec<_> = parse("%d%ld%f%s%c%hu").iter().filter_map(Piece::bytes).collect();
        assert_eq!(bytes, [4, 8, 8, 8, 4, 4]);
    }
}
