//! The pinned sets of wheels: the compiler that users get, and the tools that only developers of
//! warpsan fetch.

use sha2::{Digest, Sha256};

use crate::Error;

/// The requirements file of the compiler that pip gets: names, versions and the hash of each wheel.
pub const REQUIREMENTS: &str = include_str!("requirements.txt");

/// The CUDA compiler: what a user of warpsan needs, and nothing else.
pub(crate) static COMPILER: Collection = Collection {
    what: "CUDA 13.0 compiler",
    folder: "cuda-13.0",
    requirements: REQUIREMENTS,
    needed_files: &[
        "nvidia/cu13/bin/nvcc",
        "nvidia/cu13/bin/ptxas",
        "nvidia/cu13/bin/fatbinary",
        "nvidia/cu13/nvvm/bin/cicc",
        "nvidia/cu13/nvvm/libdevice/libdevice.10.bc",
        "nvidia/cu13/include/cuda_runtime.h",
        "nvidia/cu13/include/crt/host_config.h",
        "nvidia/cu13/lib/libcudart.so.13",
        "nvidia/cu13/lib/libnvrtc.so.13",
    ],
    // `-cudart shared` makes the linker look for this name, which the wheels lack.
    links: &[("nvidia/cu13/lib/libcudart.so", "libcudart.so.13")],
    sizes: &[
        Sizes { arch: "x86_64", download: 194_699_391, installed: 507_169_142 },
        Sizes { arch: "aarch64", download: 140_220_738, installed: 351_002_718 },
    ],
};

/// What the tests of warpsan itself need in addition.
pub(crate) static DEVELOPER_TOOLS: Collection = Collection {
    what: "cuobjdump and the CUDA 12.9 compiler library, for work on warpsan itself,",
    folder: "developer",
    requirements: include_str!("developer-requirements.txt"),
    needed_files: &[
        "nvidia/cu13/bin/cuobjdump",
        "nvidia/cuda_nvcc/bin/ptxas",
        "nvidia/cuda_nvcc/include/crt/mma.h",
        "nvidia/cuda_runtime/include/cuda_fp16.h",
        "nvidia/cuda_cccl/include/cuda/barrier",
        "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
        "nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.9",
    ],
    links: &[],
    sizes: &[
        Sizes { arch: "x86_64", download: 137_103_601, installed: 350_309_035 },
        Sizes { arch: "aarch64", download: 90_945_946, installed: 224_025_257 },
    ],
};

/// Wheels that are fetched together. All paths are relative to the folder they are installed into.
#[derive(Debug)]
pub(crate) struct Collection {
    /// What it is, as in "warpsan can fetch NVIDIA's …".
    pub(crate) what: &'static str,
    /// How its folder in the cache begins.
    folder: &'static str,
    /// The requirements file that pip gets.
    pub(crate) requirements: &'static str,
    /// Files without which an installation is not whole.
    pub(crate) needed_files: &'static [&'static str],
    /// Links to add, each with what it points to.
    pub(crate) links: &'static [(&'static str, &'static str)],
    sizes: &'static [Sizes],
}

/// Sizes are those of the pinned wheels; a new pin brings new sizes.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    arch: &'static str,
    download: u64,
    installed: u64,
}

/// The wheels of one collection for one kind of machine.
#[derive(Clone, Copy, Debug)]
pub struct WheelSet {
    /// What is fetched.
    pub(crate) collection: &'static Collection,
    /// The processor architecture, as Rust names it.
    pub arch: &'static str,
    /// Bytes to fetch.
    pub download_bytes: u64,
    /// Bytes on the disk afterwards.
    pub installed_bytes: u64,
}

impl WheelSet {
    /// CUDA's version of the compiler.
    pub const CUDA_VERSION: &'static str = "13.0";

    /// The compiler for the machine that runs this.
    pub fn for_this_machine() -> Result<Self, Error> {
        COMPILER.for_this_machine()
    }

    /// Names and versions, in the order of the requirements file.
    pub fn packages(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.collection.packages()
    }

    /// Names and versions as one line.
    pub fn package_list(&self) -> String {
        self.collection.package_list()
    }

    /// The folder's name in the cache. A new pin, or another machine that shares the home folder,
    /// gets another name.
    pub(crate) fn folder_name(&self) -> String {
        let digest = Sha256::digest(self.collection.requirements);
        let pin: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        format!("{}-{}-{pin}", self.collection.folder, self.arch)
    }

    /// What a complete installation's marker says. Equality with it makes an installation valid.
    pub(crate) fn marker_text(&self) -> String {
        format!("warpsan toolchain, layout 1, {}\n{}", self.arch, self.collection.requirements)
    }
}

impl Collection {
    pub(crate) fn for_this_machine(&'static self) -> Result<WheelSet, Error> {
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        let sizes = self.sizes.iter().find(|sizes| sizes.arch == arch && os == "linux");
        let sizes = sizes.ok_or(Error::NoWheelsForThisMachine { os, arch })?;
        Ok(self.for_machine(sizes))
    }

    fn for_machine(&'static self, sizes: &Sizes) -> WheelSet {
        WheelSet {
            collection: self,
            arch: sizes.arch,
            download_bytes: sizes.download,
            installed_bytes: sizes.installed,
        }
    }

    fn packages(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        self.requirements.lines().filter_map(|line| {
            let (name, rest) = line.split_once("==")?;
            Some((name, rest.trim_end_matches([' ', '\\'])))
        })
    }

    pub(crate) fn package_list(&self) -> String {
        let named: Vec<_> =
            self.packages().map(|(name, version)| format!("{name} {version}")).collect();
        named.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each collection with its number of packages.
    const ALL: [(&Collection, usize); 2] = [(&COMPILER, 6), (&DEVELOPER_TOOLS, 5)];

    #[test]
    fn every_package_is_pinned_to_a_version_and_a_hash_for_each_machine() {
        for (collection, count) in ALL {
            let packages: Vec<_> = collection.packages().collect();
            assert_eq!(packages.len(), count);
            for (name, version) in &packages {
                assert!(name.starts_with("nvidia-"), "{name}");
                assert_eq!(version.split('.').count(), 3, "{name} {version}");
            }
            let lines = collection.requirements.lines();
            let hashes: Vec<_> =
                lines.filter_map(|line| line.split_once("--hash=sha256:")).collect();
            assert_eq!(hashes.len(), packages.len() * collection.sizes.len());
            for (_, hash) in hashes {
                let hash = hash.trim_end_matches([' ', '\\']);
                assert!(hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{hash}");
            }
        }
    }

    #[test]
    fn the_users_compiler_has_nothing_of_the_developers_tools() {
        assert!(COMPILER.packages().all(|(_, version)| version.starts_with("13.0.")));
        for (name, _) in DEVELOPER_TOOLS.packages() {
            assert!(COMPILER.packages().all(|(other, _)| other != name), "{name}");
        }
    }

    #[test]
    fn neither_machines_nor_collections_share_a_folder_or_a_marker() {
        let sets: Vec<WheelSet> = ALL
            .into_iter()
            .flat_map(|(collection, _)| collection.sizes.iter().map(|s| collection.for_machine(s)))
            .collect();
        for (index, one) in sets.iter().enumerate() {
            for other in &sets[..index] {
                assert_ne!(one.folder_name(), other.folder_name());
                assert_ne!(one.marker_text(), other.marker_text());
            }
        }
    }
}
