//! What the rest of warpsan knows about this detector.

use super::HappensBefore;
use crate::Specification;
use warpsan_report::Treatment;

/// A rule is a sentence of the race model, in quotes.
pub static SPECIFICATION: Specification = Specification {
    warp_sync: Treatment::Error,
    is_rule: |name| name.len() > 2 && name.starts_with('"') && name.ends_with('"'),
    ..Specification::on_host("hb", |settings| Box::new(HappensBefore::new(settings)))
};
