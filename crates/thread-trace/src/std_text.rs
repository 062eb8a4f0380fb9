//! The text format of RAPID, "STD": a line `T1|w(x)|L12` for each event.
//!
//! Operations: `r`, `w` (a variable), `acq`, `rel` (a lock), `fork`, `join` (a thread), `begin`, `end`. A variable has no address and no
//! size: each becomes a word of its own. What the format has no words for (atomics, fences, barriers, other sizes) is refused when
//! a trace is printed, since a reader would find races that are none.

use std::collections::HashMap;
use std::fmt::Write;

use thiserror::Error;
use warpsan_thread_detect::Span;

use crate::event::{Action, Event, Lock, Site, Trace, TraceThread};

/// A trace with the names that stood in its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedTrace {
    /// The events.
    pub trace: Trace,
    /// The names.
    pub names: Names,
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

    fn name(&self, number: u64, letter: char) -> String {
        let known = usize::try_from(number).ok().and_then(|number| self.names.get(number));
        known.cloned().unwrap_or_else(|| format!("{letter}{number}"))
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

/// Why a trace cannot be said in this format.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PrintError {
    /// There is no word for an action.
    #[error("event {event}: the STD format has no operation for {action:?}")]
    NoWord {
        /// Which event, from zero.
        event: usize,
        /// What it is.
        action: Action,
    },
    /// Two variables would have bytes in common.
    #[error(
        "event {event}: accesses of different sizes overlap, and the STD format knows variables only"
    )]
    Overlap {
        /// Which event, from zero.
        event: usize,
    },
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

/// Writes a trace, with the names that it was read with, or numbers.
pub fn print(named: &NamedTrace) -> Result<String, PrintError> {
    let NamedTrace { trace, names } = named;
    let mut text = String::new();
    let mut variables = HashMap::new();
    let mut bytes = HashMap::new();
    for (index, event) in trace.events.iter().enumerate() {
        let mut variable = |span: Span| {
            let next = variables.len() as u64;
            let number = *variables.entry((span.address, span.size)).or_insert(next);
            for byte in 0..span.size {
                if *bytes.entry(span.address + byte).or_insert(number) != number {
                    return Err(PrintError::Overlap { event: index });
                }
            }
            Ok(names.variables.name(number, 'V'))
        };
        let thread = |thread: TraceThread| names.threads.name(thread.0.into(), 'T');
        let operation = match event.action {
            Action::Read(span) => format!("r({})", variable(span)?),
            Action::Write(span) => format!("w({})", variable(span)?),
            Action::Acquire(lock) => format!("acq({})", names.locks.name(lock.0, 'L')),
            Action::Release(lock) => format!("rel({})", names.locks.name(lock.0, 'L')),
            Action::Fork(child) => format!("fork({})", thread(child)),
            Action::Join(child) => format!("join({})", thread(child)),
            Action::Begin => "begin".to_owned(),
            Action::End => "end".to_owned(),
            Action::AtomicRead(..)
            | Action::AtomicWrite(..)
            | Action::AtomicUpdate(..)
            | Action::Fence(_)
            | Action::AcquireForReading(_)
            | Action::ReleaseFromReading(_)
            | Action::AcquireForWriting(_)
            | Action::ReleaseFromWriting(_)
            | Action::EnterBarrier(..)
            | Action::LeaveBarrier(_)
            | Action::Allocate(_)
            | Action::Free(_) => {
                return Err(PrintError::NoWord { event: index, action: event.action });
            }
        };
        let site = names.sites.name(event.site.0.into(), 'L');
        let _ = writeln!(text, "{}|{operation}|{site}", thread(event.thread));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use warpsan_thread_detect::MemoryOrder;

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

    #[test]
    fn what_the_format_has_no_word_for_is_refused() {
        let mut named = parse(TEXT).expect("the text is well-formed");
        let fence = Action::Fence(MemoryOrder::Release);
        named.trace.events[0].action = fence;
        assert_eq!(print(&named), Err(PrintError::NoWord { event: 0, action: fence }));
        named.trace.events[0].action = Action::Read(Span { address: 0x1001, size: 2 });
        assert_eq!(print(&named), Err(PrintError::Overlap { event: 2 }));
    }
}
