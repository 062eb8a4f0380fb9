//! Toolkits whose nvcc is a shell script.

use std::path::PathBuf;

use super::Machine;

/// Notes each compilation in `nvcc.runs`. The "program" it makes is a copy of the source and of the headers
/// beside it; a source that says `broken` does not compile.
const NVCC: &str = include_str!("fake_nvcc.sh");

/// Where a toolkit keeps its libraries.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// NVIDIA's installer: `lib64`, with the link name.
    Installer,
    /// The wheels: `lib`, without the link name.
    Wheels,
}

impl Machine {
    /// A toolkit in that folder; its nvcc says that it is of that version.
    pub(crate) fn add_toolkit(&self, folder: &str, layout: Layout, version: &str) -> PathBuf {
        let root = self.path(folder);
        self.write_nvcc(&format!("{folder}/bin/nvcc"), &root, version);
        self.write(&format!("{folder}/include/cuda_runtime.h"), "");
        let library = match layout {
            Layout::Installer => "lib64",
            Layout::Wheels => "lib",
        };
        self.write(&format!("{folder}/{library}/libcudart.so.13"), "");
        if layout == Layout::Installer {
            self.write(&format!("{folder}/{library}/libcudart.so"), "");
        }
        root
    }

    /// An nvcc that says it belongs to the toolkit `top`.
    pub(crate) fn write_nvcc(&self, name: &str, top: &std::path::Path, version: &str) -> PathBuf {
        let text = NVCC
            .replace("@VERSION@", version)
            .replace("@TOP@", &top.to_string_lossy())
            .replace("@MACHINE@", &self.path("").to_string_lossy());
        self.write_script(name, &text)
    }

    /// gcc and g++ on `PATH`; they are looked for, never run.
    pub(crate) fn add_host_compiler(&self) {
        for name in ["bin/gcc", "bin/g++"] {
            self.write_script(name, "#!/bin/sh\nexit 1\n");
        }
    }
}
