//! Programs made of the corpus: the PTX that warpsan finds in them is what cuobjdump extracts.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use anyhow::Context;

use super::compile::all_text;
use super::round_trip::first_lines;
use super::{Architecture, Compilers, Mode, Source, Unit};

/// How a program is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linking {
    /// Each source is a whole program for the GPU.
    WholeProgram,
    /// `-rdc=true`: the GPU's linker joins sources.
    Relocatable,
}

/// One program to make and to look into.
#[derive(Clone, Debug)]
pub struct Executable {
    /// Its source.
    pub source: Arc<Source>,
    /// What it is for; its PTX is in it too.
    pub architecture: Architecture,
    /// How it is linked.
    pub linking: Linking,
}

/// What came out for one program.
#[derive(Clone, Debug)]
pub enum ExecutableVerdict {
    /// Both give the same text.
    Same {
        /// How many PTX images it has.
        images: usize,
    },
    /// They do not, or one of them fails.
    Failed(String),
}

impl fmt::Display for Executable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let linking = match self.linking {
            Linking::WholeProgram => "program",
            Linking::Relocatable => "program -rdc",
        };
        write!(out, "{} {} {linking}", self.source.name, self.architecture)
    }
}

impl Executable {
    /// The programs of a source: for sm_90, or for what comes nearest to it where the source needs another
    /// architecture.
    pub fn of(source: &Arc<Source>) -> Vec<Self> {
        let wanted = ["90", "90a"].into_iter().filter_map(Architecture::parse);
        let newest = source.architectures.iter().filter(|other| !other.needs_older_compiler());
        let architecture = wanted
            .filter(|wanted| source.architectures.contains(wanted))
            .chain(newest.max().cloned())
            .next();
        let Some(architecture) = architecture else { return Vec::new() };
        [Linking::WholeProgram, Linking::Relocatable]
            .into_iter()
            .filter(|linking| source.modes.iter().any(|mode| linking.fits(*mode)))
            .map(|linking| Self {
                source: Arc::clone(source),
                architecture: architecture.clone(),
                linking,
            })
            .collect()
    }
}

impl Linking {
    fn fits(self, mode: Mode) -> bool {
        (self == Self::Relocatable) == (mode == Mode::Relocatable)
    }

    fn mode(self) -> Mode {
        match self {
            Self::WholeProgram => Mode::Optimised,
            Self::Relocatable => Mode::Relocatable,
        }
    }
}

impl Compilers {
    /// Makes a program, or finds it from before, and compares `warpsan ptx --print` with cuobjdump.
    pub fn check_executable(
        &self,
        executable: &Executable,
        cuobjdump: &Path,
        warpsan: &Path,
    ) -> ExecutableVerdict {
        let compared = self.program(executable).and_then(|program| {
            let expected = extracted(cuobjdump, &program)?;
            if expected.is_empty() {
                anyhow::bail!("cuobjdump finds no PTX in it");
            }
            let mut found = text_of(Command::new(warpsan).args(["ptx", "--print"]).arg(&program))?;
            if expected.len() > 1 {
                found = without_image_headers(&found);
            }
            match first_difference(&expected.concat(), &found) {
                None => Ok(expected.len()),
                Some(difference) => anyhow::bail!(difference),
            }
        });
        match compared {
            Ok(images) => ExecutableVerdict::Same { images },
            Err(error) => ExecutableVerdict::Failed(format!("{error:#}")),
        }
    }

    fn program(&self, executable: &Executable) -> anyhow::Result<PathBuf> {
        let unit = Unit {
            source: Arc::clone(&executable.source),
            architecture: executable.architecture.clone(),
            mode: executable.linking.mode(),
        };
        // The short form, -arch, takes PTX of the plain architecture for one with features, as in sm_100a.
        let (code, ptx) = (&unit.architecture, unit.architecture.compute());
        let mut options = vec![format!("-gencode=arch={ptx},code=[{code},{ptx}]")];
        options.extend(unit.mode.nvcc_flags().iter().map(ToString::to_string));
        options.extend(unit.source.flags.iter().cloned());
        let key = self.key("program", &unit, &options);
        let path = self.store.path(&key);
        if path.is_file() {
            return Ok(path);
        }
        let failed = "cannot make the program";
        let folder = tempfile::tempdir().context(failed)?;
        let made = folder.path().join("program");
        let mut nvcc = Command::new(self.toolchain().toolkit().nvcc());
        nvcc.args(&options).arg(&unit.source.path).arg("-o").arg(&made);
        for library_folder in self.toolchain().toolkit().library_folders() {
            nvcc.arg(format!("-L{}", library_folder.display()));
        }
        let output =
            nvcc.current_dir(folder.path()).stdin(Stdio::null()).output().context(failed)?;
        if !output.status.success() {
            let log = first_lines(&all_text(&output));
            anyhow::bail!("nvcc does not make a program of it: {log}");
        }
        let program = fs::read(&made).context(failed)?;
        self.store.put(&key, &program).context(failed)?;
        Ok(path)
    }
}

