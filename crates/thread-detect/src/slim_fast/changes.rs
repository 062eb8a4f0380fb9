//! What becomes of bytes of a word, before the slot has it.

use super::SlimFast;
use super::updates::Update;
use crate::bytes::Bytes;
use crate::conflict::Conflict;
use crate::metadata::Parts;
use crate::rules::Rules;
use crate::slot::Word;
use crate::thread_state::ThreadState;

/// Why a slot did not get what it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It has changed: look again.
    Outdated,
    /// There is no memory.
    NoMemory,
}

/// What bytes of a word get. All names are counted once.
pub(super) struct Changes {
    bytes: [Bytes; Bytes::COUNT],
    names: [Word; Bytes::COUNT],
    length: usize,
    /// Those of them to which the Next of a former vector is to lead. Lists that are rarely allocated.
    pub(super) next: Vec<Update>,
    pub(super) conflicts: Vec<(Bytes, Conflict)>,
}

impl Changes {
    #[inline]
    pub(super) fn none() -> Changes {
        Changes {
            bytes: [Bytes::default(); Bytes::COUNT],
            names: [Word::EMPTY; Bytes::COUNT],
            length: 0,
            next: Vec::new(),
            conflicts: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, bytes: Bytes, update: Update) {
        self.bytes[self.length] = bytes;
        self.names[self.length] = update.name;
        self.length += 1;
        if !update.former.is_empty() {
            self.next.push(update);
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Which bytes get which of the names.
    #[inline]
    pub(super) fn bytes(&self) -> &[Bytes] {
        &self.bytes[..self.length]
    }

    #[inline]
    pub(super) fn names(&self) -> &[Word] {
        &self.names[..self.length]
    }

    /// Whether a name is among them.
    #[inline]
    pub(super) fn hold(&self, name: Word) -> bool {
        self.names().contains(&name)
    }

    /// What all of these bytes had and have now, if that is one piece of metadata each and there is no race.
    pub(super) fn only(&self, parts: &Parts, bytes: Bytes) -> Option<(Word, Word)> {
        let (_, part) = parts.iter().find(|(part, _)| part.contain(bytes))?;
        self.conflicts.is_empty().then_some((part, self.names[0]))
    }
}

impl<R: Rules> SlimFast<R> {
    /// Drops what changes hold.
    pub(super) fn give_up(&self, thread: &mut ThreadState<Self>, changes: &Changes) {
        for name in changes.names() {
            // SAFETY: each is counted once for these changes.
            unsafe { self.arena.drop_name(&mut thread.cache, *name) };
        }
    }

    /// Drops what changes hold of names that another one of them holds, too.
    pub(super) fn give_up_repeated(&self, thread: &mut ThreadState<Self>, changes: &Changes) {
        for (place, name) in changes.names().iter().enumerate().skip(1) {
            if changes.names()[..place].contains(name) {
                // SAFETY: each is counted once for these changes.
                unsafe { self.arena.drop_name(&mut thread.cache, *name) };
            }
        }
    }
}
