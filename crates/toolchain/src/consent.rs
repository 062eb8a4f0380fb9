//! What the user reads before NVIDIA's packages are fetched, and the proof that they agreed.

use std::fmt;
use std::path::PathBuf;

use crate::{Error, WheelSet};

/// What would be fetched, under which licence, how large, and where it goes.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The wheels.
    pub wheels: WheelSet,
    /// The folder they go to.
    pub destination: PathBuf,
}

impl fmt::Display for Offer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = |bytes: u64| bytes.div_ceil(1_000_000);
        writeln!(
            out,
            "warpsan can fetch NVIDIA's {} with pip, once:",
            self.wheels.collection.what
        )?;
        for (index, (name, version)) in self.wheels.packages().enumerate() {
            let label = if index == 0 { "packages" } else { "" };
            writeln!(out, "  {label:<9} {name} {version}")?;
        }
        writeln!(
            out,
            "  licence   proprietary: NVIDIA's End User License Agreement (EULA) for the"
        )?;
        writeln!(
            out,
            "            CUDA Toolkit, https://docs.nvidia.com/cuda/eula/; fetching means"
        )?;
        writeln!(out, "            that you accept it")?;
        writeln!(
            out,
            "  size      {} MB to download, {} MB on the disk",
            megabytes(self.wheels.download_bytes),
            megabytes(self.wheels.installed_bytes)
        )?;
        write!(out, "  folder    {}", self.destination.display())
    }
}

/// How the user agreed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsentSource {
    /// They answered a question in the terminal.
    Terminal,
    /// They gave `--yes`.
    Flag,
    /// The variable `CI` says that nobody sits in front of the terminal, and that fetching is expected.
    ContinuousIntegration,
}

/// Proof that the user agreed to the offer; an installation cannot begin without one.
#[derive(Clone, Copy, Debug)]
pub struct Consent {
    source: ConsentSource,
}

impl Consent {
    /// To be called only where the user did agree.
    pub fn given_by(source: ConsentSource) -> Self {
        Self { source }
    }

    /// How the user agreed.
    pub fn source(self) -> ConsentSource {
        self.source
    }
}

/// The answer to an [`Offer`].
#[derive(Clone, Copy, Debug)]
pub enum Decision {
    /// Fetch it.
    Granted(Consent),
    /// The user said no.
    Refused,
    /// There is no terminal, no flag and no `CI`.
    NobodyToAsk,
}

impl Decision {
    /// The consent, or the error that says why there is none.
    pub fn into_consent(self) -> Result<Consent, Error> {
        match self {
            Self::Granted(consent) => Ok(consent),
            Self::Refused => Err(Error::ConsentRefused),
            Self::NobodyToAsk => Err(Error::consent_unavailable()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offer_says_what_under_which_licence_how_large_and_where() {
        let wheels = WheelSet {
            collection: &crate::wheels::COMPILER,
            arch: "any",
            download_bytes: 1_000_001,
            installed_bytes: 7_000_000,
        };
        let text = Offer { wheels, destination: PathBuf::from("/there") }.to_string();
        for expected in ["nvidia-cuda-nvcc 13.0.88", "EULA", "2 MB to download", "7 MB", "/there"] {
            assert!(text.contains(expected), "{expected} is missing in:\n{text}");
        }
    }
}
