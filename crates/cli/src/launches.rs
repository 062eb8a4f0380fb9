//! Which launches are checked.

use warpsan_report::{NotCovered, Summary};
use warpsan_runtime::LaunchFilter;

/// Flags of all commands that run kernels and detect races.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Which launches are checked")]
pub(crate) struct Args {
    /// Check launches of kernels with this name only; `*` stands for any characters, `?` for one, as in
    /// `sum*` for all of a template; may be given several times. All kernels run, whatever is checked
    #[arg(long, value_name = "GLOB", value_parser = parse_pattern)]
    kernel: Vec<String>,

    /// Do not check launches of kernels with this name; may be given several times
    #[arg(long, value_name = "GLOB", value_parser = parse_pattern)]
    kernel_exclude: Vec<String>,

    /// Of the launches that the names leave, let the first N of each process pass unchecked
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    launch_skip: u64,

    /// Then check N launches of each process only
    #[arg(long, value_name = "N")]
    launch_count: Option<u64>,
}

impl Args {
    /// What the flags ask for.
    pub(crate) fn filter(&self) -> LaunchFilter {
        LaunchFilter {
            kernels: self.kernel.clone(),
            excluded: self.kernel_exclude.clone(),
            skip: self.launch_skip,
            count: self.launch_count,
        }
    }

    /// The flags that ask for the same again, each with a blank behind it.
    pub(crate) fn flags_to_repeat(&self) -> String {
        let mut flags = String::new();
        for (name, patterns) in [("kernel", &self.kernel), ("kernel-exclude", &self.kernel_exclude)]
        {
            for pattern in patterns {
                flags.push_str(&format!("--{name} {} ", for_shell(pattern)));
            }
        }
        if self.launch_skip > 0 {
            flags.push_str(&format!("--launch-skip {} ", self.launch_skip));
        }
        if let Some(count) = self.launch_count {
            flags.push_str(&format!("--launch-count {count} "));
        }
        flags
    }

    /// Where the flags left nothing to check, that is hardly what was meant.
    pub(crate) fn nothing_left(&self, summary: &Summary) -> Option<NotCovered> {
        let left_nothing = summary.launches == 0 && summary.unwatched_launches > 0;
        left_nothing.then(|| NotCovered {
            what: "every launch: none is one that the flags ask for".to_string(),
            place: format!("warpsan {}", self.flags_to_repeat().trim_end()),
            advice: "a name has to fit as a whole, as reports write it: without parameters, with \
                     template arguments; `*` stands for the rest"
                .to_string(),
        })
    }
}

/// A pattern that no kernel has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a kernel has a name")]
struct EmptyPattern;

fn parse_pattern(text: &str) -> Result<String, EmptyPattern> {
    match text.is_empty() {
        true => Err(EmptyPattern),
        false => Ok(text.to_string()),
    }
}

/// A word that a shell passes on as it is.
fn for_shell(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_:-./".contains(&byte);
    match word.bytes().all(is_plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Flags {
        #[command(flatten)]
        args: Args,
    }

    fn parsed(flags: &[&str]) -> Args {
        Flags::try_parse_from([&["x"], flags].concat()).expect("the flags read").args
    }

    #[test]
    fn flags_become_a_filter_and_can_be_repeated() {
        assert!(parsed(&[]).filter().takes_all());
        assert_eq!(parsed(&[]).flags_to_repeat(), "");
        let flags = ["--kernel", "fill", "--kernel", "sum<*>", "--kernel-exclude", "it's"];
        let args = parsed(&[&flags[..], &["--launch-skip", "2", "--launch-count", "0"]].concat());
        let filter = args.filter();
        assert_eq!(filter.kernels, ["fill", "sum<*>"]);
        assert_eq!(filter.excluded, ["it's"]);
        assert_eq!((filter.skip, filter.count), (2, Some(0)));
        let again = r"--kernel fill --kernel 'sum<*>' --kernel-exclude 'it'\''s' ";
        assert_eq!(args.flags_to_repeat(), format!("{again}--launch-skip 2 --launch-count 0 "));
    }

    #[test]
    fn a_filter_that_leaves_nothing_is_reported() {
        let args = parsed(&["--kernel", "smu"]);
        let ran = |launches, unwatched_launches| Summary {
            launches,
            unwatched_launches,
            ..Summary::default()
        };
        let missing = args.nothing_left(&ran(0, 3)).expect("nothing was checked");
        assert!(missing.place.contains("--kernel smu"), "{missing:?}");
        assert_eq!(args.nothing_left(&ran(1, 3)), None);
        assert_eq!(args.nothing_left(&ran(0, 0)), None, "there was nothing to choose from");
    }
}
