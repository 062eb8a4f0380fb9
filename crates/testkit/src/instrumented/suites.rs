//! The PTX texts whose kernels are instrumented.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use warpsan_ir::link::{self, link};
use warpsan_ptx::Document;

use crate::corpus::{
    Architecture, CompileFailure, Compilers, Mode, Source, Unit, read_sources, units_of,
};
use crate::{programs, relocatable, speculation};

/// Modules are instrumented for the first of these that they can be compiled for; checks need instructions that
/// older architectures lack.
const ARCHITECTURES: [&str; 3] = ["90", "90a", "100"];
const MODES: [Mode; 2] = [Mode::Optimised, Mode::Debug];

/// A module of one of the suites.
#[derive(Clone, Debug)]
pub struct Text {
    suite: &'static str,
    made_of: MadeOf,
}

#[derive(Clone, Debug)]
enum MadeOf {
    /// One of the corpus.
    Unit(Unit),
    /// A program's sources, compiled one by one and linked by us where there are several.
    Sources { name: String, files: Vec<PathBuf>, mode: Mode, flags: Vec<String> },
}

/// As in `ptx/calls_and_recursion sm_90 G`.
impl fmt::Display for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.made_of {
            MadeOf::Unit(unit) => write!(out, "{}/{unit}", self.suite),
            MadeOf::Sources { name, mode, .. } => write!(out, "{}/{name} sm_90 {mode}", self.suite),
        }
    }
}

impl Text {
    /// The suite that it is of.
    pub fn suite(&self) -> &'static str {
        self.suite
    }

    /// How it is compiled.
    pub fn mode(&self) -> Mode {
        match &self.made_of {
            MadeOf::Unit(unit) => unit.mode,
            MadeOf::Sources { mode, .. } => *mode,
        }
    }

    /// The architecture that its kernels are assembled for.
    pub fn target(&self) -> String {
        match &self.made_of {
            MadeOf::Unit(unit) => unit.architecture.to_string(),
            MadeOf::Sources { .. } => "sm_90".to_owned(),
        }
    }

    /// The PTX.
    pub fn document(&self, compilers: &Compilers) -> anyhow::Result<Document> {
        let mut documents = Vec::new();
        match &self.made_of {
            MadeOf::Unit(unit) => documents.push(parse(compilers.ptx(unit))?),
            MadeOf::Sources { files, mode, flags, .. } => {
                for file in files {
                    documents.push(parse(compilers.ptx_of_file(file, *mode, flags))?);
                }
            }
        }
        if documents.len() == 1 {
            return Ok(documents.remove(0));
        }
        let names: Vec<String> = (1..=documents.len()).map(|unit| format!("unit {unit}")).collect();
        let units: Vec<link::Unit<'_>> = documents
            .iter()
            .zip(&names)
            .map(|(document, name)| link::Unit { name, module: document.module() })
            .collect();
        let linked = link(&units).context("its units do not link")?;
        parse(Ok(linked.text))
    }
}

fn parse(text: Result<String, CompileFailure>) -> anyhow::Result<Document> {
    let document = Document::parse(text?);
    match document.errors().first() {
        Some(error) => anyhow::bail!(error.message_with_line(document.text())),
        None => Ok(document),
    }
}

/// All texts: the corpus, the programs with a `main`, those of several units, and those with speculated loads.
pub fn texts(root: &Path) -> anyhow::Result<Vec<Text>> {
    let suites = root.join("suites");
    let mut texts = Vec::new();
    let sources: Vec<Arc<Source>> =
        read_sources(&suites.join("ptx"))?.into_iter().map(Arc::new).collect();
    let architectures: Vec<Architecture> =
        ARCHITECTURES.iter().filter_map(|word| Architecture::parse(word)).collect();
    for unit in units_of(&sources) {
        let mut possible = architectures.iter();
        let first = possible.find(|one| unit.source.architectures.contains(one));
        if first == Some(&unit.architecture) && MODES.contains(&unit.mode) {
            texts.push(Text { suite: "ptx", made_of: MadeOf::Unit(unit) });
        }
    }
    let mut add = |suite, name: &str, files: Vec<PathBuf>, flags: &[String], modes: &[Mode]| {
        for &mode in modes {
            let (name, files, flags) = (name.to_owned(), files.clone(), flags.to_vec());
            texts.push(Text { suite, made_of: MadeOf::Sources { name, files, mode, flags } });
        }
    };
    let folder = suites.join("programs");
    for program in programs::read_programs(&folder)? {
        let mut flags = vec![format!("-I{}", folder.display())];
        flags.extend(program.head.flags.iter().cloned());
        // Files for the host have no kernels.
        let has_kernels = |file: &&Path| file.extension().is_some_and(|ending| ending == "cu");
        let files = program.linked_sources().filter(has_kernels).map(Path::to_path_buf).collect();
        add("programs", &program.name, files, &flags, &MODES);
        for plugin in program.plugin_sources() {
            let name = plugin.file_stem().unwrap_or_default().to_string_lossy();
            add("programs", &name, vec![plugin.to_path_buf()], &flags, &MODES);
        }
    }
    for program in relocatable::read_programs(&suites.join("rdc"))? {
        add("rdc", &program.name, program.sources, &program.flags, &[Mode::Relocatable]);
    }
    for program in speculation::read_programs(&suites.join("speculation"))? {
        add("speculation", &program.name, vec![program.path], &[], &[Mode::Optimised]);
    }
    Ok(texts)
}
