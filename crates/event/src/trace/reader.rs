//! Reads a trace file, frame by frame.

use super::bytes::{Cursor, Fault};
use super::decode::{Decoder, Item};
use super::frame::{Frame, Input};
use super::{MAGIC, TraceError, TraceHeader, VERSION};
use crate::EventBuffer;
use std::io::Read;

/// A head with longer texts than this is none of ours.
const MOST_HEAD: u32 = 1 << 20;
/// Events that are given out at a time: short items can stand for a lot of memory.
const MOST_EVENTS: usize = 4096;
/// The same for their lists: those of earlier launches can be long.
const MOST_LIST_BYTES: usize = 64 << 20;

/// What a reader gives next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TraceStep {
    /// Events, in the buffer.
    Events,
    /// Text that is no event.
    Remark(String),
    /// Nothing more: the end mark was there.
    End,
}

/// Reads a trace file from its beginning to its end.
#[derive(Debug)]
pub struct TraceReader<R: Read> {
    input: Input<R>,
    header: TraceHeader,
    decoder: Decoder,
    stored: Vec<u8>,
    contents: Vec<u8>,
    /// Where the frame began, and how much of its contents is done.
    frame_at: u64,
    done: usize,
    items: u64,
    ended: bool,
    /// What is wrong with the frame, once that is known.
    fault: Option<String>,
}

impl<R: Read> TraceReader<R> {
    /// Reads the head of a trace.
    pub fn new(input: R) -> Result<TraceReader<R>, TraceError> {
        let mut input = Input { input, at: 0 };
        let mut bytes = Vec::new();
        let whole = input.up_to(MAGIC.len(), &mut bytes)?;
        if !whole && MAGIC.starts_with(&bytes) && !bytes.is_empty() {
            return Err(TraceError::CutOff { at: 0 });
        }
        if bytes != MAGIC {
            return Err(TraceError::NotATrace);
        }
        let found = number(&mut input, &mut bytes)?;
        if found > VERSION {
            return Err(TraceError::NewerVersion { found, known: VERSION });
        }
        let at = input.at;
        let damaged = |what: String| TraceError::Damaged { at, what };
        if found == 0 {
            return Err(damaged("there is no version 0".to_string()));
        }
        let length = number(&mut input, &mut bytes)?;
        let sum = number(&mut input, &mut bytes)?;
        if length > MOST_HEAD {
            return Err(damaged("a head of an impossible size".to_string()));
        }
        if !input.up_to(length as usize, &mut bytes)? {
            return Err(TraceError::CutOff { at });
        }
        if crc32fast::hash(&bytes) != sum {
            return Err(damaged("the checksum of the head is wrong".to_string()));
        }
        let header = header(&bytes).map_err(|Fault(what)| damaged(what))?;
        Ok(TraceReader {
            input,
            header,
            decoder: Decoder::new(found),
            stored: Vec::new(),
            contents: Vec::new(),
            frame_at: 0,
            done: 0,
            items: 0,
            ended: false,
            fault: None,
        })
    }

    /// What the trace says about itself.
    pub fn header(&self) -> &TraceHeader {
        &self.header
    }

    /// Reads on. Events go to the buffer, in place of what is there. What can be read before a
    /// damaged place is given out before the error is.
    pub fn read(&mut self, buffer: &mut EventBuffer) -> Result<TraceStep, TraceError> {
        buffer.clear();
        loop {
            if let Some(what) = &self.fault {
                return Err(TraceError::Damaged { at: self.frame_at, what: what.clone() });
            }
            if self.ended {
                return Ok(TraceStep::End);
            }
            if self.done >= self.contents.len() {
                self.next_frame()?;
            } else if let Some(remark) = self.items_of_frame(buffer) {
                return Ok(TraceStep::Remark(remark));
            } else if !buffer.is_empty() {
                return Ok(TraceStep::Events);
            }
        }
    }

    /// Reads items until there are enough events, or the frame ends, or something else comes: a
    /// remark is given back when no events are before it, a fault is kept.
    fn items_of_frame(&mut self, buffer: &mut EventBuffer) -> Option<String> {
        let mut cursor = Cursor::new(&self.contents, self.done);
        while !cursor.is_at_end()
            && buffer.len() < MOST_EVENTS
            && buffer.list_bytes() < MOST_LIST_BYTES
        {
            let remark = match self.decoder.item(&mut cursor, buffer) {
                Ok(Item::Event | Item::Kernel) => None,
                // The events before it come first; it is read again after them.
                Ok(Item::Remark(_)) if !buffer.is_empty() => break,
                Ok(Item::Remark(text)) => Some(text),
                Err(Fault(what)) => {
                    let at = self.done;
                    self.fault = Some(format!("{what} (byte {at} of its contents, decompressed)"));
                    break;
                }
            };
            self.items += 1;
            self.done = cursor.at();
            if remark.is_some() {
                return remark;
            }
        }
        None
    }

    fn next_frame(&mut self) -> Result<(), TraceError> {
        self.contents.clear();
        self.done = 0;
        self.frame_at = self.input.at;
        let at = self.frame_at;
        match self.input.frame(&mut self.stored, &mut self.contents)? {
            Frame::Contents => self.decoder.begin_frame(),
            Frame::End(items) if items != self.items => {
                let what = format!("{items} items were written, {} were read", self.items);
                return Err(TraceError::Damaged { at, what });
            }
            Frame::End(_) => {
                let at = self.input.at;
                if self.input.up_to(1, &mut self.stored)? {
                    let what = "something follows after the end".to_string();
                    return Err(TraceError::Damaged { at, what });
                }
                self.ended = true;
            }
        }
        Ok(())
    }
}

fn number<R: Read>(input: &mut Input<R>, bytes: &mut Vec<u8>) -> Result<u32, TraceError> {
    let at = input.at;
    input.up_to(4, bytes)?;
    match <[u8; 4]>::try_from(bytes.as_slice()) {
        Ok(bytes) => Ok(u32::from_le_bytes(bytes)),
        Err(_) => Err(TraceError::CutOff { at }),
    }
}

fn header(bytes: &[u8]) -> Result<TraceHeader, Fault> {
    let mut cursor = Cursor::new(bytes, 0);
    Ok(TraceHeader {
        seed: cursor.number()?,
        schedule: cursor.text()?.to_string(),
        command: cursor.text()?.to_string(),
    })
}
