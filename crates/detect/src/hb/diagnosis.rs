//! What is wrong with two accesses that race.

use super::handoff::{Fault, Handoff};
use warpsan_report::RaceKind;

/// What is wrong, and with which hand-off.
#[derive(Debug, Clone)]
pub(super) struct Diagnosis {
    pub(super) kind: RaceKind,
    pub(super) handoff: Option<(Handoff, Fault)>,
}
