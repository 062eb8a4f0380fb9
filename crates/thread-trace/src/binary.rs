//! The binary file: a head with a version, then events of a few bytes each, then a checksum.
//!
//! Little-endian. Head: the bytes `WSTHREAD`, the version (4 bytes), the number of events (8 bytes). An event: its tag (1
//! byte), thread and site, and what the tag asks for, all as numbers of seven bits a byte, the lowest first. Addresses are
//! differences from the address before, folded so that small ones of either sign are short. The checksum (8 bytes) is FNV-1a of
//! everything before it.

use thiserror::Error;
use warpsan_thread_detect::{MemoryOrder, Span};

use crate::event::{Action, Barrier, Event, Lock, Site, Trace, TraceThread};

/// The version of the format.
pub const VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"WSTHREAD";
const HEAD: usize = MAGIC.len() + 4 + 8;
const CHECKSUM: usize = 8;

/// Why a file is no trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// It does not begin like one.
    #[error("not a trace of threads: the file does not begin with WSTHREAD")]
    NotATrace,
    /// It is of another version.
    #[error("a trace of version {0}, and this program reads version {VERSION}: record it again")]
    Version(u32),
    /// It ends early, or bytes of it were changed.
    #[error("the trace is cut or damaged: its checksum does not fit; record it again")]
    Checksum,
    /// An event makes no sense.
    #[error("event {event} of the trace is damaged")]
    Event {
        /// Which one, from zero.
        event: u64,
    },
    /// There is something behind the last event.
    #[error("the trace has bytes behind its last event")]
    Surplus,
}

fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The file of a trace.
pub fn encode(trace: &Trace) -> Vec<u8> {
    let mut writer = Writer { bytes: Vec::with_capacity(HEAD + 8 * trace.events.len()), last: 0 };
    writer.bytes.extend_from_slice(MAGIC);
    writer.bytes.extend_from_slice(&VERSION.to_le_bytes());
    writer.bytes.extend_from_slice(&(trace.events.len() as u64).to_le_bytes());
    trace.events.iter().for_each(|event| writer.event(event));
    let sum = checksum(&writer.bytes);
    writer.bytes.extend_from_slice(&sum.to_le_bytes());
    writer.bytes
}

/// The trace of a file.
pub fn decode(bytes: &[u8]) -> Result<Trace, DecodeError> {
    let head = bytes.get(..HEAD).ok_or(DecodeError::NotATrace)?;
    let (magic, rest) = head.split_at(MAGIC.len());
    if magic != MAGIC {
        return Err(DecodeError::NotATrace);
    }
    let (version, count) = rest.split_at(4);
    let version = u32::from_le_bytes(version.try_into().map_err(|_| DecodeError::NotATrace)?);
    if version != VERSION {
        return Err(DecodeError::Version(version));
    }
    let count = u64::from_le_bytes(count.try_into().map_err(|_| DecodeError::NotATrace)?);
    let body = bytes.len().checked_sub(CHECKSUM).filter(|end| *end >= HEAD);
    let (body, sum) = bytes.split_at(body.ok_or(DecodeError::Checksum)?);
    if sum != checksum(body).to_le_bytes() {
        return Err(DecodeError::Checksum);
    }
    let mut reader = Reader { rest: &body[HEAD..], last: 0 };
    // A count may say anything; an event has three bytes at least.
    let mut events = Vec::with_capacity(body.len().min(count.min(1 << 32) as usize * 3) / 3);
    for event in 0..count {
        events.push(reader.event().ok_or(DecodeError::Event { event })?);
    }
    if reader.rest.is_empty() { Ok(Trace { events }) } else { Err(DecodeError::Surplus) }
}

struct Writer {
    bytes: Vec<u8>,
    last: u64,
}

impl Writer {
    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
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

    fn event(&mut self, event: &Event) {
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
        };
        self.bytes.push(tag);
        self.number(u64::from(event.thread.0));
        self.number(u64::from(event.site.0));
        match event.action {
            Action::Read(span) | Action::Write(span) => self.span(span),
            Action::Allocate(span) | Action::Free(span) => self.span(span),
            Action::AtomicRead(span, order)
            | Action::AtomicWrite(span, order)
            | Action::AtomicUpdate(span, order) => {
                self.span(span);
                self.order(order);
            }
            Action::Fence(order) => self.order(order),
            Action::Acquire(lock)
            | Action::Release(lock)
            | Action::AcquireForReading(lock)
            | Action::ReleaseFromReading(lock)
            | Action::AcquireForWriting(lock)
            | Action::ReleaseFromWriting(lock) => self.number(lock.0),
            Action::Fork(thread) | Action::Join(thread) => self.number(u64::from(thread.0)),
            Action::EnterBarrier(barrier, parties) => {
                self.number(barrier.0);
                self.number(u64::from(parties));
            }
            Action::LeaveBarrier(barrier) => self.number(barrier.0),
            Action::Begin | Action::End => {}
        }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    last: u64,
}

