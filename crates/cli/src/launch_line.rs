//! `//@ launch: kernel<<<4, 256>>>(in: f32[1024] = iota, out: f32[4], n = 1024)`
//!
//! How a file with kernels only says how to launch them. Arrays are device memory of their own for
//! each launch, filled with one number (0 if none is given) or with 0, 1, 2, … (`iota`).

use thiserror::Error;
use warpsan_model::Dim3;

const MARK: &str = "//@ launch:";
/// A larger array in a launch line is a typing mistake.
const MOST_ELEMENTS: u64 = 1 << 30;

/// One launch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LaunchLine {
    pub(crate) kernel: String,
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) dynamic_shared_bytes: u32,
    pub(crate) arguments: Vec<Argument>,
    /// The line of the file, from 1; 0 for a launch of the command line.
    pub(crate) line: usize,
}

/// One argument of a launch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Argument {
    Array { name: String, element: Element, count: u64, initial: Initial },
    Scalar { name: String, value: Scalar },
}

impl Argument {
    pub(crate) fn name(&self) -> &str {
        match self {
            Argument::Array { name, .. } | Argument::Scalar { name, .. } => name,
        }
    }
}

/// What an array holds at first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Initial {
    /// 0, 1, 2, …
    Iota,
    /// The same everywhere.
    All(f64),
}

/// A number: its size is that of the parameter, unless a type is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar {
    Integer(i64),
    Float(f64),
    Typed(Element, f64),
}

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Unsigned(usize),
    Signed(usize),
    F32,
    F64,
}

impl Element {
    fn parse(name: &str) -> Result<Element, LaunchLineError> {
        Ok(match name {
            "u8" => Element::Unsigned(1),
            "u16" => Element::Unsigned(2),
            "u32" => Element::Unsigned(4),
            "u64" => Element::Unsigned(8),
            "i8" => Element::Signed(1),
            "i16" => Element::Signed(2),
            "i32" => Element::Signed(4),
            "i64" => Element::Signed(8),
            "f32" => Element::F32,
            "f64" => Element::F64,
            _ => return Err(LaunchLineError::Type(name.to_string())),
        })
    }

    /// A number as this type, little-endian.
    pub(crate) fn bytes(self, value: f64) -> Vec<u8> {
        match self {
            Element::Unsigned(size) => (value as u64).to_le_bytes()[..size].to_vec(),
            Element::Signed(size) => (value as i64).to_le_bytes()[..size].to_vec(),
            Element::F32 => (value as f32).to_le_bytes().to_vec(),
            Element::F64 => value.to_le_bytes().to_vec(),
        }
    }
}

/// What is wrong with a launch line.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum LaunchLineError {
    #[error("expected kernel<<<grid, block>>>(arguments), found `{0}`")]
    Shape(String),
    #[error("expected a number or (x, y, z) for an extent, found `{0}`")]
    Extent(String),
    #[error("expected `name: type[count]`, `name = number` or `name: type = number`, found `{0}`")]
    Argument(String),
    #[error("expected one of u8 u16 u32 u64 i8 i16 i32 i64 f32 f64, found `{0}`")]
    Type(String),
    #[error("expected a number or `iota`, found `{0}`")]
    Value(String),
    #[error("an array of `{0}` elements is not possible")]
    Count(String),
}

/// The launches of a file, or the line of the first that does not read.
pub(crate) fn launch_lines(text: &str) -> Result<Vec<LaunchLine>, (usize, LaunchLineError)> {
    text.lines()
        .enumerate()
        .filter_map(|(index, line)| {
            let launch = line.trim_start().strip_prefix(MARK)?;
            Some(LaunchLine::parse(launch, index + 1).map_err(|error| (index + 1, error)))
        })
        .collect()
}

impl LaunchLine {
    pub(crate) fn parse(text: &str, line: usize) -> Result<LaunchLine, LaunchLineError> {
        let text = text.trim();
        let shape = || LaunchLineError::Shape(text.to_string());
        let (kernel, rest) = text.split_once("<<<").ok_or_else(shape)?;
        let (extents, rest) = rest.split_once(">>>").ok_or_else(shape)?;
        let arguments = rest
            .trim()
            .strip_prefix('(')
            .and_then(|rest| rest.strip_suffix(')'))
            .ok_or_else(shape)?;
        let extents = split(extents);
        let (grid, block, shared) = match extents.as_slice() {
            [grid, block] => (grid, block, 0),
            [grid, block, shared] => {
                let bytes = shared.parse();
                (grid, block, bytes.map_err(|_| LaunchLineError::Extent(shared.to_string()))?)
            }
            _ => return Err(shape()),
        };
        Ok(LaunchLine {
            kernel: kernel.trim().to_string(),
            grid: extent(grid)?,
            block: extent(block)?,
            dynamic_shared_bytes: shared,
            arguments: split(arguments).into_iter().map(argument).collect::<Result<_, _>>()?,
            line,
        })
    }
}

/// Splits at commas that are in no parentheses.
fn split(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    if parts == [""] { Vec::new() } else { parts }
}

