//! Proof that the report names what warpsan did not do.

use std::fmt;

/// Something that warpsan did not do for a reason of its own: it does not support it, cannot read it, or has no room
/// for it. Only the journal makes one, when it writes the thing into the report. So an error of this kind cannot reach
/// the program without being in the report, and such a run is never called clean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal(String);

impl Refusal {
    /// For the journal alone, which has named it.
    pub(super) fn named(what: String) -> Refusal {
        Refusal(what)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
