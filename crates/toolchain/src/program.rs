//! Whole programs, and the kernel-only files that NVRTC cannot take, through nvcc.
//!
//! nvcc lists the files it read, but only afterwards. So there are two steps: what is known before (source
//! path, flags, compilers) leads to the list of files of the last compilation, and their contents, hashed
//! anew each time, lead to the result. Not seen: a new header that hides one found later on the path, and
//! libraries named by `-l`.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::SystemTime;

use crate::cache::{Key, KeyBuilder, Stored, checksum_of_file};
use crate::{Error, Toolchain, flags};

/// Variables that change what nvcc and the host compiler do.
const COMPILER_VARIABLES: [&str; 8] = [
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
    "NVCC_CCBIN",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
];

/// An executable in the cache.
#[derive(Clone, Debug)]
pub struct CompiledProgram {
    /// Where it is; it stays there.
    pub path: PathBuf,
    /// What the compiler said, warnings mostly.
    pub log: String,
    /// Whether nothing had to be compiled.
    pub was_cached: bool,
}

/// What nvcc is to make.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Product {
    Executable,
    Ptx,
}

impl Toolchain {
    /// Compiles a source with its own `main` into an executable, with line information and the shared runtime
    /// unless the flags say otherwise. The flags name no output file.
    pub fn compile_program(
        &self,
        source: &Path,
        flags: &[OsString],
    ) -> Result<CompiledProgram, Error> {
        let name = program_name(source);
        let read = |stored: &Stored| self.cache.get_program(&stored.payload, &name);
        let (stored, was_cached) =
            self.compile_by_nvcc(source, flags, Product::Executable, |s| read(s).is_some())?;
        let path = read(&stored).ok_or_else(|| Error::ProgramFailed {
            program: self.toolkit.nvcc().to_path_buf(),
            detail: "made a program that vanished from the cache; run it again".to_owned(),
        })?;
        Ok(CompiledProgram { path, log: stored.log, was_cached })
    }

    /// The stored result, and whether it was there before. For an executable the payload is its checksum,
    /// for PTX the text.
    pub(crate) fn compile_by_nvcc(
        &self,
        source: &Path,
        flags: &[OsString],
        product: Product,
        is_usable: impl Fn(&Stored) -> bool,
    ) -> Result<(Stored, bool), Error> {
        let known_before = self.known_before(source, flags, product)?;
        let inputs_key = known_before.clone().finish();
        let can_be_kept = !has_second_source(flags);
        if can_be_kept
            && let Some(inputs) = self.cache.get(&inputs_key)
            && let Some(key) = key_of_contents(known_before.clone(), &inputs.payload)
            && let Some(stored) = self.cache.get(&key)
            && is_usable(&stored)
        {
            return Ok((stored, true));
        }
        let started = SystemTime::now();
        let (stored, inputs) = self.run_nvcc(source, flags, product)?;
        if can_be_kept
            && are_older_than(&inputs, started)
            && let Some(key) = key_of_contents(known_before, &inputs)
        {
            self.cache.put(&key, &stored);
            self.cache.put(&inputs_key, &Stored { log: String::new(), payload: inputs });
        }
        Ok((stored, false))
    }

    fn known_before(
        &self,
        source: &Path,
        flags: &[OsString],
        product: Product,
    ) -> Result<KeyBuilder, Error> {
        let mut key = KeyBuilder::new(match product {
            Product::Executable => "nvcc program",
            Product::Ptx => "nvcc ptx",
        });
        key.add_path(self.toolkit.nvcc());
        key.add(self.toolkit.version_text()?);
        self.host_compiler(flags)?.add_to(&mut key);
        key.add_path(&absolute(source)?);
        key.add_path(&absolute(Path::new("."))?);
        for flag in flags {
            key.add(flag.as_encoded_bytes());
        }
        for variable in COMPILER_VARIABLES {
            key.add(variable);
            key.add(self.environment.get(variable).unwrap_or_default().as_encoded_bytes());
        }
        Ok(key)
    }

