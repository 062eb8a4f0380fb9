//! Kernel-only sources to PTX, inside this process.
//!
//! NVRTC knows CUDA's headers and no others. A source that includes a header of the host (`<cstdio>`)
//! goes through `nvcc -ptx` instead, where there is a host compiler; the PTX is the same in kind.

use std::ffi::{CString, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::cache::{Key, KeyBuilder, Stored};
use crate::host_compiler::add_file_identity;
use crate::includes::IncludeClosure;
use crate::nvrtc::{Nvrtc, path_text};
use crate::program::{Product, absolute, name_as_given};
use crate::{Error, Toolchain, flags};

/// The architecture that kernels are compiled for where the flags name none.
const DEFAULT_ARCHITECTURE: &str = "compute_90";

/// How kernels are compiled.
#[derive(Clone, Debug, Default)]
pub struct KernelOptions {
    /// Compiler flags, such as `-DN=4`, `-I folder`, `-std=c++20`, `-arch=compute_80`, `-G`.
    pub flags: Vec<OsString>,
}

/// Which compiler made the PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelCompiler {
    /// NVRTC, in this process.
    Nvrtc,
    /// nvcc, for a source that includes headers of the host.
    Nvcc,
}

/// PTX, and how it came about.
#[derive(Clone, Debug)]
pub struct CompiledKernels {
    /// The PTX text; its `.file` lines hold the absolute path of the source.
    pub ptx: String,
    /// What the compiler said, warnings mostly, about the file as the caller named it.
    pub log: String,
    /// Which compiler it was.
    pub compiler: KernelCompiler,
    /// Whether nothing had to be compiled.
    pub was_cached: bool,
}

/// One compilation: the source and everything that goes to NVRTC with it.
struct Job<'a> {
    given: &'a Path,
    real: PathBuf,
    text: Vec<u8>,
    options: Vec<OsString>,
    library: PathBuf,
}

impl Toolchain {
    /// Compiles a source that has kernels and no host code to PTX with line information.
    pub fn compile_kernels(
        &self,
        source: &Path,
        options: &KernelOptions,
    ) -> Result<CompiledKernels, Error> {
        let text = fs::read(source).map_err(Error::io("read", source))?;
        let Some(library) = self.toolkit.nvrtc_library() else {
            let missing = Error::NvrtcMissing { root: self.toolkit.root().to_path_buf() };
            return self.kernels_by_nvcc(source, options, missing);
        };
        let user_flags = normal_flags(&options.flags)?;
        let real = absolute(source)?;
        let closure = include_closure(&real, &text, &user_flags)?;
        let options_for_nvrtc = self.nvrtc_options(&real, &user_flags);
        let job = Job { given: source, real, text, options: options_for_nvrtc, library };
        let key = job.key(&closure);
        if !closure.is_incomplete
            && let Some(stored) = self.cache.get(&key)
        {
            return Ok(job.result(stored, true));
        }
        match job.compile()? {
            Ok(stored) => {
                // A header that was saved while NVRTC ran must not be taken for the one before.
                let after = include_closure(&job.real, &job.text, &user_flags)?;
                if !closure.is_incomplete && job.key(&after) == key {
                    self.cache.put(&key, &stored);
                }
                Ok(job.result(stored, false))
            }
            Err(log) => {
                let needs_host_header = log.contains("open source file");
                let log = name_as_given(&log, &job.real, source);
                let error = Error::DoesNotCompile { source_file: source.to_path_buf(), log };
                if needs_host_header {
                    self.kernels_by_nvcc(source, options, error)
                } else {
                    Err(error)
                }
            }
        }
    }

    /// The version of the toolkit's NVRTC, as in `13.0`; loading it shows whether it works here.
    pub fn nvrtc_version(&self) -> Result<String, Error> {
        let missing = || Error::NvrtcMissing { root: self.toolkit.root().to_path_buf() };
        Nvrtc::load(&self.toolkit.nvrtc_library().ok_or_else(missing)?)?.version()
    }

    /// `nvcc -ptx`, or the given error where there is no host compiler.
    fn kernels_by_nvcc(
        &self,
        source: &Path,
        options: &KernelOptions,
        otherwise: Error,
    ) -> Result<CompiledKernels, Error> {
        if let Err(missing) = self.host_compiler(&options.flags) {
            return Err(with_hint(otherwise, &missing));
        }
        let mut arguments = normal_flags(&options.flags)?;
        if !names_architecture(&arguments) {
            arguments.push(format!("-arch={DEFAULT_ARCHITECTURE}").into());
        }
        let (stored, was_cached) =
            self.compile_by_nvcc(source, &arguments, Product::Ptx, |_| true)?;
        let Stored { log, payload: ptx } = stored;
        Ok(CompiledKernels { ptx, log, compiler: KernelCompiler::Nvcc, was_cached })
    }

