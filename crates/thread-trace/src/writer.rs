//! Writes the binary file.

use warpsan_thread_detect::{MemoryOrder, Span};

use crate::event::{Action, Event, Module, ModuleNumber, Place, Site, Trace};
use crate::format::{About, BLOCK_HEAD, END, MAGIC, MODULE, PLACE, VERSION, checksum};

/// The bytes that a file begins with.
pub fn head(about: &About) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    let mut block = BlockWriter::default();
    block.number(u64::from(about.process));
    block.text(&about.program);
    bytes.extend_from_slice(block.finish());
    bytes
}

/// The file of a trace.
pub fn encode(trace: &Trace, about: &About) -> Vec<u8> {
    const BLOCK: usize = 1 << 16;
    let mut file = head(about);
    let mut block = BlockWriter::default();
    for event in &trace.events {
        block.event(event);
        if block.len() >= BLOCK {
            file.extend_from_slice(block.finish());
            block.clear();
        }
    }
    block.end();
    file.extend_from_slice(block.finish());
    file
}

/// One block of a file, which grows by entries.
#[derive(Debug)]
pub struct BlockWriter {
    /// Room for the head of the block, and its content.
    bytes: Vec<u8>,
    /// The last address that was written.
    last: u64,
}

impl Default for BlockWriter {
    fn default() -> Self {
        Self { bytes: vec![0; BLOCK_HEAD], last: 0 }
    }
}

impl BlockWriter {
    /// How many bytes of content it has.
    pub fn len(&self) -> usize {
        self.bytes.len() - BLOCK_HEAD
    }

    /// Whether it has no content.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of the block, as they go to the file.
    pub fn finish(&mut self) -> &[u8] {
        let (head, content) = self.bytes.split_at_mut(BLOCK_HEAD);
        head[..4].copy_from_slice(&(content.len() as u32).to_le_bytes());
        head[4..].copy_from_slice(&checksum(content).to_le_bytes());
        &self.bytes
    }

    /// Begins the next block, in the same memory.
    pub fn clear(&mut self) {
        self.bytes.truncate(BLOCK_HEAD);
        self.last = 0;
    }

    /// A site is this place. It comes before the first event there.
    pub fn place(&mut self, site: Site, place: &Place) {
        self.bytes.push(PLACE);
        self.number(u64::from(site.0));
        self.number(u64::from(place.caller.0));
        self.number(place.module.map_or(0, |module| u64::from(module.0) + 1));
        self.number(place.offset);
    }

    /// A file with code. It comes before the first place in it.
    pub fn module(&mut self, number: ModuleNumber, module: &Module) {
        self.bytes.push(MODULE);
        self.number(u64::from(number.0));
        self.number(module.start);
        self.number(module.end);
        self.number(module.bias);
        self.text(&module.path);
    }

    /// The trace is whole, and ends here.
    pub fn end(&mut self) {
        self.bytes.push(END);
    }

    /// An event.
    pub fn event(&mut self, event: &Event) {
        let tag = match event.action {
            Action::Read(_) => 0,
            Action::Write(_) => 1,
            Action::AtomicRead(..) => 2,
            Action::AtomicWrite(..) => 3,
            Action::AtomicUpdate(..) => 4,
            Action::Fence(_) => 5,
            Action::Acquire(_) => 6,
            Action::Release(_) => 7,
            Action::AcquireForReading(_) => 8,
            Action::ReleaseFromReading(_) => 9,
            Action::AcquireForWriting(_) => 10,
            Action::ReleaseFromWriting(_) => 11,
            Action::Fork(_) => 12,
            Action::Join(_) => 13,
            Action::EnterBarrier(..) => 14,
            Action::LeaveBarrier(_) => 15,
            Action::Allocate(_) => 16,
            Action::Free(_) => 17,
            Action::Begin => 18,
            Action::End => 19,
            Action::Post(_) => 20,
            Action::Abandon(_) => 21,
            Action::Destroy(_) => 22,
        };
        self.bytes.push(tag);
        self.number(u64::from(event.thread.0));
        self.number(u64::from(event.site.0));
        match event.action {
            Action::Read(span) | Action::Write(span) => self.span(span),
            Action::Allocate(span) | Action::Free(span) | Action::Destroy(span) => self.span(span),
            Action::AtomicRead(span, order)
            | Action::AtomicWrite(span, order)
            | Action::AtomicUpdate(span, order) => {
                self.span(span);
                self.order(order);
            }
            Action::Fence(order) => self.order(order),
            Action::Acquire(lock)
            | Action::Release(lock)
            | Action::Post(lock)
            | Action::AcquireForReading(lock)
            | Action::ReleaseFromReading(lock)
            | Action::AcquireForWriting(lock)
            | Action::ReleaseFromWriting(lock) => self.number(lock.0),
            Action::Fork(thread) | Action::Join(thread) | Action::Abandon(thread) => {
                self.number(u64::from(thread.0));
            }
            Action::EnterBarrier(barrier, parties) => {
                self.number(barrier.0);
                self.number(u64::from(parties));
            }
            Action::LeaveBarrier(barrier) => self.number(barrier.0),
            Action::Begin | Action::End => {}
        }
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn span(&mut self, span: Span) {
        let difference = span.address.wrapping_sub(self.last) as i64;
        self.number(((difference << 1) ^ (difference >> 63)) as u64);
        self.number(span.size);
        self.last = span.address;
    }

    fn order(&mut self, order: MemoryOrder) {
        let place = MemoryOrder::ALL.iter().position(|other| *other == order);
        self.number(place.unwrap_or_default() as u64);
    }
}
