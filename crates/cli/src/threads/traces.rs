//! Traces of threads: those that `warpsan run --record-trace` writes, and texts in RAPID's STD format.

mod dumping;
mod places;
mod records;
mod redundancy;
mod replaying;

use super::text_module;
use anyhow::{Context, bail};
use places::Places;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use warpsan_hardware::parsnip::{Comparing, Comparison, Order, Settings, Turns};
use warpsan_thread_trace::std_text::{self, NamedTrace};
use warpsan_thread_trace::{Ending, Entry, Event, Reader};

/// What a file of the binary format begins with.
const MAGIC: &[u8; 8] = b"WSTHREAD";

/// A trace of threads, which can be gone through several times.
pub(crate) struct ThreadTrace {
    path: PathBuf,
    source: Source,
}

enum Source {
    /// A file that a process wrote.
    Recorded,
    /// A text, of which each event is a line.
    Text(Box<NamedTrace>),
}

impl ThreadTrace {
    /// Runs the trace on machines with PARSNIP. The races are those of bytes of accesses.
    pub(crate) fn on_parsnip(
        &self,
        settings: Settings,
        turns: Option<NonZeroUsize>,
    ) -> anyhow::Result<(Comparison, u64)> {
        let order = Order::new()?;
        let mut comparing = Comparing::new(&order, settings);
        let mut turns = turns.map(Turns::new);
        let mut races = 0;
        let mut act = |event: &Event| comparing.event(event, &mut |_| races += 1);
        let wrong = || format!("{} is no trace that can be replayed", self.path.display());
        self.go_through(&mut Places::default(), |event, _| {
            let done = match &mut turns {
                Some(turns) => turns.event(event, &mut act),
                None => act(event),
            };
            done.with_context(wrong)
        })?;
        if let Some(turns) = &mut turns {
            turns.finish(&mut act).with_context(wrong)?;
        }
        Ok((comparing.finish().with_context(wrong)?, races))
    }

    /// The trace of a file; none where the file is something else.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Option<ThreadTrace>> {
        let unread = || format!("cannot read {}", path.display());
        let mut file = File::open(path).with_context(unread)?;
        let mut start = Vec::new();
        (&mut file).take(MAGIC.len() as u64).read_to_end(&mut start).with_context(unread)?;
        if start == MAGIC {
            return Ok(Some(ThreadTrace { path: path.to_path_buf(), source: Source::Recorded }));
        }
        if path.extension().is_none_or(|extension| extension != text_module::ENDING) {
            return Ok(None);
        }
        file.rewind().with_context(unread)?;
        let mut text = String::new();
        match file.read_to_string(&mut text) {
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                bail!("{} is no trace: a trace in the STD format is text", path.display())
            }
            read => read.with_context(unread)?,
        };
        let parsed = std_text::parse(&text).with_context(unread)?;
        Ok(Some(ThreadTrace { path: path.to_path_buf(), source: Source::Text(Box::new(parsed)) }))
    }

    /// The file of the program that was recorded; none of a text.
    fn program(&self) -> anyhow::Result<Option<String>> {
        match &self.source {
            Source::Recorded => Ok(Some(self.reader()?.about().program.clone())),
            Source::Text(_) => Ok(None),
        }
    }

    fn reader(&self) -> anyhow::Result<Reader<BufReader<File>>> {
        let unread = || format!("cannot read {}", self.path.display());
        let file = File::open(&self.path).with_context(unread)?;
        Reader::new(BufReader::new(file)).with_context(unread)
    }

    /// Goes through all events, and says how the trace ends. Places that come by are added to `places`.
    fn go_through(
        &self,
        places: &mut Places,
        mut event: impl FnMut(&Event, &Places) -> anyhow::Result<()>,
    ) -> anyhow::Result<Ending> {
        let named = match &self.source {
            Source::Text(named) => named,
            Source::Recorded => {
                let mut reader = self.reader()?;
                let unread = || format!("cannot read {}", self.path.display());
                while let Some(entry) = reader.entry().with_context(unread)? {
                    match entry {
                        Entry::Event(one) => event(&one, places)?,
                        Entry::Place(site, place) => places.add(site, place),
                        Entry::Module(number, module) => places.add_module(number, module),
                    }
                }
                return Ok(reader.ending().unwrap_or(Ending::Cut));
            }
        };
        for one in &named.trace.events {
            event(one, places)?;
        }
        Ok(Ending::Whole)
    }
}