fn extent(text: &str) -> Result<Dim3, LaunchLineError> {
    let wrong = || LaunchLineError::Extent(text.to_string());
    let inner = text.strip_prefix("dim3").unwrap_or(text).trim();
    let inner = match inner.strip_prefix('(') {
        Some(rest) => rest.strip_suffix(')').ok_or_else(wrong)?,
        None => inner,
    };
    let numbers: Vec<u32> = split(inner)
        .into_iter()
        .map(|number| number.parse().map_err(|_| wrong()))
        .collect::<Result<_, _>>()?;
    match numbers.as_slice() {
        [x] => Ok(Dim3::new(*x, 1, 1)),
        [x, y] => Ok(Dim3::new(*x, *y, 1)),
        [x, y, z] => Ok(Dim3::new(*x, *y, *z)),
        _ => Err(wrong()),
    }
}

fn argument(text: &str) -> Result<Argument, LaunchLineError> {
    let wrong = || LaunchLineError::Argument(text.to_string());
    let (left, value) = match text.split_once('=') {
        Some((left, value)) => (left.trim(), Some(value.trim())),
        None => (text, None),
    };
    let (name, kind) = match left.split_once(':') {
        Some((name, kind)) => (name.trim().to_string(), Some(kind.trim())),
        None => (left.to_string(), None),
    };
    match (kind, value) {
        (Some(kind), value) if kind.contains('[') => {
            let (element, count) = kind.split_once('[').ok_or_else(wrong)?;
            let count = count.strip_suffix(']').ok_or_else(wrong)?.trim();
            let elements = count.parse().ok().filter(|count| *count <= MOST_ELEMENTS);
            Ok(Argument::Array {
                name,
                element: Element::parse(element.trim())?,
                count: elements.ok_or_else(|| LaunchLineError::Count(count.to_string()))?,
                initial: match value {
                    None => Initial::All(0.0),
                    Some("iota") => Initial::Iota,
                    Some(value) => Initial::All(number(value)?),
                },
            })
        }
        (Some(kind), Some(value)) => {
            let value = Scalar::Typed(Element::parse(kind)?, number(value)?);
            Ok(Argument::Scalar { name, value })
        }
        (None, Some(value)) => {
            let value = match value.parse() {
                Ok(integer) => Scalar::Integer(integer),
                Err(_) => Scalar::Float(number(value)?),
            };
            Ok(Argument::Scalar { name, value })
        }
        _ => Err(wrong()),
    }
}

fn number(text: &str) -> Result<f64, LaunchLineError> {
    text.trim_end_matches('f').parse().map_err(|_| LaunchLineError::Value(text.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_line_has_all_its_parts() {
        let text = "int x;\n  //@ launch: fill<int><<<(4, 2), dim3(16, 16), 64>>>(in: f32[8] = iota, out: u8[4], n = -3, a: f64 = 2.5, b = 1.5f)\n";
        let launches = launch_lines(text).unwrap();
        let launch = &launches[0];
        assert_eq!((launch.kernel.as_str(), launch.line), ("fill<int>", 2));
        assert_eq!((launch.grid, launch.block), (Dim3::new(4, 2, 1), Dim3::new(16, 16, 1)));
        assert_eq!(launch.dynamic_shared_bytes, 64);
        let array = |name: &str, element, count, initial| Argument::Array {
            name: name.into(),
            element,
            count,
            initial,
        };
        let scalar = |name: &str, value| Argument::Scalar { name: name.into(), value };
        assert_eq!(
            launch.arguments,
            [
                array("in", Element::F32, 8, Initial::Iota),
                array("out", Element::Unsigned(1), 4, Initial::All(0.0)),
                scalar("n", Scalar::Integer(-3)),
                scalar("a", Scalar::Typed(Element::F64, 2.5)),
                scalar("b", Scalar::Float(1.5)),
            ]
        );
        assert!(LaunchLine::parse("k<<<1, 32>>>()", 1).unwrap().arguments.is_empty());
    }

    #[test]
    fn mistakes_are_named() {
        let told = |text: &str| LaunchLine::parse(text, 1).unwrap_err().to_string();
        assert!(told("k(1)").contains("expected kernel<<<"));
        assert!(told("k<<<a, 32>>>()").contains("`a`"));
        assert!(told("k<<<1, 32>>>(x)").contains("`x`"));
        assert!(told("k<<<1, 32>>>(x: f33[4])").contains("`f33`"));
        assert!(told("k<<<1, 32>>>(x: f32[-4])").contains("`-4`"));
        assert!(told("k<<<1, 32>>>(x: f32[4] = lots)").contains("`lots`"));
        assert_eq!(launch_lines("\n//@ launch: k").unwrap_err().0, 2);
    }

    #[test]
    fn elements_are_written_in_their_size() {
        assert_eq!(Element::Signed(2).bytes(-2.0), [254, 255]);
        assert_eq!(Element::F32.bytes(1.5), 1.5f32.to_le_bytes());
    }
}
