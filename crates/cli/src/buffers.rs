//! The buffers of a launch as text.

use crate::launch_line::Element;
use std::fmt::Write;

/// Elements that are shown unless all are asked for.
const SHOWN: u64 = 64;
const IN_ONE_LINE: usize = 8;

/// Which buffers are printed.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub(crate) struct Args {
    /// Print this buffer, or `all`, after each launch that has it: its first 64 elements. To
    /// standard output, unless the report goes there as JSON: then to standard error
    #[arg(long, value_name = "NAME")]
    print: Vec<String>,

    /// Print buffers to their last element
    #[arg(long, requires = "print")]
    print_all: bool,
}

impl Args {
    /// Whether the buffer is printed.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.print.iter().any(|asked| asked == name || asked == "all")
    }

    /// The first name that is no buffer of those.
    pub(crate) fn unknown(&self, names: &[&str]) -> Option<&str> {
        let is_unknown = |asked: &&String| *asked != "all" && !names.contains(&asked.as_str());
        self.print.iter().find(is_unknown).map(String::as_str)
    }

    /// The flags that ask for the same buffers.
    pub(crate) fn flags(&self) -> Vec<String> {
        let names = self.print.iter().map(|name| format!("--print={name}"));
        names.chain(self.print_all.then(|| "--print-all".to_string())).collect()
    }

    /// How many elements of so many are shown.
    pub(crate) fn shown(&self, count: u64) -> u64 {
        if self.print_all { count } else { count.min(SHOWN) }
    }
}

/// A buffer, with the bytes of its first elements.
pub(crate) fn show(
    launch: &str,
    name: &str,
    element: Element,
    count: u64,
    first_bytes: &[u8],
) -> String {
    let size = element.size();
    let mut text = format!("{name}: {element}[{count}] after {launch}\n");
    for (index, line) in first_bytes.chunks(size * IN_ONE_LINE).enumerate() {
        let _ = write!(text, "  [{}]", index * IN_ONE_LINE);
        for one in line.chunks(size) {
            let _ = write!(text, " {}", element.show(one));
        }
        text.push('\n');
    }
    let left = count - (first_bytes.len() / size) as u64;
    if left > 0 {
        let _ = writeln!(text, "  and {left} more, which --print-all shows");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_shown_with_its_places() {
        let bytes: Vec<u8> = (0..10_i16).flat_map(|value| (-value).to_le_bytes()).collect();
        let shown = show("launch 0 of `k`", "out", Element::Signed(2), 12, &bytes);
        assert_eq!(
            shown,
            "out: i16[12] after launch 0 of `k`\n  [0] 0 -1 -2 -3 -4 -5 -6 -7\n  [8] -8 -9\n  \
             and 2 more, which --print-all shows\n"
        );
    }
}
