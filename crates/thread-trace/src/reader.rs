//! Reads the binary file.

use std::io::{ErrorKind, Read};

use thiserror::Error;
use warpsan_thread_detect::{MemoryOrder, Span};

use crate::event::{
    Action, Barrier, Event, Lock, Module, ModuleNumber, Place, Site, Trace, TraceThread,
};
use crate::format::{
    About, BLOCK_HEAD, END, LONGEST_BLOCK, MAGIC, MODULE, PLACE, VERSION, checksum,
};

/// Why a file is no trace, or cannot be read on.
#[derive(Debug, Error)]
pub enum ReadError {
    /// It does not begin like one.
    #[error("not a trace of threads: the file does not begin with WSTHREAD")]
    NotATrace,
    /// It is of another version.
    #[error("a trace of version {0}, and this program reads version {VERSION}: record it again")]
    Version(u32),
    /// Bytes of it were changed.
    #[error("the trace is damaged behind {events} events: record it again")]
    Damaged {
        /// How many events are before the damage.
        events: u64,
    },
    /// The system could not read it.
    #[error(transparent)]
    System(#[from] std::io::Error),
}

/// One thing that a file says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// An event.
    Event(Event),
    /// What a site is.
    Place(Site, Place),
    /// A file with code.
    Module(ModuleNumber, Module),
}

/// How a trace ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As the process did, in good order.
    Whole,
    /// In the middle: the process was killed, or could not write on.
    Cut,
}

/// Reads a file entry by entry.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    about: About,
    block: Vec<u8>,
    /// Where the next entry of the block is.
    next: usize,
    /// The last address of the block.
    last: u64,
    events: u64,
    ending: Option<Ending>,
}

impl<R: Read> Reader<R> {
    /// Reads the head.
    pub fn new(mut input: R) -> Result<Self, ReadError> {
        let mut head = [0; MAGIC.len() + 4];
        let read = fill(&mut input, &mut head)?;
        let (magic, version) = head.split_at(MAGIC.len());
        if read < head.len() || magic != MAGIC {
            return Err(ReadError::NotATrace);
        }
        let version = version.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
        if version != VERSION {
            return Err(ReadError::Version(version));
        }
        let mut reader = Self {
            input,
            about: About::default(),
            block: Vec::new(),
            next: 0,
            last: 0,
            events: 0,
            ending: None,
        };
        if reader.next_block()? {
            reader.about = reader.about_block().ok_or(ReadError::Damaged { events: 0 })?;
        }
        Ok(reader)
    }

    /// Who was recorded.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// How many events were read.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// How the trace ends; `None` before its end was read.
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// The next entry. `None`: there is no more.
    pub fn entry(&mut self) -> Result<Option<Entry>, ReadError> {
        loop {
            if self.ending.is_some() {
                return Ok(None);
            }
            if self.next == self.block.len() {
                self.next_block()?;
                continue;
            }
            let damaged = ReadError::Damaged { events: self.events };
            let tag = self.byte().ok_or(damaged)?;
            if tag == END {
                self.ending = Some(Ending::Whole);
                continue;
            }
            let entry = self.entry_of(tag).ok_or(ReadError::Damaged { events: self.events })?;
            self.events += u64::from(matches!(entry, Entry::Event(_)));
            return Ok(Some(entry));
        }
    }

    /// Reads the next block. False: there is none that is whole, and the trace was cut.
    fn next_block(&mut self) -> Result<bool, ReadError> {
        let mut head = [0; BLOCK_HEAD];
        let is_there = fill(&mut self.input, &mut head)? == BLOCK_HEAD;
        let (length, sum) = head.split_at(4);
        let length = length.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte));
        if is_there && length > LONGEST_BLOCK {
            return Err(ReadError::Damaged { events: self.events });
        }
        self.block.resize(length, 0);
        self.next = 0;
        self.last = 0;
        if !is_there || fill(&mut self.input, &mut self.block)? < length {
            self.block.clear();
            self.ending = Some(Ending::Cut);
            return Ok(false);
        }
        if sum != checksum(&self.block).to_le_bytes() {
            return Err(ReadError::Damaged { events: self.events });
        }
        Ok(true)
    }

    fn about_block(&mut self) -> Option<About> {
        let about = About { process: self.small()?, program: self.text()? };
        (self.next == self.block.len()).then_some(about)
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.block.get(self.next).copied()?;
        self.next += 1;
        Some(byte)
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

    fn text(&mut self) -> Option<String> {
        let length = usize::try_from(self.number()?).ok()?;
        let bytes = self.block.get(self.next..self.next.checked_add(length)?)?;
        let text = String::from_utf8_lossy(bytes).into_owned();
        self.next += length;
        Some(text)
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

    fn thread(&mut self) -> Option<TraceThread> {
        self.small().map(TraceThread)
    }

    fn entry_of(&mut self, tag: u8) -> Option<Entry> {
        match tag {
            PLACE => {
                let site = Site(self.small()?);
                let caller = Site(self.small()?);
                let module = self.small()?.checked_sub(1).map(ModuleNumber);
                Some(Entry::Place(site, Place { caller, module, offset: self.number()? }))
            }
            MODULE => {
                let number = ModuleNumber(self.small()?);
                let (start, end, bias) = (self.number()?, self.number()?, self.number()?);
                Some(Entry::Module(number, Module { path: self.text()?, start, end, bias }))
            }
            tag => self.event(tag).map(Entry::Event),
        }
    }

    fn event(&mut self, tag: u8) -> Option<Event> {
        let thread = self.thread()?;
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
            12 => Action::Fork(self.thread()?),
            13 => Action::Join(self.thread()?),
            14 => Action::EnterBarrier(Barrier(self.number()?), self.small()?),
            15 => Action::LeaveBarrier(Barrier(self.number()?)),
            16 => Action::Allocate(self.span()?),
            17 => Action::Free(self.span()?),
            18 => Action::Begin,
            19 => Action::End,
            20 => Action::Post(self.lock()?),
            21 => Action::Abandon(self.thread()?),
            22 => Action::Destroy(self.span()?),
            _ => return None,
        };
        Some(Event { thread, site, action })
    }
}

