//! The text format of RAPID, "STD": a line `T1|w(x)|L12` for each event.
//!
//! Operations: `r`, `w` (a variable), `acq`, `rel` (a lock), `fork`, `join` (a thread), `begin`, `end`. A variable has no address and no
//! size: each that is read becomes a word of its own. How memory becomes variables, and what cannot be said: `print.rs`.

mod print;

use std::collections::HashMap;

use thiserror::Error;
use warpsan_thread_detect::Span;

use crate::event::{Action, Event, Lock, Site, Trace, TraceThread};

pub use print::{PrintError, print};

/// A trace with the names that stood in its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedTrace {
    /// The events.
    pub trace: Trace,
    /// The names.
    pub names: Names,
    /// The line of each event, from one; empty where the trace is from elsewhere.
    pub lines: Vec<usize>,
}

/// What threads, variables, locks and sites are called, by their number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    threads: Table,
    variables: Table,
    locks: Table,
    sites: Table,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Table {
    numbers: HashMap<String, u32>,
    names: Vec<String>,
}

impl Table {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.names.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        self.names.push(name.to_owned());
        number
    }

    fn known(&self, number: u64) -> Option<&str> {
        let place = usize::try_from(number).ok()?;
        self.names.get(place).map(String::as_str)
    }

    fn name(&self, number: u64, letter: char) -> String {
        let known = self.known(number);
        known.map_or_else(|| format!("{letter}{number}"), str::to_owned)
    }
}

impl Names {
    /// The name of a thread, if the text has one.
    pub fn thread(&self, thread: TraceThread) -> Option<&str> {
        self.threads.known(thread.0.into())
    }

    /// The name of a site, if the text has one.
    pub fn site(&self, site: Site) -> Option<&str> {
        self.sites.known(site.0.into())
    }

    /// The variable that a byte belongs to: its memory, and its name.
    pub fn variable(&self, address: u64) -> Option<(Span, &str)> {
        let number = address.checked_sub(FIRST_ADDRESS)? / WORD;
        let span = Span { address: FIRST_ADDRESS + WORD * number, size: WORD };
        Some((span, self.variables.known(number)?))
    }
}

/// The first variable's address; each has a word.
const FIRST_ADDRESS: u64 = 0x1000;
const WORD: u64 = 8;

/// Why a text is no trace.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}: {reason}")]
pub struct ParseError {
    /// The line, from one.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// Reads a text. Empty lines are skipped.
pub fn parse(text: &str) -> Result<NamedTrace, ParseError> {
    let mut result = NamedTrace::default();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() {
            let event = event(line, &mut result.names);
            let event = event.map_err(|reason| ParseError { line: index + 1, reason })?;
            result.trace.events.push(event);
            result.lines.push(index + 1);
        }
    }
    Ok(result)
}

fn event(line: &str, names: &mut Names) -> Result<Event, String> {
    let mut fields = line.split('|').map(str::trim);
    let thread = fields.next().filter(|field| !field.is_empty());
    let thread = thread.ok_or("a thread was expected before `|`")?;
    let operation = fields.next().ok_or("`|` and an operation were expected after the thread")?;
    let site = fields.next().unwrap_or_default();
    if fields.next().is_some() {
        return Err("three fields were expected: thread|operation|location".to_owned());
    }
    let thread = TraceThread(names.threads.number(thread));
    let site = Site(names.sites.number(site));
    let (word, argument) = match operation.split_once('(') {
        Some((word, rest)) => {
            let argument = rest.strip_suffix(')').ok_or("`)` was expected at the end")?;
            (word.trim(), argument.trim())
        }
        None => (operation, ""),
    };
    let named = |what: &str| match argument {
        "" => Err(format!("`{word}` needs a {what} in parentheses")),
        argument => Ok(argument),
    };
    let variable = |names: &mut Names| -> Result<Span, String> {
        let number = names.variables.number(named("variable")?);
        Ok(Span { address: FIRST_ADDRESS + WORD * u64::from(number), size: WORD })
    };
    let action = match word {
        "r" => Action::Read(variable(names)?),
        "w" => Action::Write(variable(names)?),
        "acq" => Action::Acquire(Lock(names.locks.number(named("lock")?).into())),
        "rel" => Action::Release(Lock(names.locks.number(named("lock")?).into())),
        "fork" => Action::Fork(TraceThread(names.threads.number(named("thread")?))),
        "join" => Action::Join(TraceThread(names.threads.number(named("thread")?))),
        "begin" => Action::Begin,
        "end" => Action::End,
        other => {
            let known = "r, w, acq, rel, fork, join, begin and end";
            return Err(format!("`{other}` is no operation; there are {known}"));
        }
    };
    Ok(Event { thread, site, action })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
main|fork(T1)|L1
main|acq(m)|L2
main|w(x)|L3
main|rel(m)|L4
T1|begin|L5
T1|r(y)|L6
T1|r(x)|L7
T1|end|L8
main|join(T1)|L9
";

    #[test]
    fn a_text_is_printed_as_it_was_read() {
        let named = parse(TEXT).expect("the text is well-formed");
        assert_eq!(named.trace.events.len(), 9);
        assert_eq!(print(&named).as_deref(), Ok(TEXT));
    }

    #[test]
    fn each_variable_is_a_word_of_its_own() {
        let named = parse("a|w(x)|1\na|w(y)|1\nb|r(x)|2").expect("the text is well-formed");
        let [first, second, third] = &named.trace.events[..] else { panic!("three events") };
        let (Action::Write(x), Action::Write(y)) = (first.action, second.action) else {
            panic!("two writes")
        };
        assert_eq!((x.size, y.address - x.address), (8, 8));
        assert_eq!(third.action, Action::Read(x));
        assert_eq!(named.names.variable(y.address + 3), Some((y, "y")));
        assert_eq!(named.names.variable(y.address + 8), None);
        assert_eq!(named.names.thread(third.thread), Some("b"));
        assert_eq!((named.names.site(third.site), named.lines[2]), (Some("2"), 3));
        assert_ne!(first.thread, third.thread);
    }

    #[test]
    fn errors_name_the_line_and_what_was_expected() {
        let error = parse("T1|w(x)|1\nT1|move(x)|2").expect_err("no such operation");
        assert_eq!(error.line, 2);
        assert!(error.to_string().contains("`move` is no operation"), "{error}");
        for text in ["T1", "T1|w|1", "T1|w(x|1", "|w(x)|1", "T1|w(x)|1|2"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
