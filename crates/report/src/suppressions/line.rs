//! One line of a file with suppressions.

use super::{FilePattern, Pattern};
use crate::RaceKind;
use wildmatch::WildMatch;

/// Why a line is no suppression, and what would be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongSuppression {
    /// It says nothing about races.
    #[error("it does not begin with `race:`; {form}", form = FORM)]
    NoRace,
    /// There is no field in it.
    #[error("it names no field, and would fit every race; {form}", form = FORM)]
    NoField,
    /// Something in it is no field.
    #[error("`{0}` is no field with a value; {form}", form = FORM)]
    NotAField(String),
    /// A value in quotes goes on behind them.
    #[error("a space is missing behind the value of `{0}`")]
    MissingSpace(String),
    /// A quote is not closed.
    #[error("the quote of `{0}` is not closed")]
    OpenQuote(String),
    /// A field is empty.
    #[error("`{0}:` has no value; {form}", form = FORM)]
    NoValue(String),
    /// There is no such field.
    #[error("`{0}` is no field; {fields}", fields = FIELDS)]
    UnknownField(String),
    /// A field is given more than once.
    #[error("`{0}` is given twice; use one suppression for each")]
    GivenTwice(String),
    /// Lines have other numbers.
    #[error("`{0}` is no line number; lines are counted from 1")]
    LineNumber(String),
    /// There is no such kind.
    #[error("`{0}` is no kind of race; the kinds are: {names}", names = RaceKind::ALL.map(RaceKind::name).join(", "))]
    Kind(String),
}

const FORM: &str = "a suppression is: race: kernel:GLOB function:GLOB file:GLOB line:N kind:NAME";
const FIELDS: &str = "the fields are: kernel, function, file, line, kind";

/// What a line asks for; nothing where it is empty or a comment.
pub(super) fn pattern(text: &str) -> Result<Option<Pattern>, WrongSuppression> {
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let Some(mut rest) = text.strip_prefix("race:").map(str::trim_start) else {
        return Err(WrongSuppression::NoRace);
    };
    let mut pattern = Pattern::default();
    while !rest.is_empty() && !rest.starts_with('#') {
        let (name, value, behind) = field(rest)?;
        pattern.add(name, value)?;
        rest = behind;
    }
    if pattern == Pattern::default() {
        return Err(WrongSuppression::NoField);
    }
    Ok(Some(pattern))
}

/// The first field: its name, its value, and what comes behind it.
fn field(text: &str) -> Result<(&str, &str, &str), WrongSuppression> {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let Some((name, value)) = text[..end].split_once(':') else {
        return Err(WrongSuppression::NotAField(text[..end].to_string()));
    };
    // A value in quotes may have spaces, as in `kernel:"fill<unsigned int>"`.
    let (value, behind) = match text[name.len() + 1..].strip_prefix('"') {
        Some(quoted) => match quoted.split_once('"') {
            Some((_, behind)) if !behind.is_empty() && !behind.starts_with(char::is_whitespace) => {
                return Err(WrongSuppression::MissingSpace(name.to_string()));
            }
            Some(parts) => parts,
            None => return Err(WrongSuppression::OpenQuote(name.to_string())),
        },
        None => (value, &text[end..]),
    };
    if value.is_empty() {
        return Err(WrongSuppression::NoValue(name.to_string()));
    }
    Ok((name, value, behind.trim_start()))
}

impl Pattern {
    fn add(&mut self, name: &str, value: &str) -> Result<(), WrongSuppression> {
        let given_before = match name {
            "kernel" => self.kernel.replace(WildMatch::new(value)).is_some(),
            "function" => self.function.replace(WildMatch::new(value)).is_some(),
            "file" => {
                let end = WildMatch::new(&format!("*/{value}"));
                let file = FilePattern { whole: WildMatch::new(value), end };
                self.source_file.replace(file).is_some()
            }
            "line" => self.source_line.replace(line_number(value)?).is_some(),
            "kind" => self.kind.replace(kind(value)?).is_some(),
            _ => return Err(WrongSuppression::UnknownField(name.to_string())),
        };
        match given_before {
            true => Err(WrongSuppression::GivenTwice(name.to_string())),
            false => Ok(()),
        }
    }
}

fn line_number(value: &str) -> Result<u32, WrongSuppression> {
    match value.parse() {
        Ok(line @ 1..) => Ok(line),
        _ => Err(WrongSuppression::LineNumber(value.to_string())),
    }
}

fn kind(value: &str) -> Result<RaceKind, WrongSuppression> {
    RaceKind::of_name(value).ok_or_else(|| WrongSuppression::Kind(value.to_string()))
}
