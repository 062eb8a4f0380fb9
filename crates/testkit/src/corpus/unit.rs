//! One compilation of the corpus: which source, for which architecture, in which mode.

use std::fmt;
use std::sync::Arc;

use super::Source;

/// The architectures of the corpus where a source does not say otherwise.
const ALL_ARCHITECTURES: [&str; 9] = ["50", "60", "70", "75", "80", "90", "90a", "100", "120"];

/// The first architecture that CUDA 13 knows.
const FIRST_OF_CUDA_13: u32 = 75;

/// A GPU architecture, such as `sm_90a`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Architecture {
    number: u32,
    /// Nothing, `a` or `f`.
    feature: String,
}

impl Architecture {
    /// All architectures that sources are compiled for by default.
    pub fn all() -> Vec<Self> {
        ALL_ARCHITECTURES.iter().filter_map(|word| Self::parse(word)).collect()
    }

    /// Reads `90a`.
    pub fn parse(word: &str) -> Option<Self> {
        let end = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
        let (number, feature) = word.split_at(end);
        let number = number.parse().ok()?;
        matches!(feature, "" | "a" | "f").then(|| Self { number, feature: feature.to_owned() })
    }

    /// Whether only the older compiler knows it.
    pub fn needs_older_compiler(&self) -> bool {
        self.number < FIRST_OF_CUDA_13
    }

    /// The virtual architecture, as in `compute_90a`.
    pub fn compute(&self) -> String {
        format!("compute_{}{}", self.number, self.feature)
    }
}

/// As in `sm_90a`.
impl fmt::Display for Architecture {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&format!("sm_{}{}", self.number, self.feature))
    }
}

/// How a source is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// `-O3`, with the line information that warpsan asks for.
    Optimised,
    /// `-G`.
    Debug,
    /// `-rdc=true`, optimised and without line information.
    Relocatable,
}

impl Mode {
    /// All modes.
    pub const ALL: [Self; 3] = [Self::Optimised, Self::Debug, Self::Relocatable];

    /// Reads `O3`, `G` or `rdc`.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == word)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Optimised => "O3",
            Self::Debug => "G",
            Self::Relocatable => "rdc",
        }
    }

    /// The flags of nvcc.
    pub(crate) fn nvcc_flags(self) -> &'static [&'static str] {
        match self {
            Self::Optimised => &["-O3", "-lineinfo"],
            Self::Debug => &["-G"],
            Self::Relocatable => &["-O3", "-rdc=true"],
        }
    }

    /// The flags of NVRTC, which optimises by default.
    pub(crate) fn nvrtc_flags(self) -> &'static [&'static str] {
        match self {
            Self::Optimised => &["-lineinfo"],
            Self::Debug => &["-G"],
            Self::Relocatable => &["-rdc=true"],
        }
    }

    /// The flags that nvcc gives ptxas in this mode.
    pub(crate) fn ptxas_flags(self) -> &'static [&'static str] {
        match self {
            Self::Optimised => &["-O3", "--generate-line-info"],
            Self::Debug => &["-g", "--dont-merge-basicblocks", "--return-at-end"],
            Self::Relocatable => &["-O3", "--compile-only"],
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

/// One PTX text of the corpus.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What is compiled.
    pub source: Arc<Source>,
    /// For which architecture.
    pub architecture: Architecture,
    /// How.
    pub mode: Mode,
}

impl fmt::Display for Unit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {}", self.source.name, self.architecture, self.mode)
    }
}

/// All units of these sources.
pub fn units_of(sources: &[Arc<Source>]) -> Vec<Unit> {
    let mut units = Vec::new();
    for source in sources {
        for architecture in &source.architectures {
            for &mode in &source.modes {
                let (source, architecture) = (Arc::clone(source), architecture.clone());
                units.push(Unit { source, architecture, mode });
            }
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_are_read_and_written() {
        for (word, name, virtual_name) in [
            ("90a", "sm_90a", "compute_90a"),
            ("50", "sm_50", "compute_50"),
            ("100f", "sm_100f", "compute_100f"),
        ] {
            let architecture = Architecture::parse(word).unwrap();
            assert_eq!(architecture.to_string(), name);
            assert_eq!(architecture.compute(), virtual_name);
        }
        for word in ["", "a", "90b", "sm_90", "90aa"] {
            assert_eq!(Architecture::parse(word), None, "{word}");
        }
        assert_eq!(Architecture::all().len(), ALL_ARCHITECTURES.len());
    }

    #[test]
    fn only_architectures_that_cuda_13_dropped_need_the_older_compiler() {
        let older: Vec<String> = Architecture::all()
            .iter()
            .filter(|architecture| architecture.needs_older_compiler())
            .map(ToString::to_string)
            .collect();
        assert_eq!(older, ["sm_50", "sm_60", "sm_70"]);
    }
}
