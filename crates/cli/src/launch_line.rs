//! How a file with kernels only says how to launch them:
//!
//! ```text
//! //@ launch: KERNEL<<<GRID, BLOCK [, SHARED] [, SETTING]…>>>(ARGUMENTS)
//! EXTENT    4 | 4x2 | 4x2x1 | (4, 2, 1) | dim3(4, 2, 1)         as GRID and BLOCK are
//! SHARED    bytes of dynamic shared memory
//! SETTING   cluster=EXTENT | cooperative | stream=N
//! ARGUMENT  name: TYPE[COUNT] [= zero | iota | random | random(SEED) | NUMBER]     an array
//!           name: TYPE = NUMBER | name = NUMBER                                   a value
//! TYPE      u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64
//! ```
//!
//! Launches of different streams are not ordered; one without a stream is after all before it, and before
//! all after it, as in the default stream of CUDA. Arrays are device memory of their own for each launch, zero if nothing is said. A value without a
//! type takes the size of its parameter.

mod element;

pub(crate) use element::{Element, Initial, Number};

use element::{initial, number};
use thiserror::Error;
use warpsan_model::Dim3;

pub(crate) const MARK: &str = "//@ launch:";
/// A larger array in a launch line is a typing mistake.
const MOST_ELEMENTS: u64 = 1 << 30;

/// One launch.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LaunchLine {
    pub(crate) kernel: String,
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) dynamic_shared_bytes: u32,
    /// Blocks in a cluster, if it says so.
    pub(crate) cluster: Option<Dim3>,
    /// All blocks run at the same time.
    pub(crate) cooperative: bool,
    /// The stream; none is the default stream.
    pub(crate) stream: Option<u32>,
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

/// A number: its size is that of the parameter, unless a type is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Scalar {
    Untyped(Number),
    Typed(Element, Number),
}

impl Scalar {
    /// The number as a parameter of so many bytes has it.
    pub(crate) fn bytes(self, size: usize) -> Result<Vec<u8>, ParameterSizeError> {
        Ok(match (self, size) {
            (Scalar::Typed(element, value), _) => element.bytes(value),
            (Scalar::Untyped(Number::Integer(value)), 1 | 2 | 4 | 8) => {
                value.to_le_bytes()[..size].to_vec()
            }
            (Scalar::Untyped(value @ Number::Float(_)), 4) => Element::F32.bytes(value),
            (Scalar::Untyped(value @ Number::Float(_)), 8) => Element::F64.bytes(value),
            _ => return Err(ParameterSizeError { size }),
        })
    }
}

/// A parameter whose size no number has.
#[derive(Debug, Clone, Copy, Error, PartialEq, Eq)]
#[error("a parameter of {size} bytes cannot be given as a number")]
pub(crate) struct ParameterSizeError {
    size: usize,
}