    /// One run of nvcc: the result, and the list of the files it depends on, one per line.
    fn run_nvcc(
        &self,
        source: &Path,
        flags: &[OsString],
        product: Product,
    ) -> Result<(Stored, String), Error> {
        let real_source = absolute(source)?;
        fs::metadata(&real_source).map_err(Error::io("read", source))?;
        let output = TemporaryFile(self.cache.temporary_program()?);
        let list = TemporaryFile(output.0.with_extension("d"));
        let mut arguments = flags.to_vec();
        if product == Product::Ptx {
            arguments.push("-ptx".into());
        }
        let named = [("-MD", None), ("-MF", Some(&list.0)), ("-o", Some(&output.0))];
        for (flag, value) in named {
            arguments.push(flag.into());
            arguments.extend(value.map(|path| path.clone().into_os_string()));
        }
        arguments.push(real_source.clone().into_os_string());
        let mut command = self.nvcc_command(&arguments)?;
        let finished = command.stdin(Stdio::null()).output();
        let finished = finished.map_err(Error::io("start", self.toolkit.nvcc()))?;
        let said = [finished.stdout, finished.stderr].concat();
        let log = name_as_given(&String::from_utf8_lossy(&said), &real_source, source);
        if !finished.status.success() {
            return Err(Error::DoesNotCompile { source_file: source.to_path_buf(), log });
        }
        let payload = match product {
            Product::Executable => self.cache.keep_program(&output.0, &program_name(source))?.0,
            Product::Ptx => fs::read_to_string(&output.0).map_err(Error::io("read", &output.0))?,
        };
        let inputs = self.list_inputs(&list.0, flags)?;
        Ok((Stored { log, payload }, inputs))
    }

    /// The files of nvcc's list, and those that the flags name (objects, archives). The toolkit's own
    /// headers are left out: they belong to the compiler's version.
    fn list_inputs(&self, list: &Path, flags: &[OsString]) -> Result<String, Error> {
        let text = fs::read_to_string(list).map_err(Error::io("read", list))?;
        let own = self.toolkit.root().canonicalize().unwrap_or_default().join("include");
        let from_flags = flags.iter().filter_map(|flag| flag.to_str()).map(str::to_owned);
        let files = dependencies(&text).into_iter().chain(from_flags);
        let files: BTreeSet<PathBuf> = files
            .filter_map(|file| Path::new(&file).canonicalize().ok())
            .filter(|file| file.is_file() && !file.starts_with(&own))
            .collect();
        let lines: Vec<_> = files.iter().map(|file| file.to_string_lossy()).collect();
        Ok(lines.join("\n"))
    }
}

/// A file that was saved while nvcc ran may not be what nvcc read.
fn are_older_than(inputs: &str, started: SystemTime) -> bool {
    let modified = |file: &str| fs::metadata(file).and_then(|data| data.modified());
    inputs.lines().all(|file| modified(file).is_ok_and(|time| time < started))
}

/// The key of a result: what was known before, and the contents of all inputs. `None` if one is gone.
fn key_of_contents(mut key: KeyBuilder, inputs: &str) -> Option<Key> {
    for file in inputs.lines() {
        key.add(file);
        key.add(checksum_of_file(Path::new(file))?);
    }
    Some(key.finish())
}

/// nvcc's list of files covers only one of several sources.
fn has_second_source(flags: &[OsString]) -> bool {
    const SOURCES: [&str; 7] = ["cu", "c", "cc", "cpp", "cxx", "ptx", "ii"];
    flags.iter().any(|flag| {
        let path = Path::new(flag);
        let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
        SOURCES.contains(&extension) && path.is_file()
    }) || flags::mentions(flags, &["-optf", "--options-file"])
}

/// The files in a make rule `target : file file …`, where a backslash protects a space and ends a line.
fn dependencies(rule: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut letters = rule.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some(' ' | '#')) | ('$', Some('$')) => {
                let protected = letters.next();
                words.last_mut().expect("never empty").extend(protected);
            }
            ('\\', Some('\n')) | (' ' | '\n' | '\t', _) => words.push(String::new()),
            _ => words.last_mut().expect("never empty").push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    match words.iter().position(|word| word.ends_with(':')) {
        Some(target) => words.split_off(target + 1),
        None => Vec::new(),
    }
}

fn program_name(source: &Path) -> String {
    source.file_stem().unwrap_or(OsStr::new("program")).to_string_lossy().into_owned()
}

/// A compiler gets the whole path, for the line table; its messages get back what the user typed.
pub(crate) fn name_as_given(log: &str, real: &Path, given: &Path) -> String {
    log.replace(&*real.to_string_lossy(), &given.to_string_lossy()).trim_end().to_owned()
}

pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Error> {
    std::path::absolute(path).map_err(Error::io("make absolute", path))
}

/// Removed when it goes out of scope; a file that was moved away meanwhile is fine.
struct TemporaryFile(PathBuf);

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_make_rule_is_split_into_its_files() {
        let rule = "out\\ put : a.cu \\\n    /x/with\\ space.h \\\n    cost$$.h\n";
        assert_eq!(dependencies(rule), ["a.cu", "/x/with space.h", "cost$.h"]);
        assert_eq!(dependencies("out: a.cu b.h\n"), ["a.cu", "b.h"]);
        assert!(dependencies("").is_empty());
    }

    #[test]
    fn messages_name_the_file_as_it_was_given() {
        let log = name_as_given("/x/a.cu(3): error", Path::new("/x/a.cu"), Path::new("./a.cu"));
        assert_eq!(log, "./a.cu(3): error");
    }
}
