//! Suppressions: races that somebody has looked at and does not want to see again.
//!
//! A file has one of them in each line, with the fields that have to fit; the others may be anything:
//!
//! ```text
//! race: kernel:GLOB function:GLOB file:GLOB line:N kind:NAME
//! ```

mod line;

pub use line::WrongSuppression;

use crate::threads::function_name;
use crate::{Race, RaceKind, Report, SuppressedRace, SuppressionUse};
use warpsan_model::SourcePosition;
use wildmatch::WildMatch;

/// Suppressions, in the order in which they were given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Suppressions {
    all: Vec<Suppression>,
}

/// One line that suppresses races.
#[derive(Debug, Clone, PartialEq)]
struct Suppression {
    /// The file that it stands in.
    file: String,
    /// Its line there.
    line: u32,
    /// What the line says.
    text: String,
    pattern: Pattern,
}

/// What a race must be like; what is not said may be anything.
#[derive(Debug, Clone, Default, PartialEq)]
struct Pattern {
    kernel: Option<WildMatch>,
    function: Option<WildMatch>,
    source_file: Option<FilePattern>,
    source_line: Option<u32>,
    kind: Option<RaceKind>,
}

/// A pattern for the whole path, or for its end behind a slash.
#[derive(Debug, Clone, PartialEq)]
struct FilePattern {
    whole: WildMatch,
    end: WildMatch,
}

/// A line that is no suppression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct SuppressionError {
    /// The file.
    pub file: String,
    /// The line in it.
    pub line: u32,
    /// What is wrong with it, and what is possible.
    pub what: WrongSuppression,
}

impl Suppressions {
    /// Reads the text of a file. The error has all lines that are wrong.
    pub fn parse(file: &str, text: &str) -> Result<Suppressions, Vec<SuppressionError>> {
        let (mut all, mut errors) = (Vec::new(), Vec::new());
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (line, text) in (1..).zip(text.lines()) {
            let (file, text) = (file.to_string(), text.trim().to_string());
            match line::pattern(&text) {
                Ok(Some(pattern)) => all.push(Suppression { file, line, text, pattern }),
                Ok(None) => {}
                Err(what) => errors.push(SuppressionError { file, line, what }),
            }
        }
        if errors.is_empty() { Ok(Suppressions { all }) } else { Err(errors) }
    }

    /// Adds those of another file.
    pub fn extend(&mut self, other: Suppressions) {
        self.all.extend(other.all);
    }

    /// Takes the races that are suppressed out of a report, and writes into its summary what each suppression has
    /// done. A race that was seen as several kinds is suppressed if all of them are. It counts for every suppression
    /// that fits it, so that none of them seems to be unused only because of the order of the lines.
    pub fn apply(&self, report: &mut Report) {
        let mut uses: Vec<SuppressionUse> = self.all.iter().map(Suppression::unused).collect();
        for race in std::mem::take(&mut report.races) {
            for (suppression, used) in self.all.iter().zip(&mut uses) {
                let fits = race.kinds().filter(|(kind, _)| suppression.pattern.fits(&race, *kind));
                let counts: Vec<u64> = fits.map(|(_, count)| count).collect();
                used.races += u64::from(!counts.is_empty());
                used.count = counts.into_iter().fold(used.count, u64::saturating_add);
            }
            match self.place_that_suppresses(&race) {
                Some(suppression) => report.suppressed.push(SuppressedRace { suppression, race }),
                None => report.races.push(race),
            }
        }
        report.summary.suppressions = uses;
    }

    /// The place of the first suppression of a race's own kind, if the other kinds of it are suppressed, too.
    fn place_that_suppresses(&self, race: &Race) -> Option<String> {
        let first = |kind| self.all.iter().find(|one| one.pattern.fits(race, kind));
        let all: Option<Vec<&Suppression>> = race.kinds().map(|(kind, _)| first(kind)).collect();
        all?.first().map(|suppression| suppression.place())
    }
}

impl Suppression {
    fn unused(&self) -> SuppressionUse {
        let Suppression { file, line, text, .. } = self.clone();
        SuppressionUse { file, line, text, races: 0, count: 0 }
    }

    fn place(&self) -> String {
        format!("{}:{}", self.file, self.line)
    }
}

impl Pattern {
    /// Whether it fits what was seen of a race as a kind.
    fn fits(&self, race: &Race, seen_as: RaceKind) -> bool {
        self.kernel.as_ref().is_none_or(|kernel| kernel.matches(&race.kernel))
            && self.function.as_ref().is_none_or(|function| is_in(race, function))
            && self.kind.is_none_or(|kind| kind == seen_as)
            && (self.fits_place(race.first.position.as_ref())
                || self.fits_place(race.second.position.as_ref()))
    }

    /// Whether file and line are those of one side of the race: both of the same side.
    fn fits_place(&self, position: Option<&SourcePosition>) -> bool {
        let fits_file = |file: &FilePattern| {
            position.is_some_and(|position| {
                file.whole.matches(&position.file) || file.end.matches(&position.file)
            })
        };
        self.source_file.as_ref().is_none_or(fits_file)
            && self.source_line.is_none_or(|line| position.is_some_and(|at| at.line == line))
    }
}

/// Whether one side of a race is in a function, or was called by it.
fn is_in(race: &Race, function: &WildMatch) -> bool {
    let mut frames = race.first.frames.iter().chain(&race.second.frames);
    frames.any(|frame| function.matches(function_name(frame)))
}

#[cfg(test)]
mod tests;
