//! Compilers that are installed.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;

/// A compiler for C and C++ with `-fsanitize=thread`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The command for C, as `gcc` or `clang-19`.
    pub name: String,
    /// What it says of its version, in one line.
    pub version: String,
}

/// The commands that are looked for.
const NAMES: [&str; 5] = ["gcc", "clang", "clang-14", "clang-16", "clang-19"];

/// The runtime of clang as a shared object.
const SHARED_RUNTIME: &str = "libclang_rt.tsan-x86_64.so";

impl Compiler {
    /// The compiler with that name.
    pub fn named(name: &str) -> anyhow::Result<Self> {
        let mut ask = Command::new(name);
        let ended = ask.arg("--version").stdin(Stdio::null()).output();
        let ended = ended.with_context(|| format!("there is no compiler `{name}`"))?;
        let text = String::from_utf8_lossy(&ended.stdout).into_owned();
        let version = text.lines().next().unwrap_or_default().to_owned();
        Ok(Self { name: name.to_owned(), version })
    }

    /// Those that are installed, gcc first.
    pub fn installed() -> Vec<Self> {
        NAMES.iter().filter_map(|name| Self::named(name).ok()).collect()
    }

    /// Whether it is clang, whose flags for the runtime differ.
    pub fn is_clang(&self) -> bool {
        self.name.contains("clang")
    }

    /// The command for files of this name: C and C++ have different ones.
    pub(crate) fn command_for(&self, source: &Path) -> Command {
        Command::new(match source.extension().is_some_and(|ending| ending == "cpp") {
            true => self.name_for_cpp(),
            false => self.name.clone(),
        })
    }

    fn name_for_cpp(&self) -> String {
        match self.is_clang() {
            true => self.name.replacen("clang", "clang++", 1),
            false => self.name.replacen("gcc", "g++", 1),
        }
    }

    /// The flags that link clang's runtime as a shared object, and let the program find it.
    pub(crate) fn shared_runtime_flags(&self) -> anyhow::Result<Vec<String>> {
        let mut ask = Command::new(&self.name);
        let ended = ask.arg(format!("-print-file-name={SHARED_RUNTIME}")).output();
        let ended = ended.with_context(|| format!("cannot run {}", self.name))?;
        let file = String::from_utf8_lossy(&ended.stdout).trim().to_owned();
        let folder = Path::new(&file).parent().filter(|folder| folder.is_absolute());
        let folder = folder.with_context(|| format!("{} has no {SHARED_RUNTIME}", self.name))?;
        Ok(vec!["-shared-libsan".to_owned(), format!("-Wl,-rpath,{}", folder.display())])
    }

    /// Why it cannot build programs with `-fsanitize=thread`, if it cannot: often the library is a package of its own.
    pub fn obstacle(&self) -> Option<String> {
        let try_it = || -> anyhow::Result<Option<String>> {
            let folder = tempfile::tempdir().context("no temporary folder")?;
            let source = folder.path().join("empty.c");
            std::fs::write(&source, "int main(void) { return 0; }\n")?;
            let mut command = self.command_for(&source);
            command
                .arg("-fsanitize=thread")
                .arg(&source)
                .arg("-o")
                .arg(folder.path().join("empty"));
            let ended = command.stdin(Stdio::null()).output()?;
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            let line = said.lines().next().unwrap_or("it says nothing").to_owned();
            Ok((!ended.status.success()).then_some(line))
        };
        try_it().unwrap_or_else(|error| Some(format!("{error:#}")))
    }
}

/// The clang with the greatest number among these; one without a number counts least.
pub fn newest_clang(compilers: &[Compiler]) -> Option<&Compiler> {
    let number = |compiler: &&Compiler| compiler.name.rsplit('-').next()?.parse::<u32>().ok();
    compilers.iter().filter(|compiler| compiler.is_clang()).max_by_key(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compiler(name: &str) -> Compiler {
        Compiler { name: name.to_owned(), version: String::new() }
    }

    #[test]
    fn each_language_has_its_command() {
        for (name, cpp) in [("gcc", "g++"), ("gcc-13", "g++-13"), ("clang-19", "clang++-19")] {
            let command =
                |file: &str| compiler(name).command_for(Path::new(file)).get_program().to_owned();
            assert_eq!((command("a.c"), command("a.cpp")), (name.into(), cpp.into()));
        }
    }

    #[test]
    fn the_newest_clang_is_that_of_the_greatest_number() {
        let all = ["gcc", "clang-9", "clang", "clang-16"].map(compiler);
        assert_eq!(newest_clang(&all), Some(&all[3]));
        assert_eq!(newest_clang(&all[..1]), None);
        assert_eq!(newest_clang(&all[2..3]), Some(&all[2]));
    }

    #[test]
    fn a_compiler_that_is_not_there_is_an_error() {
        assert!(Compiler::named("no-such-compiler-of-this-name").is_err());
    }
}
