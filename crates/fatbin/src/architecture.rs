//! Architectures, and which code runs on which of them.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Whether code may use what later architectures do not promise to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suffix {
    /// `sm_90`: only what later architectures have, too.
    None,
    /// `sm_100f`: also what the architectures of its family have.
    Family,
    /// `sm_90a`: also what this architecture alone has.
    Specific,
}

/// An architecture of GPUs, `sm_90a`.
///
/// They are ordered by number and then by suffix: of two that a device can run, the greater one is
/// the one that the driver takes. (Tried on an H200: `sm_90a` goes before `sm_90`, for PTX and for
/// machine code, in whichever order they are stored.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Architecture {
    /// Ten times the compute capability, 90 for `sm_90`.
    pub number: u32,
    /// What its code may use beyond that.
    pub suffix: Suffix,
}

/// Chips for embedded systems. The manual promises no binary compatibility between them and their
/// neighbours on cards.
const EMBEDDED: [u32; 4] = [53, 62, 72, 87];

impl Architecture {
    /// An architecture without suffix.
    pub const fn plain(number: u32) -> Architecture {
        Architecture { number, suffix: Suffix::None }
    }

    /// The generation, 9 for `sm_90`. The chip that toolkits before 13.0 call `sm_101` is `sm_110`
    /// today and belongs there.
    pub fn family(self) -> u32 {
        match self.number {
            101 => 11,
            number => number / 10,
        }
    }

    /// Whether PTX for this architecture can be compiled for a device; the device's own suffix does
    /// not matter. Plain PTX runs on everything later, PTX with suffix `f` on later architectures
    /// of its family, PTX with suffix `a` only on its own.
    pub fn ptx_runs_on(self, device: Architecture) -> bool {
        match self.suffix {
            Suffix::None => self.number <= device.number,
            Suffix::Family => self.number <= device.number && self.family() == device.family(),
            Suffix::Specific => self.number == device.number,
        }
    }

    /// Whether machine code for this architecture runs on a device: within a generation, on the
    /// same or a later chip.
    pub fn machine_code_runs_on(self, device: Architecture) -> bool {
        let embedded = EMBEDDED.contains(&self.number) || EMBEDDED.contains(&device.number);
        match self.suffix {
            Suffix::Specific => self.number == device.number,
            _ if embedded => self.number == device.number,
            _ => self.number <= device.number && self.family() == device.family(),
        }
    }

    /// The flag for nvcc that adds PTX for this architecture to a program.
    pub fn nvcc_ptx_flag(self) -> String {
        let virtual_name = format!("compute_{}{}", self.number, self.suffix);
        format!("-gencode arch={virtual_name},code={virtual_name}")
    }
}

impl fmt::Display for Suffix {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Suffix::None => "",
            Suffix::Family => "f",
            Suffix::Specific => "a",
        })
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&format!("sm_{}{}", self.number, self.suffix))
    }
}

/// A text that names no architecture.
#[derive(Debug, Clone, Error, PartialEq, Eq)]
#[error("`{0}` is no architecture; write it as in sm_90 or sm_90a")]
pub struct UnknownArchitecture(String);

impl FromStr for Architecture {
    type Err = UnknownArchitecture;

    /// Reads `sm_90a`, `compute_90a` and `90a`.
    fn from_str(text: &str) -> Result<Architecture, UnknownArchitecture> {
        let unknown = || UnknownArchitecture(text.to_string());
        let rest = text.strip_prefix("sm_").or(text.strip_prefix("compute_")).unwrap_or(text);
        let (number, suffix) = match rest.as_bytes().last() {
            Some(b'a') => (&rest[..rest.len() - 1], Suffix::Specific),
            Some(b'f') => (&rest[..rest.len() - 1], Suffix::Family),
            _ => (rest, Suffix::None),
        };
        if number.is_empty() || number.len() > 4 || !number.bytes().all(|b| b.is_ascii_digit()) {
            return Err(unknown());
        }
        Ok(Architecture { number: number.parse().map_err(|_| unknown())?, suffix })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn architecture(text: &str) -> Architecture {
        text.parse().unwrap()
    }

    #[test]
    fn names_are_read_and_written() {
        for name in ["sm_50", "sm_90", "sm_90a", "sm_100f", "sm_121a"] {
            assert_eq!(architecture(name).to_string(), name);
        }
        assert_eq!(architecture("compute_90a"), architecture("90a"));
        for wrong in ["", "sm_", "sm_a", "hopper", "sm_90b", "9.0", "sm_99999", "sm_+9", "ü"] {
            assert!(wrong.parse::<Architecture>().is_err(), "{wrong}");
        }
        let flag = "-gencode arch=compute_90a,code=compute_90a";
        assert_eq!(architecture("sm_90a").nvcc_ptx_flag(), flag);
    }

    #[test]
    fn ptx_runs_on_later_architectures_as_its_suffix_allows() {
        let runs = |code: &str, device: &str| architecture(code).ptx_runs_on(architecture(device));
        assert!(runs("compute_75", "sm_90") && runs("compute_90", "sm_90"));
        assert!(!runs("compute_100", "sm_90"));
        assert!(runs("compute_90a", "sm_90") && !runs("compute_90a", "sm_100"));
        assert!(runs("compute_100f", "sm_103") && !runs("compute_100f", "sm_120"));
        assert!(!runs("compute_103f", "sm_100"));
        assert!(runs("compute_101f", "sm_110") && !runs("compute_100f", "sm_110"));
    }

    #[test]
    fn machine_code_runs_within_its_generation() {
        let runs = |code: &str, device: &str| {
            architecture(code).machine_code_runs_on(architecture(device))
        };
        assert!(runs("sm_80", "sm_86") && !runs("sm_86", "sm_80") && !runs("sm_80", "sm_90"));
        assert!(runs("sm_90a", "sm_90") && !runs("sm_100a", "sm_103"));
        assert!(runs("sm_100f", "sm_103") && runs("sm_100", "sm_103"));
        assert!(!runs("sm_86", "sm_87") && runs("sm_87", "sm_87"));
    }

    #[test]
    fn the_greater_one_is_the_one_to_take() {
        let mut sorted = ["sm_100f", "sm_90", "sm_100a", "sm_90a", "sm_100"].map(architecture);
        sorted.sort();
        assert_eq!(
            sorted.map(|a| a.to_string()),
            ["sm_90", "sm_90a", "sm_100", "sm_100f", "sm_100a"]
        );
    }
}
