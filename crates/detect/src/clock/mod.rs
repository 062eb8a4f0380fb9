//! What a thread knows of the others, compressed along the hierarchy of lanes, warps, blocks and grid.
//!
//! An epoch counts the synchronising steps of a warp. A [`View`] says up to which epoch everything that
//! a lane did is ordered before the owner of the view. Most of it is said for a whole block with one
//! number, and views that differ in one block share everything else.

mod ended;
mod group;
mod known;
mod sc_fences;
mod shared;

pub(crate) use ended::Ended;
pub(crate) use known::Known;
pub(crate) use sc_fences::{ByClass, FenceClass};
pub(crate) use shared::{Join, join_optional, join_shared};

use sc_fences::ScFences;
use std::sync::Arc;

/// Counts the synchronising steps of a warp, from 1.
pub(crate) type Epoch = u32;

/// What is ordered before somebody: what threads, copies and launches did.
#[derive(Debug, Clone, Default)]
pub(crate) struct Knowledge {
    /// By block: what its threads did.
    pub(crate) threads: Known,
    /// What else there is; nothing for most.
    more: Option<Arc<More>>,
}

/// What only launches with copies know, or those that wait for others.
#[derive(Debug, Clone, Default)]
pub(crate) struct More {
    /// The part of what threads did that went through a fence between the generic and the asynchronous proxy: for
    /// global memory, for shared memory.
    pub(crate) fenced: [Known; 2],
    /// By block and plane: the asynchronous copies that are complete.
    pub(crate) copies: Known,
    /// The part of them that went through such a fence, as `fenced`.
    pub(crate) fenced_copies: [Known; 2],
    /// By block: what its threads did, as far as it initialised `mbarrier` objects.
    pub(crate) initialised: Known,
    /// Launches that are known to have ended, which the launch was not after from its beginning.
    pub(crate) ended: Ended,
}

impl Knowledge {
    /// What is known besides what threads did.
    #[inline]
    pub(crate) fn more(&self) -> Option<&More> {
        self.more.as_deref()
    }

    /// The same, to be changed.
    pub(crate) fn more_mut(&mut self) -> &mut More {
        Arc::make_mut(self.more.get_or_insert_default())
    }
}

impl Join for Knowledge {
    fn join(&mut self, other: &Knowledge) {
        self.threads.join(&other.threads);
        if let Some(theirs) = &other.more {
            join_optional(&mut self.more, theirs);
        }
    }
}

impl Join for More {
    fn join(&mut self, other: &More) {
        self.copies.join(&other.copies);
        self.initialised.join(&other.initialised);
        for memory in 0..2 {
            self.fenced[memory].join(&other.fenced[memory]);
            self.fenced_copies[memory].join(&other.fenced_copies[memory]);
        }
        self.ended.join(&other.ended);
    }
}

/// What is ordered before somebody, and what that has to do with `fence.sc`.
#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    pub(crate) known: Knowledge,
    /// Nothing where no `fence.sc` is known.
    sc_fences: Option<Arc<ScFences>>,
}

impl View {
    /// The view of somebody who knows this.
    pub(crate) fn of(known: Knowledge) -> View {
        View { known, sc_fences: None }
    }

    /// What was before a `fence.sc` of the past, by whom those fences reach.
    pub(crate) fn before_fences(&self) -> Option<&ByClass> {
        self.sc_fences.as_deref().map(|fences| &fences.past)
    }

    /// What the next `fence.sc` makes known, by whom it has to reach.
    pub(crate) fn behind_fences(&self) -> Option<&ByClass> {
        self.sc_fences.as_deref().map(|fences| &fences.next)
    }

    /// These `fence.sc` are in the past: what was before them, by whom they reach.
    pub(crate) fn add_before_fences(&mut self, past: &ByClass) {
        if !past.is_empty() {
            Arc::make_mut(self.sc_fences.get_or_insert_default()).past.join(past);
        }
    }

    /// The next `fence.sc` makes this known.
    pub(crate) fn add_behind_fence(&mut self, next: &ByClass) {
        if !next.is_empty() {
            Arc::make_mut(self.sc_fences.get_or_insert_default()).next.join(next);
        }
    }

    /// A `fence.sc` that reaches a class makes known what was observed.
    pub(crate) fn take_behind_fence(&mut self, class: FenceClass) -> Option<Arc<Knowledge>> {
        let fences = self.sc_fences.as_mut()?;
        fences.next.get(class)?;
        Arc::make_mut(fences).next.take(class)
    }
}

impl Join for View {
    fn join(&mut self, other: &View) {
        self.known.join(&other.known);
        if let Some(theirs) = &other.sc_fences {
            join_optional(&mut self.sc_fences, theirs);
        }
    }
}
