//! Launches that somebody has waited for: all that they did is known at once.

use std::sync::Arc;
use warpsan_model::LaunchId;

/// A set of launches. Nearly always empty, otherwise small, and shared by those who know the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ended(Option<Arc<[LaunchId]>>);

impl Ended {
    /// The set of these.
    pub(crate) fn new(mut launches: Vec<LaunchId>) -> Ended {
        launches.sort_unstable();
        launches.dedup();
        Ended((!launches.is_empty()).then(|| launches.into()))
    }

    /// Whether the launch is one of them.
    #[inline]
    pub(crate) fn contains(&self, launch: LaunchId) -> bool {
        self.0.as_ref().is_some_and(|launches| launches.binary_search(&launch).is_ok())
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// All of them.
    pub(crate) fn launches(&self) -> &[LaunchId] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Adds those of the other.
    #[inline]
    pub(crate) fn join(&mut self, other: &Ended) {
        let Some(theirs) = &other.0 else { return };
        match &self.0 {
            None => self.0 = Some(Arc::clone(theirs)),
            Some(own) if Arc::ptr_eq(own, theirs) => {}
            Some(own) => *self = Ended::new([&own[..], theirs].concat()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_knows_what_either_knew() {
        let of = |launches: &[u32]| Ended::new(launches.iter().copied().map(LaunchId).collect());
        let mut known = Ended::default();
        known.join(&Ended::default());
        assert!(!known.contains(LaunchId(0)));
        known.join(&of(&[7, 2, 7]));
        known.join(&of(&[5]));
        known.join(&of(&[2, 5]));
        for launch in 0..10 {
            assert_eq!(known.contains(LaunchId(launch)), [2, 5, 7].contains(&launch), "{launch}");
        }
    }
}
