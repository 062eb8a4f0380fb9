use crate::{Report, SuppressionUse, unused_in_all};

/// What came of one file or program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedReport {
    /// The file or program.
    pub name: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of checking something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It was checked.
    Report(Box<Report>),
    /// It could not be checked at all, for this reason.
    Failure(String),
}

impl NamedReport {
    pub(crate) fn report(&self) -> Option<&Report> {
        match &self.outcome {
            Outcome::Report(report) => Some(report),
            Outcome::Failure(_) => None,
        }
    }
}

/// The suppressions that fit no race of any of the reports.
pub(crate) fn unused_suppressions(reports: &[NamedReport]) -> Vec<&SuppressionUse> {
    unused_in_all(reports.iter().filter_map(NamedReport::report).map(|report| &report.summary))
}
