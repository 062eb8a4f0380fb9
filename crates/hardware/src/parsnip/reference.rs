//! ParsnipRefs: who accessed a byte last, and where the clock of that access is (section 4.2.4, figure 4.5).

use warpsan_thread_detect::ThreadId;

/// A Long ParsnipRef, 12 bits: thread (6), read or write (1), hasNext (1), index into the thread's ParsnipTable (4). A Short one is the
/// upper 8 bits of it; its index is [`Ref::INVALID`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ref(u16);

/// Where the clock of an access is in the table of its thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Index(u8);

impl Index {
    /// The clock is not in the table, but in software.
    pub(super) const INVALID: Index = Index(0xF);

    /// The index with this number, below 15.
    pub(super) fn new(number: usize) -> Index {
        debug_assert!(number < 15);
        Index(number as u8)
    }

    pub(super) fn number(self) -> Option<usize> {
        (self != Index::INVALID).then_some(usize::from(self.0))
    }
}

/// A thread as a reference names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub(super) struct Tid(u8);

impl Tid {
    /// Threads that references can name. The byte 0xFF says that a line is in m:1 mode, so that no Short reference may have all bits of the
    /// thread set; that number stands for [`Ref::NOBODY`], and the one below it for [`Ref::SOFTWARE`].
    pub(super) const COUNT: u32 = 62;

    /// The name of a thread; there is none for threads beyond [`Tid::COUNT`].
    pub(super) fn of(thread: ThreadId) -> Option<Tid> {
        (thread.number() < Tid::COUNT).then_some(Tid(thread.number() as u8))
    }

    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    pub(super) fn thread(self) -> Option<ThreadId> {
        ThreadId::new(u32::from(self.0))
    }
}

impl Ref {
    /// Nobody has accessed the byte.
    pub(super) const NOBODY: Ref = Ref(63 << 6 | 0xF);
    /// What is known of the byte does not fit into references: software decides.
    pub(super) const SOFTWARE: Ref = Ref(62 << 6 | 0xF);

    pub(super) fn new(tid: Tid, is_write: bool, has_next: bool, index: Index) -> Ref {
        Ref(u16::from(tid.0) << 6
            | u16::from(is_write) << 5
            | u16::from(has_next) << 4
            | u16::from(index.0))
    }

    /// The thread; none for [`Ref::NOBODY`] and [`Ref::SOFTWARE`].
    pub(super) fn tid(self) -> Option<Tid> {
        let number = (self.0 >> 6) as u8;
        (u32::from(number) < Tid::COUNT).then_some(Tid(number))
    }

    pub(super) fn is_write(self) -> bool {
        self.0 >> 5 & 1 == 1
    }

    /// Of a primary reference: there is a secondary one. Of a secondary one: there are further readers in software.
    pub(super) fn has_next(self) -> bool {
        self.0 >> 4 & 1 == 1
    }

    pub(super) fn index(self) -> Index {
        Index((self.0 & 0xF) as u8)
    }

    pub(super) fn with_next(self, has_next: bool) -> Ref {
        Ref(self.0 & !(1 << 4) | u16::from(has_next) << 4)
    }

    pub(super) fn with_index(self, index: Index) -> Ref {
        Ref(self.0 & !0xF | u16::from(index.0))
    }

    /// The Short reference: the clock is in software.
    pub(super) fn shortened(self) -> Ref {
        Ref(self.0 | 0xF)
    }
}

impl std::fmt::Debug for Ref {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(tid) = self.tid() else {
            return f.write_str(if *self == Ref::NOBODY { "-" } else { "software" });
        };
        let kind = if self.is_write() { 'W' } else { 'R' };
        let next = if self.has_next() { 'T' } else { 'F' };
        match self.index().number() {
            Some(index) => write!(f, "t{},{kind},{next},[{index}]", tid.0),
            None => write!(f, "t{},{kind},{next},_", tid.0),
        }
    }
}