/// What is wrong with a launch line.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum LaunchLineError {
    #[error("expected kernel<<<grid, block>>>(arguments), found `{0}`")]
    Shape(String),
    #[error("expected a number, (x, y, z) or 4x2x1 for an extent, found `{0}`")]
    Extent(String),
    #[error(
        "expected bytes of shared memory, `cluster=EXTENT`, `stream=N` or `cooperative` behind the block, found `{0}`"
    )]
    Setting(String),
    #[error("expected `name: type[count]`, `name = number` or `name: type = number`, found `{0}`")]
    Argument(String),
    #[error("expected one of u8 u16 u32 u64 i8 i16 i32 i64 f16 bf16 f32 f64, found `{0}`")]
    Type(String),
    #[error("expected a number, `zero`, `iota`, `random` or `random(SEED)`, found `{0}`")]
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
        let [grid, block, settings @ ..] = extents.as_slice() else { return Err(shape()) };
        let mut launch = LaunchLine {
            kernel: kernel.trim().to_string(),
            grid: extent(grid)?,
            block: extent(block)?,
            dynamic_shared_bytes: 0,
            cluster: None,
            cooperative: false,
            stream: None,
            arguments: split(arguments).into_iter().map(argument).collect::<Result<_, _>>()?,
            line,
        };
        for (place, setting) in settings.iter().enumerate() {
            launch.set(place, setting)?;
        }
        Ok(launch)
    }

    /// One thing behind the extents. Shared memory is the first, where CUDA has it.
    fn set(&mut self, place: usize, setting: &str) -> Result<(), LaunchLineError> {
        let wrong = || LaunchLineError::Setting(setting.to_string());
        match setting.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
            Some(("cluster", value)) if self.cluster.is_none() => {
                let cluster = extent(value)?;
                if cluster.count() == 0 {
                    return Err(LaunchLineError::Extent(value.to_string()));
                }
                self.cluster = Some(cluster);
            }
            Some(("stream", value)) if self.stream.is_none() => {
                self.stream = Some(value.parse().map_err(|_| wrong())?);
            }
            None if setting == "cooperative" => self.cooperative = true,
            None if place == 0 => {
                self.dynamic_shared_bytes = setting.parse().map_err(|_| wrong())?;
            }
            _ => return Err(wrong()),
        }
        Ok(())
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
    let is_product = inner.len() == text.len() && inner.contains('x');
    let parts = if is_product { inner.split('x').collect() } else { split(inner) };
    let numbers: Vec<u32> = parts
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
                initial: initial(value.unwrap_or("zero"))?,
            })
        }
        (Some(kind), Some(value)) => {
            let value = Scalar::Typed(Element::parse(kind)?, number(value)?);
            Ok(Argument::Scalar { name, value })
        }
        (None, Some(value)) => {
            Ok(Argument::Scalar { name, value: Scalar::Untyped(number(value)?) })
        }
        _ => Err(wrong()),
    }
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
                array("out", Element::Unsigned(1), 4, Initial::All(Number::Integer(0))),
                scalar("n", Scalar::Untyped(Number::Integer(-3))),
                scalar("a", Scalar::Typed(Element::F64, Number::Float(2.5))),
                scalar("b", Scalar::Untyped(Number::Float(1.5))),
            ]
        );
        assert_eq!((launch.cluster, launch.cooperative), (None, false));
        assert!(LaunchLine::parse("k<<<1, 32>>>()", 1).unwrap().arguments.is_empty());
    }

    #[test]
    fn clusters_and_cooperation_come_behind_the_extents() {
        let parsed = |text: &str| LaunchLine::parse(text, 1).unwrap();
        let launch = parsed("k<<<8x2, 4x4x2, 1024, cluster=2x1x1, cooperative>>>()");
        assert_eq!((launch.grid, launch.block), (Dim3::new(8, 2, 1), Dim3::new(4, 4, 2)));
        assert_eq!(launch.dynamic_shared_bytes, 1024);
        assert_eq!((launch.cluster, launch.cooperative), (Some(Dim3::new(2, 1, 1)), true));
        let launch = parsed("k<<<8, 4, cluster = (2, 2)>>>()");
        assert_eq!((launch.cluster, launch.cooperative), (Some(Dim3::new(2, 2, 1)), false));
        assert!(parsed("k<<<8, 4, cooperative>>>()").cooperative);
        assert_eq!(parsed("k<<<8, 4, cooperative>>>()").stream, None);
        assert_eq!(parsed("k<<<8, 4, 64, stream=2>>>()").stream, Some(2));
    }

    #[test]
    fn mistakes_are_named() {
        let error = |text: &str| LaunchLine::parse(text, 1).unwrap_err().to_string();
        assert!(error("k(1)").contains("expected kernel<<<"));
        assert!(error("k<<<a, 32>>>()").contains("`a`"));
        assert!(error("k<<<2y2, 32>>>()").contains("`2y2`"));
        assert!(error("k<<<1, 32, many>>>()").contains("`many`"));
        assert!(error("k<<<1, 32, cluster=0>>>()").contains("`0`"));
        assert!(error("k<<<1, 32, cluster=two>>>()").contains("`two`"));
        assert!(error("k<<<1, 32, cluster=2, 64>>>()").contains("`64`"));
        assert!(error("k<<<1, 32, stream=two>>>()").contains("`stream=two`"));
        assert!(error("k<<<1, 32, stream=1, stream=2>>>()").contains("`stream=2`"));
        assert!(error("k<<<1, 32, event=2>>>()").contains("cooperative"));
        assert!(error("k<<<1, 32>>>(x)").contains("`x`"));
        assert!(error("k<<<1, 32>>>(x: f33[4])").contains("`f33`"));
        assert!(error("k<<<1, 32>>>(x: f32[-4])").contains("`-4`"));
        assert!(error("k<<<1, 32>>>(x: f32[4] = lots)").contains("`lots`"));
        assert_eq!(launch_lines("\n//@ launch: k").unwrap_err().0, 2);
    }

    #[test]
    fn numbers_take_the_size_of_their_parameter() {
        let bytes = |value, size| Scalar::Untyped(value).bytes(size);
        assert_eq!(bytes(Number::Integer(-1), 4).unwrap(), [255; 4]);
        assert_eq!(bytes(Number::Float(1.0), 4).unwrap(), 1f32.to_le_bytes());
        assert_eq!(bytes(Number::Float(1.0), 8).unwrap(), 1f64.to_le_bytes());
        assert!(bytes(Number::Integer(1), 12).is_err());
    }
}
