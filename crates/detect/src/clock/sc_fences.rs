//! What a view knows of `fence.sc`.
//!
//! Where a strong read observes a strong write, a `fence.sc` before the write is before a `fence.sc` after the read: in the
//! other order, the read would come before the write that it observed. Fences and accesses may be of different threads.
//! So every view carries what was before the fences of its past, a write leaves that at its location, and who
//! observes it knows what the next fence makes known.

use super::{Join, Knowledge, join_optional, join_shared};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Whom a fence reaches: fences that have a class in common are morally strong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FenceClass {
    /// All fences of device or system scope.
    All,
    /// All fences of a cluster whose scope is not that of a block.
    Cluster(u32),
    /// All fences of a block.
    Block(u32),
}

/// The two parts of a view.
#[derive(Debug, Clone, Default)]
pub(super) struct ScFences {
    /// What was before a fence of the past.
    pub(super) past: ByClass,
    /// What the next fence makes known.
    pub(super) next: ByClass,
}

impl Join for ScFences {
    fn join(&mut self, other: &ScFences) {
        self.past.join(&other.past);
        self.next.join(&other.next);
    }
}

/// What is known, by the class of fences.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByClass {
    /// Most fences are of device scope.
    all: Option<Arc<Knowledge>>,
    /// By narrower class.
    narrow: Option<Arc<BTreeMap<FenceClass, Arc<Knowledge>>>>,
}

impl ByClass {
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_none() && self.narrow.is_none()
    }

    pub(super) fn get(&self, class: FenceClass) -> Option<&Arc<Knowledge>> {
        match class {
            FenceClass::All => self.all.as_ref(),
            narrow => self.narrow.as_ref()?.get(&narrow),
        }
    }

    pub(crate) fn take(&mut self, class: FenceClass) -> Option<Arc<Knowledge>> {
        match class {
            FenceClass::All => self.all.take(),
            narrow => {
                let classes = self.narrow.as_mut()?;
                let taken = Arc::make_mut(classes).remove(&narrow);
                if classes.is_empty() {
                    self.narrow = None;
                }
                taken
            }
        }
    }

    /// Adds something to a class.
    pub(crate) fn add(&mut self, class: FenceClass, known: &Arc<Knowledge>) {
        match class {
            FenceClass::All => join_optional(&mut self.all, known),
            narrow => {
                let classes = Arc::make_mut(self.narrow.get_or_insert_default());
                match classes.get_mut(&narrow) {
                    Some(own) => join_shared(own, known),
                    None => {
                        classes.insert(narrow, Arc::clone(known));
                    }
                }
            }
        }
    }

    /// Adds all of the other.
    pub(crate) fn join(&mut self, other: &ByClass) {
        if let Some(theirs) = &other.all {
            join_optional(&mut self.all, theirs);
        }
        let Some(theirs) = &other.narrow else { return };
        match &self.narrow {
            None => self.narrow = Some(Arc::clone(theirs)),
            Some(own) if Arc::ptr_eq(own, theirs) => {}
            Some(_) => theirs.iter().for_each(|(class, known)| self.add(*class, known)),
        }
    }
}
