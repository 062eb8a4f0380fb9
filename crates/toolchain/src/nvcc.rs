//! nvcc with the flags that warpsan lives by: source lines in the PTX, and the shared runtime.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache::unique_name;
use crate::{Error, Toolchain, flags};

impl Toolchain {
    /// nvcc with the user's arguments, plus `-lineinfo` and `-cudart=shared` where the user did not choose
    /// otherwise, plus the folder of the libraries where nvcc would not find it by itself. The additions do
    /// no harm to invocations that only compile, only link, or only ask for a version.
    pub fn nvcc_command(&self, arguments: &[OsString]) -> Result<Command, Error> {
        let said = self.all_arguments(arguments);
        let mut command = self.command(self.toolkit.nvcc());
        let debug_or_lines = ["-G", "--device-debug", "-lineinfo", "--generate-line-info"];
        if !flags::mentions(&said, &debug_or_lines) {
            command.arg("-lineinfo");
        }
        if !flags::mentions(&said, &["-cudart", "--cudart"]) {
            command.arg("-cudart=shared");
        }
        command.args(arguments);
        // Last, so that a user's own -L is searched before.
        for folder in self.link_folders()? {
            let mut flag = OsString::from("-L");
            flag.push(folder);
            command.arg(flag);
        }
        Ok(command)
    }

    /// The arguments, and those that nvcc takes from its variables and options files.
    fn all_arguments(&self, arguments: &[OsString]) -> Vec<OsString> {
        let mut all = arguments.to_vec();
        for variable in ["NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"] {
            all.extend(self.environment.get(variable).map(flags::split_words).unwrap_or_default());
        }
        for file in flags::values(arguments, &["-optf", "--options-file"]) {
            // A file that cannot be read is nvcc's to complain about.
            if let Ok(text) = fs::read_to_string(file) {
                all.extend(flags::split_words(OsStr::new(&text)));
            }
        }
        all
    }

    /// Folders that the linker needs as flags: nvcc's profile says `lib64`, the wheels have `lib`, and other
    /// people's wheels lack the link name `libcudart.so`.
    fn link_folders(&self) -> Result<Vec<PathBuf>, Error> {
        let folders = self.toolkit.library_folders();
        let Some(home) = folders.iter().find(|folder| shared_cudart(folder).is_some()) else {
            return Ok(Vec::new());
        };
        let mut added = Vec::new();
        if *home != self.toolkit.root().join("lib64") {
            added.push(home.clone());
        }
        let has_link_name = folders.iter().any(|folder| folder.join("libcudart.so").exists());
        if let Some(library) = shared_cudart(home).filter(|_| !has_link_name) {
            added.push(self.folder_with_link_name(&library)?);
        }
        Ok(added)
    }

    /// A folder in the cache with `libcudart.so` as a link to the given library.
    fn folder_with_link_name(&self, library: &Path) -> Result<PathBuf, Error> {
        let mut key = crate::cache::KeyBuilder::new("link name");
        key.add_path(library);
        let links = self.environment.cache_root()?.join("links");
        let folder = links.join(key.finish().as_str());
        let link = folder.join("libcudart.so");
        if !link.exists() {
            fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
            let temporary = folder.join(unique_name());
            symlink(library, &temporary)
                .and_then(|()| fs::rename(&temporary, &link))
                .map_err(Error::io("create", &link))?;
        }
        Ok(folder)
    }
}

/// The shared runtime in a folder, under the name that programs are linked to.
fn shared_cudart(folder: &Path) -> Option<PathBuf> {
    ["libcudart.so.13", "libcudart.so.12"]
        .iter()
        .map(|name| folder.join(name))
        .find(|library| library.is_file())
}
