//! The last writers of a location, with what each of them released: data for hand-offs.

use super::threads::Fence;
use crate::clock::{Epoch, View};
use std::sync::Arc;
use warpsan_model::Scope;

/// Lanes of a warp at some time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) block: u32,
    pub(super) warp: u32,
    pub(super) lanes: u32,
    pub(super) epoch: Epoch,
}

impl Point {
    /// Whether the two have a thread in common.
    #[inline]
    pub(super) fn shares_a_thread(&self, other: &Point) -> bool {
        (self.block, self.warp) == (other.block, other.warp) && self.lanes & other.lanes != 0
    }
}

/// One end of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub(super) site: u32,
    pub(super) scope: Scope,
    pub(super) is_fence: bool,
    /// When it was executed.
    pub(super) epoch: Epoch,
}

impl End {
    #[inline]
    pub(super) fn of_fence(fence: &Fence) -> End {
        End { site: fence.site, scope: fence.scope, is_fence: true, epoch: fence.epoch }
    }
}

/// A strong write, as far as it hands something over.
#[derive(Debug, Clone)]
pub(super) struct Writer {
    pub(super) who: Point,
    pub(super) site: u32,
    /// What the writer knew.
    pub(super) view: Arc<View>,
    /// What may release what was done before: the write itself, or fences before it.
    pub(super) releases: Vec<End>,
    /// It continues what was written before it, and the two are morally strong.
    pub(super) linked: bool,
    /// It continues what was written before it.
    pub(super) updates: bool,
}

/// So many writers of a location are remembered.
pub(super) const MOST_WRITERS: usize = 8;

/// The last writers of a location, as far as a reader observes them.
#[derive(Debug, Default)]
pub(super) struct Writers(Vec<Writer>);

impl Writers {
    #[inline]
    pub(super) fn add(&mut self, writer: Writer) {
        if !writer.updates {
            self.0.clear();
        }
        if self.0.len() == MOST_WRITERS {
            self.0.remove(0);
        }
        self.0.push(writer);
    }

    /// The writers, the last one first.
    #[inline]
    pub(super) fn newest_first(&self) -> impl Iterator<Item = &Writer> {
        self.0.iter().rev()
    }
}
