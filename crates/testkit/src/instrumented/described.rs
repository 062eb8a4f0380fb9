//! Launches as the comments of the suites' programs name them.

use std::path::Path;

use warpsan_model::Dim3;

/// How a launch of the suites begins.
const LAUNCH: &str = "//@ launch:";

/// A launch: `name<<<2, 64, cooperative>>>(data: u32[128] = iota, n: u32 = 4)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Described {
    pub(crate) kernel: String,
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) dynamic_shared_bytes: u32,
    pub(crate) cooperative: bool,
    pub(crate) cluster: Option<u32>,
    pub(crate) arguments: Vec<Argument>,
}

/// What a launch passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Argument {
    /// The address of an array with these bytes.
    Array(Vec<u8>),
    /// A number.
    Number(u64),
}

/// A launch that the emulated device does not make, as one in a stream.
#[derive(Debug, thiserror::Error)]
#[error("the launch `{0}` is not emulated")]
pub struct NotEmulated(String);

/// The launches of a program, in their order.
pub(crate) fn launches_of(program: &Path) -> anyhow::Result<Vec<Described>> {
    let source = std::fs::read_to_string(program)?;
    let lines = source.lines().filter_map(|line| line.trim().strip_prefix(LAUNCH));
    let read = |line: &str| described(line.trim()).ok_or_else(|| NotEmulated(line.trim().into()));
    Ok(lines.map(read).collect::<Result<Vec<_>, _>>()?)
}

fn described(line: &str) -> Option<Described> {
    let (kernel, rest) = line.split_once("<<<")?;
    let (extents, arguments) = rest.split_once(">>>")?;
    let mut words = words_of(extents).into_iter();
    let (grid, block) = (extent(words.next()?)?, extent(words.next()?)?);
    let (mut cooperative, mut cluster, mut dynamic_shared_bytes) = (false, None, 0);
    for word in words {
        match word.split_once('=') {
            Some(("cluster", blocks)) => cluster = Some(blocks.parse().ok()?),
            None if word == "cooperative" => cooperative = true,
            None => dynamic_shared_bytes = word.parse().ok()?,
            _ => return None,
        }
    }
    let arguments = arguments.trim().strip_prefix('(')?.strip_suffix(')')?.trim();
    let arguments = match arguments {
        "" => Vec::new(),
        some => some.split(',').map(argument).collect::<Option<Vec<Argument>>>()?,
    };
    let kernel = kernel.to_owned();
    Some(Described { kernel, grid, block, dynamic_shared_bytes, cooperative, cluster, arguments })
}

/// What stands between commas that are in no parentheses.
fn words_of(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|character: char| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        character == ',' && depth == 0
    });
    parts.map(str::trim).collect()
}

/// `4`, `4x2` or `(4, 2)`.
fn extent(text: &str) -> Option<Dim3> {
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let numbers = inner.split([',', 'x']).map(|number| number.trim().parse().ok());
    match numbers.collect::<Option<Vec<u32>>>()?[..] {
        [x] => Some(Dim3::new(x, 1, 1)),
        [x, y] => Some(Dim3::new(x, y, 1)),
        [x, y, z] => Some(Dim3::new(x, y, z)),
        _ => None,
    }
}

fn argument(text: &str) -> Option<Argument> {
    let (left, value) = match text.split_once('=') {
        Some((left, value)) => (left.trim(), value.trim()),
        None => (text.trim(), "zero"),
    };
    let Some((element, count)) = left.strip_suffix(']').and_then(|left| left.split_once('['))
    else {
        return Some(Argument::Number(value.parse().ok()?));
    };
    let (_, element) = element.split_once(':')?;
    let bits: usize = element.trim().trim_start_matches(['u', 'i', 's', 'f']).parse().ok()?;
    let (bytes, count) = (bits / 8, count.parse::<u64>().ok()?);
    let of_element = |index: u64| match value {
        "zero" => Some(0),
        "iota" if !element.contains('f') => Some(index),
        "random" => Some(index.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32),
        number => number.parse::<u64>().ok(),
    };
    let mut contents = Vec::new();
    for index in 0..count {
        contents.extend_from_slice(&of_element(index)?.to_le_bytes()[..bytes]);
    }
    Some(Argument::Array(contents))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_read() {
        let wanted = Described {
            kernel: "steps".to_owned(),
            grid: Dim3::new(2, 1, 1),
            block: Dim3::new(16, 4, 1),
            dynamic_shared_bytes: 16,
            cooperative: true,
            cluster: None,
            arguments: vec![
                Argument::Array(vec![0, 0, 1, 0, 2, 0]),
                Argument::Array(vec![0; 3]),
                Argument::Number(7),
            ],
        };
        let line =
            "steps<<<2, (16, 4), 16, cooperative>>>(first: u16[3] = iota, second: u8[3], n = 7)";
        assert_eq!(described(line), Some(wanted));
        let clusters = described("k<<<2, 32, cluster=2>>>(data: f64[1])").expect("it reads");
        assert_eq!(clusters.cluster, Some(2));
        assert_eq!(clusters.arguments, [Argument::Array(vec![0; 8])]);
        assert_eq!(extent("8x4"), Some(Dim3::new(8, 4, 1)));
        for other in ["k<<<2>>>(a: u32[1])", "k<<<2, 1>>>(a: b)", "k<<<1, 1, stream=1>>>(a: u8[1])"]
        {
            assert_eq!(described(other), None, "{other}");
        }
    }
}
