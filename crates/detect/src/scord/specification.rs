//! What the rest of warpsan knows about this detector.

use super::Scord;
use crate::Specification;
use warpsan_report::Treatment;

/// Lanes that rely on lockstep are errors: the paper calls them races. Rules are the rows of its table IV.
pub static SPECIFICATION: Specification = Specification {
    warp_sync: Treatment::Error,
    is_rule: |name| matches!(name.as_bytes(), [b'I', b'V', b'(', b'a'..=b'f', b')']),
    ..Specification::on_host("scord", |settings| Box::new(Scord::new(settings)))
};
