//! One line of a file with suppressions.

use super::{FilePattern, Pattern};
use crate::RaceKind;
use wildmatch::WildMatch;

const FORM: &str = "a suppression is: race: kernel:GLOB file:GLOB line:N kind:NAME";
const FIELDS: &str = "the fields are: kernel, file, line, kind";

/// What a line asks for; nothing where it is empty or a comment.
pub(super) fn pattern(text: &str) -> Result<Option<Pattern>, String> {
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let Some(mut rest) = text.strip_prefix("race:").map(str::trim_start) else {
        return Err(format!("it does not begin with `race:`; {FORM}"));
    };
    let mut pattern = Pattern::default();
    while !rest.is_empty() && !rest.starts_with('#') {
        let (name, value, behind) = field(rest)?;
        pattern.add(name, value)?;
        rest = behind;
    }
    if pattern == Pattern::default() {
        return Err(format!("it names no field, and would fit every race; {FORM}"));
    }
    Ok(Some(pattern))
}

/// The first field: its name, its value, and what comes behind it.
fn field(text: &str) -> Result<(&str, &str, &str), String> {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let Some((name, value)) = text[..end].split_once(':') else {
        return Err(format!("`{}` is no field with a value; {FORM}", &text[..end]));
    };
    // A value in quotes may have spaces, as in `kernel:"fill<unsigned int>"`.
    let (value, behind) = match text[name.len() + 1..].strip_prefix('"') {
        Some(quoted) => match quoted.split_once('"') {
            Some((_, behind)) if !behind.is_empty() && !behind.starts_with(char::is_whitespace) => {
                return Err(format!("a space is missing behind the value of `{name}`"));
            }
            Some(parts) => parts,
            None => return Err(format!("the quote of `{name}` is not closed")),
        },
        None => (value, &text[end..]),
    };
    if value.is_empty() {
        return Err(format!("`{name}:` has no value; {FORM}"));
    }
    Ok((name, value, behind.trim_start()))
}

impl Pattern {
    fn add(&mut self, name: &str, value: &str) -> Result<(), String> {
        let given_before = match name {
            "kernel" => self.kernel.replace(WildMatch::new(value)).is_some(),
            "file" => {
                let end = WildMatch::new(&format!("*/{value}"));
                let file = FilePattern { whole: WildMatch::new(value), end };
                self.source_file.replace(file).is_some()
            }
            "line" => self.source_line.replace(line_number(value)?).is_some(),
            "kind" => self.kind.replace(kind(value)?).is_some(),
            _ => return Err(format!("`{name}` is no field; {FIELDS}")),
        };
        match given_before {
            true => Err(format!("`{name}` is given twice; use one suppression for each")),
            false => Ok(()),
        }
    }
}

fn line_number(value: &str) -> Result<u32, String> {
    match value.parse() {
        Ok(line @ 1..) => Ok(line),
        _ => Err(format!("`{value}` is no line number; lines are counted from 1")),
    }
}

fn kind(value: &str) -> Result<RaceKind, String> {
    RaceKind::of_name(value).ok_or_else(|| {
        let names = RaceKind::ALL.map(RaceKind::name).join(", ");
        format!("`{value}` is no kind of race; the kinds are: {names}")
    })
}
