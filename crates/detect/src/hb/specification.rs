//! What the rest of warpsan knows about this detector.

use super::HappensBefore;
use crate::Specification;

/// A rule is a sentence of the race model, in quotes.
pub static SPECIFICATION: Specification = Specification {
    is_rule: |name| name.len() > 2 && name.starts_with('"') && name.ends_with('"'),
    ..Specification::on_host("hb", |settings| Box::new(HappensBefore::new(settings)))
};
