//! What one process, or one part of it, has to say.

use crate::Log;
use crate::layout::PAYLOAD;
use std::fmt;
use std::sync::atomic::Ordering;

/// There was no room; the log counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost;

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("there is no room for it in the log of the run")
    }
}

impl std::error::Error for Lost {}

/// What a stream is about. Readers take those of a kind that they know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StreamKind {
    /// What a process found out about its CUDA work.
    Session,
    /// Which programs were started, and which of them were entered.
    Process,
    /// Objects that could not be redirected.
    Audit,
    /// What a process with threads found out about them.
    Threads,
}

impl StreamKind {
    const ALL: [StreamKind; 4] =
        [StreamKind::Session, StreamKind::Process, StreamKind::Audit, StreamKind::Threads];

    /// The number in the log. None is 0, which is what a chunk has that was never written.
    pub(crate) fn number(self) -> u32 {
        self as u32 + 1
    }

    pub(crate) fn of_number(number: u32) -> Option<StreamKind> {
        Self::ALL.into_iter().find(|kind| kind.number() == number)
    }
}

/// Bytes that are appended to a log, and read as one piece.
#[derive(Debug)]
pub struct Stream<'a> {
    log: &'a Log,
    number: u64,
    kind: StreamKind,
    /// The chunk that is being filled, with the bytes that it has. Nobody else writes to it.
    open: Option<(u64, usize)>,
    /// Something was lost: what would come behind it could not be read.
    is_broken: bool,
}

impl Log {
    /// A new stream. It takes room only when something is appended.
    pub fn stream(&self, kind: StreamKind) -> Stream<'_> {
        let number = self.header().streams.fetch_add(1, Ordering::AcqRel) + 1;
        Stream { log: self, number, kind, open: None, is_broken: false }
    }
}

impl Stream<'_> {
    /// A number that no other stream of the log has.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Appends bytes. They are there, whatever happens to this process afterwards.
    pub fn append(&mut self, mut bytes: &[u8]) -> Result<(), Lost> {
        while !bytes.is_empty() {
            let Some((chunk, used)) = self.room() else {
                return Err(self.lose());
            };
            let (now, rest) = bytes.split_at(bytes.len().min(PAYLOAD - used));
            let place = self.log.chunk(chunk);
            // SAFETY: the chunk is of this stream, so that nobody else writes to it, and has so many bytes left.
            unsafe { place.bytes.add(used).copy_from_nonoverlapping(now.as_ptr(), now.len()) };
            place.head.used.store((used + now.len()) as u32, Ordering::Release);
            self.open = Some((chunk, used + now.len()));
            bytes = rest;
        }
        Ok(())
    }

    /// Counts a piece that cannot be written. Nothing can be appended after it.
    pub fn lose(&mut self) -> Lost {
        self.is_broken = true;
        self.log.header().lost.fetch_add(1, Ordering::AcqRel);
        Lost
    }

    /// A chunk with room, and how much of it is used.
    fn room(&mut self) -> Option<(u64, usize)> {
        if self.is_broken {
            return None;
        }
        if let Some(open) = self.open.filter(|(_, used)| *used < PAYLOAD) {
            return Some(open);
        }
        let chunk = self.log.claim()?;
        let head = self.log.chunk(chunk).head;
        head.kind.store(self.kind.number(), Ordering::Release);
        head.stream.store(self.number, Ordering::Release);
        Some((chunk, 0))
    }
}
