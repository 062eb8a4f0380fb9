//! The sources, and what their first lines say about them.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Architecture, Mode};

/// How a line for us begins.
const MARK: &str = "//@";

/// One CUDA source of the corpus.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its name without the extension.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// What it is compiled for; all architectures unless it says otherwise.
    pub architectures: Vec<Architecture>,
    /// How it is compiled; in all modes unless it says otherwise.
    pub modes: Vec<Mode>,
    /// Additional flags of the compiler.
    pub flags: Vec<String>,
}

/// A corpus that cannot be read.
#[derive(Debug)]
pub struct CorpusError(String);

impl fmt::Display for CorpusError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for CorpusError {}

impl CorpusError {
    pub(crate) fn new(message: String) -> Self {
        Self(message)
    }
}

impl Source {
    /// Whether it uses CUB's or Thrust's algorithms, whose PTX is large and slow to compile.
    pub fn is_large(&self) -> bool {
        self.text.contains("#include <cub/") || self.text.contains("#include <thrust/")
    }

    fn new(path: &Path, text: String) -> Result<Self, CorpusError> {
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let mut source = Self {
            name,
            path: path.to_path_buf(),
            text: String::new(),
            architectures: Architecture::all(),
            modes: Mode::ALL.to_vec(),
            flags: Vec::new(),
        };
        for (index, line) in text.lines().enumerate() {
            let Some(rest) = line.trim().strip_prefix(MARK) else { continue };
            let wrong =
                |what: &str| CorpusError(format!("{}:{}: {what}", path.display(), index + 1));
            let (key, value) =
                rest.split_once(':').ok_or_else(|| wrong("expected `//@ key: value`"))?;
            let words = value.split_whitespace();
            match key.trim() {
                "architectures" => {
                    source.architectures = words
                        .map(|word| Architecture::parse(word).ok_or(word))
                        .collect::<Result<_, _>>()
                        .map_err(|word| wrong(&format!("`{word}` is no architecture")))?;
                }
                "modes" => {
                    source.modes = words
                        .map(|word| Mode::parse(word).ok_or(word))
                        .collect::<Result<_, _>>()
                        .map_err(|word| wrong(&format!("`{word}` is no mode: O3, G or rdc")))?;
                }
                "flags" => source.flags = words.map(str::to_owned).collect(),
                other => {
                    return Err(wrong(&format!(
                        "`{other}` is not known: architectures, modes or flags"
                    )));
                }
            }
            if source.architectures.is_empty() || source.modes.is_empty() {
                return Err(wrong("the list is empty"));
            }
        }
        source.text = text;
        Ok(source)
    }
}

/// All sources of a folder, by name.
pub fn read_sources(folder: &Path) -> Result<Vec<Source>, CorpusError> {
    let unreadable = |path: &Path, error: std::io::Error| {
        CorpusError(format!("cannot read {}: {error}", path.display()))
    };
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, error))?.path();
        if path.extension().is_some_and(|extension| extension == "cu") {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(CorpusError(format!("there is no .cu file in {}", folder.display())));
    }
    paths.sort();
    let mut sources = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
        sources.push(Source::new(&path, text)?);
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Result<Source, CorpusError> {
        Source::new(Path::new("folder/some.cu"), text.to_owned())
    }

    #[test]
    fn a_source_that_says_nothing_is_compiled_for_everything() {
        let source = source("// Nothing special.\n").unwrap();
        assert_eq!(source.name, "some");
        assert_eq!(source.architectures, Architecture::all());
        assert_eq!(source.modes, Mode::ALL);
        assert!(source.flags.is_empty());
    }

    #[test]
    fn the_lines_for_us_are_read() {
        let text = "//@ architectures: 90a 100\n//@ modes: G\n//@ flags: -std=c++20 -DN=4\n";
        let source = source(text).unwrap();
        let architectures: Vec<String> =
            source.architectures.iter().map(ToString::to_string).collect();
        assert_eq!(architectures, ["sm_90a", "sm_100"]);
        assert_eq!(source.modes, [Mode::Debug]);
        assert_eq!(source.flags, ["-std=c++20", "-DN=4"]);
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, expected) in [
            ("\n//@ modes: O3 fast\n", "some.cu:2: `fast` is no mode"),
            ("//@ architectures: sm_90\n", "`sm_90` is no architecture"),
            ("//@ architecture: 90\n", "`architecture` is not known"),
            ("//@ modes:\n", "the list is empty"),
            ("//@ whatever\n", "expected `//@ key: value`"),
        ] {
            let message = source(text).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
