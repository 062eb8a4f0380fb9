//! The round trip of one PTX text: parse, print, assemble, compare.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use warpsan_ir::ModuleIndex;
use warpsan_ptx::Document;

use super::cubin::{Difference, differences};
use super::{Assembled, CompileFailure, Compilers, Unit};

/// How many of many findings of one text are shown.
const SHOWN: usize = 5;

/// What came out for one unit.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The same machine code.
    Same {
        /// Whether the line tables and other debug data are the same too.
        debug_data_too: bool,
    },
    /// CUDA 12.9 cannot compile this source without host code.
    LeftOut(String),
    /// Something is wrong.
    Failed(Failure),
}

/// What is wrong.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The source is not what its first lines promise.
    DoesNotCompile(String),
    /// ptxas does not even take what the compiler wrote.
    OriginalRefused(String),
    /// Our parser found errors.
    Syntax(Vec<String>),
    /// The instruction table lacks these.
    Unknown(Vec<String>),
    /// The IR refuses functions.
    Lowering(Vec<String>),
    /// The parser or printer panicked.
    Panicked(String),
    /// ptxas does not take what we printed.
    PrintedRefused(String),
    /// The machine code is another one.
    Different(Vec<Difference>),
    /// A tool could not be used.
    Broken(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DoesNotCompile(log) => write!(out, "does not compile: {}", first_lines(log)),
            Self::OriginalRefused(log) => {
                write!(out, "ptxas refuses the compiler's PTX: {}", first_lines(log))
            }
            Self::Syntax(messages) => write!(out, "syntax: {}", some_of(messages)),
            Self::Unknown(names) => write!(out, "unknown instructions: {}", some_of(names)),
            Self::Lowering(messages) => write!(out, "no IR: {}", some_of(messages)),
            Self::Panicked(message) => write!(out, "panic: {message}"),
            Self::PrintedRefused(log) => {
                write!(out, "ptxas refuses the printed PTX: {}", first_lines(log))
            }
            Self::Different(found) => {
                let found: Vec<String> = found.iter().map(ToString::to_string).collect();
                write!(out, "other machine code: {}", some_of(&found))
            }
            Self::Broken(message) => out.write_str(message),
        }
    }
}

impl Compilers {
    /// The round trip of a unit's PTX.
    pub fn check(&self, unit: &Unit) -> Verdict {
        let original = match self.ptx(unit) {
            Ok(original) => original,
            Err(CompileFailure::Refused(log)) if unit.architecture.needs_older_compiler() => {
                return Verdict::LeftOut(first_lines(&log));
            }
            Err(CompileFailure::Refused(log)) => {
                return Verdict::Failed(Failure::DoesNotCompile(log));
            }
            Err(CompileFailure::Broken(message)) => {
                return Verdict::Failed(Failure::Broken(message));
            }
        };
        match printed(&original).and_then(|printed| self.compare(unit, &original, &printed)) {
            Ok(debug_data_too) => Verdict::Same { debug_data_too },
            Err(failure) => Verdict::Failed(failure),
        }
    }

    /// Whether both texts give the same code; if so, whether the debug data is the same too.
    fn compare(&self, unit: &Unit, original: &str, printed: &str) -> Result<bool, Failure> {
        let first = match self.assemble(unit, original) {
            Assembled::Code(sections) => sections,
            Assembled::Refused(log) => return Err(Failure::OriginalRefused(log)),
            Assembled::Broken(message) => return Err(Failure::Broken(message)),
        };
        let second = match self.assemble(unit, printed) {
            Assembled::Code(sections) => sections,
            Assembled::Refused(log) => return Err(Failure::PrintedRefused(log)),
            Assembled::Broken(message) => return Err(Failure::Broken(message)),
        };
        let found = differences(&first, &second, |section| !section.is_debug_data());
        if !found.is_empty() {
            return Err(Failure::Different(found));
        }
        let of_source = differences(&first, &second, |section| !section.describes_the_ptx_text());
        Ok(of_source.is_empty())
    }
}

/// What the IR says about functions that it does not take. Every function that a compiler wrote has to be
/// one; instructions without a meaning are no obstacle.
fn refused_functions(document: &Document) -> Vec<String> {
    let index = ModuleIndex::of(document);
    let functions = document.module().functions().filter(|function| function.body.is_some());
    functions
        .filter_map(|function| warpsan_ir::function(&index, function.name).err())
        .map(|error| error.to_string())
        .collect()
}

/// The text as our printer writes it.
pub fn printed(original: &str) -> Result<String, Failure> {
    let round = || {
        let document = Document::parse(original.to_owned());
        let text = document.text();
        if !document.errors().is_empty() {
            let messages = document.errors().iter().map(|error| error.message_with_line(text));
            return Err(Failure::Syntax(messages.collect()));
        }
        let unknown = document.unknown();
        if !unknown.is_empty() {
            let mut names: Vec<String> = unknown
                .iter()
                .map(|instruction| warpsan_ptx::print_instruction(instruction).trim().to_owned())
                .collect();
            names.sort();
            names.dedup();
            return Err(Failure::Unknown(names));
        }
        let refused = refused_functions(&document);
        if !refused.is_empty() {
            return Err(Failure::Lowering(refused));
        }
        Ok(warpsan_ptx::print(&document.module()))
    };
    // A panic is a finding about this text, and no reason to lose the others.
    catch_unwind(AssertUnwindSafe(round)).unwrap_or_else(|panic| {
        let message = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
        Err(Failure::Panicked(message.unwrap_or_else(|| "without a message".to_owned())))
    })
}

/// The lines of a log that say most.
pub(crate) fn first_lines(log: &str) -> String {
    let is_error = |line: &&str| line.contains("error") || line.contains("fatal");
    let errors: Vec<&str> = log.lines().filter(is_error).take(SHOWN).collect();
    let lines = if errors.is_empty() { log.lines().take(SHOWN).collect() } else { errors };
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" | ")
}

fn some_of(findings: &[String]) -> String {
    let shown = findings.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join("; ");
    match findings.len().checked_sub(SHOWN) {
        Some(more @ 1..) => format!("{shown}; and {more} more"),
        _ => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_mistakes_is_not_printed() {
        let wrong = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k( { ret; }\n";
        assert!(matches!(printed(wrong), Err(Failure::Syntax(_))));
        let unknown = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { no.such %r1, %r2; ret; }\n";
        assert!(matches!(printed(unknown), Err(Failure::Unknown(_))), "{:?}", printed(unknown));
        let right = ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }\n";
        assert!(printed(right).unwrap().contains("ret;"));
    }

    #[test]
    fn long_lists_are_cut_with_their_length() {
        let many: Vec<String> = (0..9).map(|number| number.to_string()).collect();
        assert_eq!(some_of(&many), "0; 1; 2; 3; 4; and 4 more");
        assert_eq!(some_of(&many[..5]), "0; 1; 2; 3; 4");
        assert_eq!(first_lines("note\nx(3): error: bad\nmore"), "x(3): error: bad");
    }
}