    fn nvrtc_options(&self, source: &Path, user_flags: &[OsString]) -> Vec<OsString> {
        let mut options = Vec::new();
        if !names_architecture(user_flags) {
            options.push(format!("-arch={DEFAULT_ARCHITECTURE}").into());
        }
        let debug_or_lines = ["-G", "--device-debug", "-lineinfo", "--generate-line-info"];
        if !flags::mentions(user_flags, &debug_or_lines) {
            options.push("-lineinfo".into());
        }
        options.extend_from_slice(user_flags);
        // The user's folders first, then the source's own, then CUDA's.
        let own = source.parent().map(Path::to_path_buf);
        for folder in own.into_iter().chain(self.toolkit.include_folders()) {
            let mut flag = OsString::from("-I");
            flag.push(folder);
            options.push(flag);
        }
        options
    }
}

impl Job<'_> {
    fn key(&self, closure: &IncludeClosure) -> Key {
        let mut key = KeyBuilder::new("nvrtc ptx");
        add_file_identity(&self.library, &mut key);
        key.add_path(&self.real);
        key.add((self.options.len() as u64).to_le_bytes());
        for option in &self.options {
            key.add(option.as_bytes());
        }
        key.add(&self.text);
        closure.add_to(&mut key);
        key.finish()
    }

    /// The result, or the log of a source that does not compile.
    fn compile(&self) -> Result<Result<Stored, String>, Error> {
        let unusable = |detail| Error::UnusableSource { path: self.given.to_path_buf(), detail };
        let text = CString::new(self.text.as_slice())
            .map_err(|_| unusable("it contains a zero byte and is no source text"))?;
        let options: Result<Vec<CString>, _> =
            self.options.iter().map(|option| CString::new(option.as_bytes())).collect();
        let options = options.map_err(|_| unusable("a flag contains a zero byte"))?;
        let name = path_text(&self.real)?;
        let compile = || Nvrtc::load(&self.library)?.compile(&text, &name, &options);
        let outcome = on_large_stack(compile)?;
        Ok(match outcome.ptx {
            Some(payload) => Ok(Stored { log: outcome.log, payload }),
            None => Err(outcome.log),
        })
    }

    fn result(&self, stored: Stored, was_cached: bool) -> CompiledKernels {
        CompiledKernels {
            ptx: stored.payload,
            log: name_as_given(&stored.log, &self.real, self.given),
            compiler: KernelCompiler::Nvrtc,
            was_cached,
        }
    }
}

/// Runs on a thread whose stack has the size of a program's main thread or more: the compiler recurses deeply
/// on templates, and the caller may be a thread with a small stack.
pub(crate) fn on_large_stack<T: Send>(
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(64 << 20);
        let handle = thread
            .spawn_scoped(scope, work)
            .map_err(Error::io("start a thread for", "the compiler"))?;
        handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn names_architecture(flags: &[OsString]) -> bool {
    flags::mentions(flags, &["-arch", "--gpu-architecture", "-gencode", "--generate-code"])
}

/// Each flag as one word, and `-I` folders absolute: they go into the PTX's line table, which must mean
/// the same in every working directory.
fn normal_flags(flags: &[OsString]) -> Result<Vec<OsString>, Error> {
    let joined = flags::join_two_word_flags(flags).into_iter().map(|flag| {
        let one = std::slice::from_ref(&flag);
        let Some(&folder) = flags::values(one, &["-I", "--include-path"]).first() else {
            return Ok(flag);
        };
        let mut normal = OsString::from("-I");
        normal.push(absolute(Path::new(folder))?);
        Ok(normal)
    });
    joined.collect()
}

/// What NVRTC could not compile, nvcc might, if it could run.
fn with_hint(error: Error, missing: &Error) -> Error {
    match error {
        Error::DoesNotCompile { source_file, log } => {
            let hint =
                "NVRTC knows CUDA's own headers only, and nvcc, which knows more, cannot run";
            Error::DoesNotCompile { source_file, log: format!("{log}\n{hint}: {missing}") }
        }
        other => other,
    }
}

/// The headers that the source may reach. A header named by `-include` is looked for in the working
/// directory and in the folders.
fn include_closure(
    source: &Path,
    text: &[u8],
    user_flags: &[OsString],
) -> Result<IncludeClosure, Error> {
    let mut folders: Vec<PathBuf> =
        flags::values(user_flags, &["-I", "--include-path"]).iter().map(PathBuf::from).collect();
    folders.extend(source.parent().map(Path::to_path_buf));
    let mut first = Vec::new();
    for name in flags::values(user_flags, &["-include", "--pre-include"]) {
        first.push(absolute(Path::new(name))?);
        first.extend(folders.iter().map(|folder| folder.join(name)));
    }
    Ok(IncludeClosure::scan(source, text, &folders, &first))
}
