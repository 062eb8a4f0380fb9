use super::bytes::{put_number, put_text};
use super::encode::Encoder;
use super::words::MOST_WORDS;
use super::{FRAME_BYTES, MAGIC, TraceHeader, VERSION, frame};
use crate::vocabulary::Event;
use crate::{Batch, EventSink};
use std::io::{self, Write};

/// Writes a trace file. The same events give the same bytes.
///
/// An engine does not wait for answers, so the first failure is kept, and [`finish`](Self::finish)
/// returns it; nothing is written after it.
#[derive(Debug)]
pub struct TraceWriter<W: Write> {
    output: W,
    encoder: Encoder,
    failure: Option<io::Error>,
}

impl<W: Write> TraceWriter<W> {
    /// Begins a trace. The output should be buffered by nobody else: it gets whole frames.
    pub fn new(mut output: W, header: &TraceHeader) -> io::Result<TraceWriter<W>> {
        let TraceHeader { seed, schedule, command } = header;
        let mut payload = Vec::new();
        put_number(&mut payload, *seed);
        put_text(&mut payload, schedule);
        put_text(&mut payload, command);
        let length = u32::try_from(payload.len()).map_err(io::Error::other)?;
        let mut head = MAGIC.to_vec();
        for number in [VERSION, length, crc32fast::hash(&payload)] {
            head.extend_from_slice(&number.to_le_bytes());
        }
        head.extend_from_slice(&payload);
        output.write_all(&head)?;
        Ok(TraceWriter { output, encoder: Encoder::new(), failure: None })
    }

    /// Writes text that is no event: what the maker of the trace has to say beside them.
    pub fn remark(&mut self, text: &str) {
        if self.failure.is_none() {
            self.encoder.remark(text);
            self.end_item();
        }
    }

    /// Writes one event.
    pub fn event(&mut self, event: &Event<'_>) {
        if self.failure.is_some() {
            return;
        }
        if longest_list(event) > MOST_WORDS {
            let what = format!("an event with a list of more than {MOST_WORDS} words");
            self.failure = Some(io::Error::new(io::ErrorKind::InvalidInput, what));
            return;
        }
        self.encoder.event(event);
        self.end_item();
    }

    fn end_item(&mut self) {
        if self.encoder.out.len() >= FRAME_BYTES {
            self.failure = self.write_frame().err();
        }
    }

    fn write_frame(&mut self) -> io::Result<()> {
        frame::write_contents(&mut self.output, &self.encoder.out)?;
        self.encoder.begin_frame();
        Ok(())
    }

    /// Writes what is left and the end mark.
    pub fn finish(mut self) -> io::Result<W> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        if !self.encoder.out.is_empty() {
            self.write_frame()?;
        }
        frame::write_end(&mut self.output, self.encoder.items)?;
        self.output.flush()?;
        Ok(self.output)
    }
}

impl<W: Write> EventSink for TraceWriter<W> {
    fn batch(&mut self, batch: &Batch<'_>) {
        for event in batch.events() {
            self.event(&event);
        }
    }
}

/// The length of the longest list that an event carries, besides addresses of lanes.
fn longest_list(event: &Event<'_>) -> usize {
    match event {
        Event::Access(access) => access.values.len().max(access.versions.len()),
        Event::BlockBarrier { participants, .. } => participants.len(),
        Event::CopyWait { before, .. } => before.len(),
        _ => 0,
    }
}