/// Reads until the buffer is full or the input ends, and says how much that was.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The events of a file, and how it ends.
pub fn decode(bytes: &[u8]) -> Result<(Trace, Ending), ReadError> {
    let mut reader = Reader::new(bytes)?;
    let mut events = Vec::new();
    while let Some(entry) = reader.entry()? {
        if let Entry::Event(event) = entry {
            events.push(event);
        }
    }
    Ok((Trace { events }, reader.ending().unwrap_or(Ending::Cut)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writer::{BlockWriter, encode, head};

    fn about() -> About {
        About { process: 77, program: "/bin/app".to_owned() }
    }

    fn one_of_each() -> Trace {
        let far = Span { address: u64::MAX - 16, size: 16 };
        let near = Span { address: 3, size: 1 };
        let mut actions = vec![
            Action::Read(near),
            Action::Write(far),
            Action::Acquire(Lock(u64::MAX)),
            Action::Release(Lock(0)),
            Action::Post(Lock(8)),
            Action::AcquireForReading(Lock(1)),
            Action::ReleaseFromReading(Lock(1)),
            Action::AcquireForWriting(Lock(1)),
            Action::ReleaseFromWriting(Lock(1)),
            Action::Fork(TraceThread(u32::MAX)),
            Action::Join(TraceThread(7)),
            Action::Abandon(TraceThread(8)),
            Action::EnterBarrier(Barrier(9), 300),
            Action::LeaveBarrier(Barrier(9)),
            Action::Destroy(near),
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
        let file = encode(&trace, &about());
        let (read, ending) = decode(&file).expect("a trace");
        assert_eq!((read, ending), (trace, Ending::Whole));
        assert_eq!(Reader::new(&file[..]).expect("a trace").about(), &about());
    }

    #[test]
    fn places_and_files_come_back_as_they_were() {
        let mut block = BlockWriter::default();
        let places = [
            Place { caller: Site(0), module: Some(ModuleNumber(0)), offset: 0x1234 },
            Place { caller: Site(1), module: None, offset: u64::MAX },
        ];
        let module =
            Module { path: "/lib/ä.so".to_owned(), start: 1 << 40, end: 2 << 40, bias: 0x1000 };
        block.module(ModuleNumber(0), &module);
        block.place(Site(1), &places[0]);
        block.place(Site(2), &places[1]);
        let file = [head(&about()), block.finish().to_vec()].concat();
        let mut reader = Reader::new(&file[..]).expect("a trace");
        let mut entries = Vec::new();
        while let Some(entry) = reader.entry().expect("entries") {
            entries.push(entry);
        }
        let expected = [
            Entry::Module(ModuleNumber(0), module),
            Entry::Place(Site(1), places[0]),
            Entry::Place(Site(2), places[1]),
        ];
        assert_eq!(entries, expected);
        assert_eq!(reader.ending(), Some(Ending::Cut), "nobody has said that it ends");
    }

    #[test]
    fn a_long_trace_has_several_blocks_and_keeps_those_before_a_cut() {
        let mut trace = one_of_each();
        let some = trace.events.clone();
        while trace.events.len() < 50_000 {
            trace.events.extend_from_slice(&some);
        }
        let file = encode(&trace, &about());
        assert_eq!(decode(&file).expect("a trace"), (trace.clone(), Ending::Whole));
        let (read, ending) = decode(&file[..file.len() - 1]).expect("most of a trace");
        assert_eq!(ending, Ending::Cut);
        assert!(read.events.len() > 10_000 && trace.events.starts_with(&read.events));
    }

    #[test]
    fn a_file_that_was_cut_is_not_whole_and_one_that_was_changed_is_refused() {
        let file = encode(&one_of_each(), &about());
        for length in 0..file.len() {
            let cut = decode(&file[..length]);
            assert!(!matches!(cut, Ok((_, Ending::Whole))), "cut at {length}");
        }
        for place in 0..file.len() {
            let mut changed = file.clone();
            changed[place] ^= 0x10;
            let read = decode(&changed);
            assert!(!matches!(read, Ok((_, Ending::Whole))), "changed at {place}");
        }
    }

    #[test]
    fn damage_with_a_right_checksum_is_refused_and_does_not_panic() {
        let mut block = BlockWriter::default();
        one_of_each().events.iter().for_each(|event| block.event(event));
        block.end();
        let block = block.finish().to_vec();
        let mut refused = 0;
        for place in BLOCK_HEAD..block.len() {
            for bit in 0..8 {
                let mut changed = block.clone();
                changed[place] ^= 1 << bit;
                let sum = checksum(&changed[BLOCK_HEAD..]);
                changed[4..BLOCK_HEAD].copy_from_slice(&sum.to_le_bytes());
                refused += u32::from(decode(&[head(&about()), changed].concat()).is_err());
            }
        }
        assert!(refused > 100, "only {refused} were refused");
    }

    #[test]
    fn another_version_is_named() {
        let mut file = encode(&Trace::default(), &about());
        file[8] = 9;
        assert!(matches!(decode(&file), Err(ReadError::Version(9))));
        assert!(matches!(decode(b"something else entirely"), Err(ReadError::NotATrace)));
    }
}
