//! The pinned set of wheels that makes up the compiler.

use sha2::{Digest, Sha256};

use crate::Error;

/// The requirements file that pip gets: names, versions and the hash of each wheel.
pub const REQUIREMENTS: &str = include_str!("requirements.txt");

/// Where the wheels put the toolkit, below the folder they are installed into.
pub(crate) const TOOLKIT_FOLDER: &str = "nvidia/cu13";

/// Files without which an installation is not whole; relative to the toolkit.
pub(crate) const NEEDED_FILES: [&str; 9] = [
    "bin/nvcc",
    "bin/ptxas",
    "bin/fatbinary",
    "nvvm/bin/cicc",
    "nvvm/libdevice/libdevice.10.bc",
    "include/cuda_runtime.h",
    "include/crt/host_config.h",
    "lib/libcudart.so.13",
    "lib/libnvrtc.so.13",
];

/// The wheels for one kind of machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WheelSet {
    /// The processor architecture, as Rust names it.
    pub arch: &'static str,
    /// Bytes to fetch.
    pub download_bytes: u64,
    /// Bytes on the disk afterwards.
    pub installed_bytes: u64,
}

/// Sizes are those of the pinned wheels; a new pin brings new sizes.
const WHEEL_SETS: [WheelSet; 2] = [
    WheelSet { arch: "x86_64", download_bytes: 194_699_391, installed_bytes: 507_169_142 },
    WheelSet { arch: "aarch64", download_bytes: 140_220_738, installed_bytes: 351_002_718 },
];

impl WheelSet {
    /// CUDA's version of the set.
    pub const CUDA_VERSION: &'static str = "13.0";

    /// The set for the machine that runs this.
    pub fn for_this_machine() -> Result<Self, Error> {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        WHEEL_SETS
            .into_iter()
            .find(|set| set.arch == arch && os == "linux")
            .ok_or(Error::NoWheelsForThisMachine { os, arch })
    }

    /// Names and versions, in the order of the requirements file.
    pub fn packages() -> impl Iterator<Item = (&'static str, &'static str)> {
        REQUIREMENTS.lines().filter_map(|line| {
            let (name, rest) = line.split_once("==")?;
            Some((name, rest.trim_end_matches([' ', '\\'])))
        })
    }

    /// Names and versions as one line.
    pub fn package_list() -> String {
        let named: Vec<_> =
            Self::packages().map(|(name, version)| format!("{name} {version}")).collect();
        named.join(", ")
    }

    /// The folder's name in the cache. A new pin, or another machine that shares the home folder,
    /// gets another name.
    pub(crate) fn folder_name(&self) -> String {
        let digest = Sha256::digest(REQUIREMENTS);
        let pin: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        format!("cuda-{}-{}-{pin}", Self::CUDA_VERSION, self.arch)
    }

    /// What a complete installation's marker says. Equality with it makes an installation valid.
    pub(crate) fn marker_text(&self) -> String {
        format!("warpsan toolchain, layout 1, {}\n{REQUIREMENTS}", self.arch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_pinned_to_a_version_and_a_hash_for_each_machine() {
        let packages: Vec<_> = WheelSet::packages().collect();
        assert_eq!(packages.len(), 6);
        for (name, version) in &packages {
            assert!(name.starts_with("nvidia-"), "{name}");
            assert!(version.starts_with("13.0."), "{name} {version}");
        }
        let hashes: Vec<_> =
            REQUIREMENTS.lines().filter_map(|line| line.split_once("--hash=sha256:")).collect();
        assert_eq!(hashes.len(), packages.len() * WHEEL_SETS.len());
        for (_, hash) in hashes {
            let hash = hash.trim_end_matches([' ', '\\']);
            assert!(hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{hash}");
        }
    }

    #[test]
    fn machines_do_not_share_a_folder_or_a_marker() {
        let [intel, arm] = WHEEL_SETS;
        assert_ne!(intel.folder_name(), arm.folder_name());
        assert_ne!(intel.marker_text(), arm.marker_text());
    }
}