impl Reader<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits.checked_shl(shift)? >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    fn span(&mut self) -> Option<Span> {
        let folded = self.number()?;
        let difference = (folded >> 1) as i64 ^ -((folded & 1) as i64);
        self.last = self.last.wrapping_add(difference as u64);
        let size = self.number()?;
        self.last.checked_add(size)?;
        Some(Span { address: self.last, size })
    }

    fn order(&mut self) -> Option<MemoryOrder> {
        MemoryOrder::ALL.get(self.number()? as usize).copied()
    }

    fn lock(&mut self) -> Option<Lock> {
        self.number().map(Lock)
    }

    fn event(&mut self) -> Option<Event> {
        let tag = self.byte()?;
        let thread = TraceThread(self.small()?);
        let site = Site(self.small()?);
        let action = match tag {
            0 => Action::Read(self.span()?),
            1 => Action::Write(self.span()?),
            2 => Action::AtomicRead(self.span()?, self.order()?),
            3 => Action::AtomicWrite(self.span()?, self.order()?),
            4 => Action::AtomicUpdate(self.span()?, self.order()?),
            5 => Action::Fence(self.order()?),
            6 => Action::Acquire(self.lock()?),
            7 => Action::Release(self.lock()?),
            8 => Action::AcquireForReading(self.lock()?),
            9 => Action::ReleaseFromReading(self.lock()?),
            10 => Action::AcquireForWriting(self.lock()?),
            11 => Action::ReleaseFromWriting(self.lock()?),
            12 => Action::Fork(TraceThread(self.small()?)),
            13 => Action::Join(TraceThread(self.small()?)),
            14 => Action::EnterBarrier(Barrier(self.number()?), self.small()?),
            15 => Action::LeaveBarrier(Barrier(self.number()?)),
            16 => Action::Allocate(self.span()?),
            17 => Action::Free(self.span()?),
            18 => Action::Begin,
            19 => Action::End,
            _ => return None,
        };
        Some(Event { thread, site, action })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one_of_each() -> Trace {
        let far = Span { address: u64::MAX - 16, size: 16 };
        let near = Span { address: 3, size: 1 };
        let mut actions = vec![
            Action::Read(near),
            Action::Write(far),
            Action::Acquire(Lock(u64::MAX)),
            Action::Release(Lock(0)),
            Action::AcquireForReading(Lock(1)),
            Action::ReleaseFromReading(Lock(1)),
            Action::AcquireForWriting(Lock(1)),
            Action::ReleaseFromWriting(Lock(1)),
            Action::Fork(TraceThread(u32::MAX)),
            Action::Join(TraceThread(7)),
            Action::EnterBarrier(Barrier(9), 300),
            Action::LeaveBarrier(Barrier(9)),
            Action::Allocate(near),
            Action::Free(near),
            Action::Begin,
            Action::End,
        ];
        for order in MemoryOrder::ALL {
            actions.push(Action::AtomicRead(near, order));
            actions.push(Action::AtomicWrite(near, order));
            actions.push(Action::AtomicUpdate(far, order));
            actions.push(Action::Fence(order));
        }
        let event = |(index, action)| Event {
            thread: TraceThread(index as u32 * 100),
            site: Site(index as u32),
            action,
        };
        Trace { events: actions.into_iter().enumerate().map(event).collect() }
    }

    #[test]
    fn a_trace_with_every_action_comes_back_as_it_was() {
        let trace = one_of_each();
        assert_eq!(decode(&encode(&trace)), Ok(trace));
    }

    #[test]
    fn a_file_that_was_cut_or_changed_anywhere_is_refused() {
        let file = encode(&one_of_each());
        for length in 0..file.len() {
            assert!(decode(&file[..length]).is_err(), "cut at {length}");
        }
        for place in 0..file.len() {
            let mut changed = file.clone();
            changed[place] ^= 0x10;
            assert!(decode(&changed).is_err(), "changed at {place}");
        }
    }

    #[test]
    fn damage_with_a_right_checksum_is_refused_and_does_not_panic() {
        let file = encode(&one_of_each());
        let body = &file[..file.len() - CHECKSUM];
        let mut refused = 0;
        for place in HEAD..body.len() {
            for bit in 0..8 {
                let mut changed = body.to_vec();
                changed[place] ^= 1 << bit;
                let sum = checksum(&changed);
                changed.extend_from_slice(&sum.to_le_bytes());
                refused += u32::from(decode(&changed).is_err());
            }
        }
        assert!(refused > 100, "only {refused} were refused");
    }

    #[test]
    fn another_version_is_named() {
        let mut file = encode(&Trace::default());
        file[8] = 9;
        assert_eq!(decode(&file), Err(DecodeError::Version(9)));
        assert_eq!(decode(b"something else entirely"), Err(DecodeError::NotATrace));
    }
}