/// The PTX texts in a program, in cuobjdump's order.
fn extracted(cuobjdump: &Path, program: &Path) -> anyhow::Result<Vec<String>> {
    let failed = "cannot use cuobjdump";
    let folder = tempfile::tempdir().context(failed)?;
    // Without -all, units for the GPU's linker are not looked at.
    let mut command = Command::new(cuobjdump);
    command.args(["-all", "-xptx", "all"]).arg(program).current_dir(folder.path());
    let names = extracted_names(&text_of(&mut command)?)?;
    names.iter().map(|name| fs::read_to_string(folder.path().join(name)).context(failed)).collect()
}

/// The files that cuobjdump says it wrote, as in `Extracting PTX file and ptxas options    1: a.sm_90.ptx …`.
fn extracted_names(said: &str) -> anyhow::Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for line in said.lines().filter(|line| line.starts_with("Extracting PTX file")) {
        let name = line.split_once(": ").and_then(|(_, rest)| rest.split_whitespace().next());
        let name = name.with_context(|| format!("cuobjdump said `{line}`"))?.to_owned();
        if names.contains(&name) {
            anyhow::bail!("cuobjdump wrote two images into one file, {name}");
        }
        names.push(name);
    }
    Ok(names)
}

/// What a program prints; it has to succeed.
fn text_of(command: &mut Command) -> anyhow::Result<String> {
    let name = Path::new(command.get_program()).to_path_buf();
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let output =
        command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {name}"))?;
    if !output.status.success() {
        anyhow::bail!("{name} ended with {}: {}", output.status, all_text(&output));
    }
    String::from_utf8(output.stdout).ok().with_context(|| format!("{name} printed what is no text"))
}

/// What warpsan prints of several images, without the line that it puts before each.
fn without_image_headers(printed: &str) -> String {
    let lines = printed.split_inclusive('\n');
    lines.filter(|line| !line.starts_with("// image ")).collect()
}

/// The first line in which two texts differ.
fn first_difference(expected: &str, found: &str) -> Option<String> {
    if expected == found {
        return None;
    }
    let mut lines = expected.split('\n').zip(found.split('\n')).enumerate();
    let message = match lines.find(|(_, (one, other))| one != other) {
        Some((index, (one, other))) => {
            format!("line {}: cuobjdump has `{one}`, warpsan `{other}`", index + 1)
        }
        None => format!("cuobjdump has {} bytes, warpsan {}", expected.len(), found.len()),
    };
    Some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        let message = first_difference("a\nb\n", "a\nc\n").unwrap();
        assert_eq!(message, "line 2: cuobjdump has `b`, warpsan `c`");
        assert!(first_difference("a\n", "a\n\n").unwrap().contains("bytes"));
    }

    #[test]
    fn the_names_of_files_are_read_in_their_order() {
        let line = |number: u32, name: &str| {
            format!("Extracting PTX file and ptxas options    {number}: {name} -arch=sm_90 \n")
        };
        let said = line(1, "b.2.sm_90.ptx") + "and more\n" + &line(2, "a.sm_80.ptx");
        assert_eq!(extracted_names(&said).unwrap(), ["b.2.sm_90.ptx", "a.sm_80.ptx"]);
        assert!(
            extracted_names(&(said.clone() + &said))
                .unwrap_err()
                .to_string()
                .contains("two images")
        );
    }

    #[test]
    fn a_source_becomes_programs_for_an_architecture_it_has() {
        let source = |architectures: &[&str], modes: &[Mode]| {
            Arc::new(Source {
                name: "some".into(),
                path: "some.cu".into(),
                text: String::new(),
                architectures: architectures
                    .iter()
                    .filter_map(|a| Architecture::parse(a))
                    .collect(),
                modes: modes.to_vec(),
                flags: Vec::new(),
            })
        };
        let names = |source: &Arc<Source>| {
            Executable::of(source).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        let all = source(&["50", "75", "90", "90a"], &Mode::ALL);
        assert_eq!(names(&all), ["some sm_90 program", "some sm_90 program -rdc"]);
        assert_eq!(names(&source(&["75", "100"], &[Mode::Debug])), ["some sm_100 program"]);
        assert_eq!(names(&source(&["90a"], &[Mode::Relocatable])), ["some sm_90a program -rdc"]);
        assert!(names(&source(&["50"], &Mode::ALL)).is_empty());
    }
}
