//! `warpsan cc …` and `warpsan c++ …`: the compiler of the system, with what the check of threads needs.

use anyhow::{Context, bail};
use clap::CommandFactory;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true, disable_version_flag = true, after_help = EXPLANATION)]
pub(crate) struct Args {
    /// Arguments for the compiler, passed on untouched
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMPILER_ARGUMENTS")]
    arguments: Vec<OsString>,
}

const EXPLANATION: &str = "\
Adds -fsanitize=thread and -g; and, unless the arguments say otherwise, -O1 and
-fno-omit-frame-pointer. What is built that way runs under `warpsan run`, which takes the place of
the compiler's own runtime. Use it to compile and to link, for all files of the program: code that
is built without is not checked.

The compiler is the first of these that there is:
  warpsan cc   $WARPSAN_CC, $CC, gcc, clang, cc
  warpsan c++  $WARPSAN_CXX, $CXX, g++, clang++, c++

Examples:
  warpsan cc -o app app.c -pthread
  warpsan c++ -O2 -o app app.cpp
  make CC='warpsan cc' CXX='warpsan c++'
  warpsan run -- ./app";

/// What is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    C,
    Cxx,
}

impl Language {
    /// Variables that name a compiler, the first that is set.
    fn variables(self) -> [&'static str; 2] {
        match self {
            Language::C => ["WARPSAN_CC", "CC"],
            Language::Cxx => ["WARPSAN_CXX", "CXX"],
        }
    }

    /// Compilers, the first that is there.
    fn compilers(self) -> [&'static str; 3] {
        match self {
            Language::C => ["gcc", "clang", "cc"],
            Language::Cxx => ["g++", "clang++", "c++"],
        }
    }

    /// The name of the command.
    fn command(self) -> &'static str {
        match self {
            Language::C => "cc",
            Language::Cxx => "c++",
        }
    }
}

/// Becomes the compiler; returns only if that fails.
pub(crate) fn run(args: &Args, language: Language) -> anyhow::Result<ExitCode> {
    if args.arguments.first().is_none_or(|first| first == "--help") {
        return help(language);
    }
    if let Some(flag) = args.arguments.iter().find(|flag| links_statically(flag)) {
        // It may be one of several steps, and not the one that links.
        let flag = flag.to_string_lossy();
        let _ = writeln!(
            std::io::stderr(),
            "warpsan: `warpsan run` cannot enter a program that is linked with {flag}; leave it out"
        );
    }
    let compiler = compiler(language, |name| std::env::var_os(name))?;
    let (program, first) = compiler.split_first().context("the compiler has no name")?;
    let mut command = Command::new(program);
    command.args(first).args(added_flags(&args.arguments)).args(&args.arguments);
    tracing::debug!(?command, "becoming the compiler");
    Err(command.exec()).with_context(|| format!("cannot start {}", Path::new(program).display()))
}

fn help(language: Language) -> anyhow::Result<ExitCode> {
    let mut all = crate::Cli::command().bin_name("warpsan");
    all.build();
    let command = all.find_subcommand_mut(language.command()).context("it has no help")?;
    command.print_long_help()?;
    Ok(ExitCode::SUCCESS)
}

/// The compiler, with the arguments that a variable gives it.
fn compiler(
    language: Language,
    variable: impl Fn(&str) -> Option<OsString>,
) -> anyhow::Result<Vec<OsString>> {
    let of_variable = |name: &&str| {
        let words = words(&variable(name)?);
        // Whoever says `make CC='warpsan cc'` means the compiler behind it.
        words.first().is_some_and(|program| !is_ourselves(program)).then_some(words)
    };
    if let Some(words) = language.variables().iter().find_map(of_variable) {
        return Ok(words);
    }
    let folders = variable("PATH").unwrap_or_default();
    let is_there =
        |name: &&str| std::env::split_paths(&folders).any(|folder| folder.join(name).is_file());
    match language.compilers().into_iter().find(is_there) {
        Some(name) => Ok(vec![name.into()]),
        None => bail!(
            "there is no compiler: none of {} is on PATH; install gcc or clang, or set {} to the one to use",
            language.compilers().join(", "),
            language.variables()[0]
        ),
    }
}

fn words(text: &OsStr) -> Vec<OsString> {
    let words = text.as_bytes().split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.map(|word| OsStr::from_bytes(word).to_os_string()).collect()
}

fn is_ourselves(program: &OsStr) -> bool {
    let own = std::env::current_exe().ok();
    let own = own.as_deref().and_then(Path::file_name);
    let name = Path::new(program).file_name();
    name.is_some() && (name == own || name == Some(OsStr::new("warpsan")))
}

/// The flags that come before those of the user, which therefore prevail.
fn added_flags(arguments: &[OsString]) -> Vec<&'static str> {
    let says = |starts: &[&str]| {
        arguments.iter().any(|argument| {
            starts.iter().any(|start| argument.as_bytes().starts_with(start.as_bytes()))
        })
    };
    let mut flags = vec!["-fsanitize=thread", "-g"];
    if !says(&["-O"]) {
        flags.push("-O1");
    }
    if !says(&["-fno-omit-frame-pointer", "-fomit-frame-pointer"]) {
        flags.push("-fno-omit-frame-pointer");
    }
    flags
}

/// Whether a flag puts the compiler's runtime where nothing can take its place.
fn links_statically(flag: &OsStr) -> bool {
    ["-static", "-static-libtsan", "-static-pie"].iter().any(|one| flag == *one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(arguments: &[&str]) -> Vec<&'static str> {
        added_flags(&arguments.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn what_the_user_says_prevails() {
        let all = ["-fsanitize=thread", "-g", "-O1", "-fno-omit-frame-pointer"];
        assert_eq!(flags(&["-c", "a.c"]), all);
        assert_eq!(flags(&["-O3", "a.c"]), [all[0], all[1], all[3]]);
        assert_eq!(flags(&["-Og", "-fomit-frame-pointer"]), all[..2]);
    }

    #[test]
    fn a_variable_names_the_compiler_unless_it_names_us() {
        let with = |cc: &str, path: &str| {
            compiler(Language::C, |name| match name {
                "CC" => Some(cc.into()),
                "PATH" => Some(path.into()),
                _ => None,
            })
        };
        assert_eq!(with("ccache gcc-12", "").expect("a compiler"), ["ccache", "gcc-12"]);
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("clang"), "").expect("a file");
        let path = folder.path().display().to_string();
        assert_eq!(with("warpsan cc", &path).expect("a compiler"), ["clang"]);
        assert_eq!(with("/opt/bin/warpsan cc", &path).expect("a compiler"), ["clang"]);
        let error = with("", "/none").expect_err("there is none").to_string();
        assert!(error.contains("gcc, clang, cc") && error.contains("WARPSAN_CC"), "{error}");
    }
}
