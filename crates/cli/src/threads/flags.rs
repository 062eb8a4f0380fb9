//! What users can choose about the check of threads.

use super::ThreadDetector;
use crate::running;
use std::num::NonZeroU32;
use std::path::Path;
use warpsan_thread_report::Options;

/// Flags of `warpsan run` that are for threads only.
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Programs with threads, built with -fsanitize=thread")]
pub(crate) struct Args {
    /// The most memory that the detector for threads may use in a process, as in 512M or 4G; what it has no room for is
    /// named in the report [default: what the machine has]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory_limit: Option<u64>,

    /// How many of its last accesses each thread keeps a record of: the stack of an earlier access is known as long as
    /// it is among them
    #[arg(long, value_name = "N")]
    history: Option<NonZeroU32>,
}

impl Args {
    /// What the library in the process is told.
    pub(crate) fn options(&self, record_trace: Option<&Path>) -> Options {
        Options {
            memory_limit: self.memory_limit,
            history: self.history.map(NonZeroU32::get),
            record_trace: record_trace.map(|folder| folder.to_string_lossy().into_owned()),
            only_records: false,
        }
    }

    /// The flags that check threads in the same way again, each with a blank behind it.
    pub(crate) fn flags_to_repeat(&self, detector: ThreadDetector) -> String {
        let mut flags = format!("--detector {} ", detector.name());
        if let Some(bytes) = self.memory_limit {
            flags.push_str(&format!("--memory-limit {bytes} "));
        }
        if let Some(count) = self.history {
            flags.push_str(&format!("--history {count} "));
        }
        flags
    }
}

/// A number of bytes, with a letter for its unit or none: K, M, G and T are powers of 1024.
fn parse_size(text: &str) -> Result<u64, running::WrongFlag> {
    let wrong = || running::WrongFlag::Size(text.to_string());
    let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit: u64 = match text[number.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        "T" | "TB" | "TIB" => 1 << 40,
        _ => return Err(wrong()),
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(unit).filter(|bytes| *bytes > 0).ok_or_else(wrong)
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

    fn parsed(flags: &[&str]) -> Result<Args, clap::Error> {
        Flags::try_parse_from([&["x"], flags].concat()).map(|flags| flags.args)
    }

    #[test]
    fn sizes_are_numbers_with_units() {
        for (text, bytes) in [("512M", 512 << 20), ("4G", 4 << 30), ("100", 100), ("1kib", 1024)] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for wrong in ["", "G", "0", "-1", "1.5G", "4X", "99999999999T", "4 G"] {
            let error = parse_size(wrong).expect_err(wrong).to_string();
            assert!(error.contains("512M"), "{error}");
        }
    }

    #[test]
    fn flags_become_options_and_can_be_repeated() {
        let args = parsed(&["--memory-limit", "1K", "--history", "5000"]).expect("flags");
        let options = args.options(Some(Path::new("/traces")));
        assert_eq!((options.memory_limit, options.history), (Some(1024), Some(5000)));
        assert_eq!(options.record_trace.as_deref(), Some("/traces"));
        assert_eq!(
            args.flags_to_repeat(ThreadDetector::FastTrack),
            "--detector fasttrack --memory-limit 1024 --history 5000 "
        );
        let usual = parsed(&[]).expect("no flags");
        assert_eq!(usual.options(None), Options::default());
        assert_eq!(usual.flags_to_repeat(ThreadDetector::default()), "--detector slimfast ");
        assert!(parsed(&["--history", "0"]).is_err());
    }
}
