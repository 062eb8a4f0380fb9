//! A trace as text.

use super::places::Places;
use super::{Source, ThreadTrace};
use crate::threads::symbols::{Symbols, shown};
use anyhow::{Context, ensure};
use std::collections::HashMap;
use std::io::Write;
use warpsan_thread_detect::{MemoryOrder, Span};
use warpsan_thread_trace::std_text::{self, NamedTrace};
use warpsan_thread_trace::{Action, Ending, Site};

impl ThreadTrace {
    /// Prints the events, a line for each, up to a number of them.
    pub(crate) fn dump(&self, limit: u64, out: &mut impl Write) -> anyhow::Result<()> {
        match self.program()? {
            Some(program) => writeln!(out, "# trace of the threads of: {program}")?,
            None => writeln!(out, "# trace of threads, in the STD format")?,
        }
        let mut symbols = Symbols::default();
        let mut known: HashMap<Site, String> = HashMap::new();
        let mut left = limit;
        let ending = self.go_through(&mut Places::default(), |event, places| {
            if left == 0 {
                return Ok(());
            }
            left -= 1;
            let place = known
                .entry(event.site)
                .or_insert_with(|| self.place_of(event.site, places, &mut symbols));
            let thread = event.thread.0;
            writeln!(out, "thread {thread:<3} {:<50} {place}", describe(event.action))?;
            Ok(())
        })?;
        if ending == Ending::Cut && left > 0 {
            writeln!(out, "# the trace ends here, in the middle of what the process did")?;
        }
        Ok(())
    }

    /// Prints the trace in RAPID's STD format.
    pub(crate) fn dump_std(&self, out: &mut impl Write) -> anyhow::Result<()> {
        let cannot = || format!("{} cannot be printed so", self.path.display());
        let text = match &self.source {
            Source::Text(named) => std_text::print(named).with_context(cannot)?,
            Source::Recorded => {
                let mut named = NamedTrace::default();
                let ending = self.go_through(&mut Places::default(), |event, _| {
                    named.trace.events.push(*event);
                    Ok(())
                })?;
                ensure!(
                    ending == Ending::Whole,
                    "{} ends in the middle of what the process did; record it again",
                    self.path.display()
                );
                std_text::print(&named).with_context(cannot)?
            }
        };
        out.write_all(text.as_bytes())?;
        Ok(())
    }

    fn place_of(&self, site: Site, places: &Places, symbols: &mut Symbols) -> String {
        if let Source::Text(named) = &self.source {
            return named.names.site(site).unwrap_or_default().to_owned();
        }
        let frames = symbols.stack(&places.stack(site).unwrap_or_default());
        match shown(&frames) {
            Some(frame) => match &frame.position {
                Some(position) => format!("{} at {position}", frame.function),
                None => frame.function.to_string(),
            },
            None => String::new(),
        }
    }
}

fn describe(action: Action) -> String {
    let at = |span: Span| match span.size {
        1 => format!("1 byte at {:#x}", span.address),
        size => format!("{size} bytes at {:#x}", span.address),
    };
    match action {
        Action::Read(span) => format!("reads {}", at(span)),
        Action::Write(span) => format!("writes {}", at(span)),
        Action::AtomicRead(span, order) => format!("atomic {} load of {}", name(order), at(span)),
        Action::AtomicWrite(span, order) => format!("atomic {} store of {}", name(order), at(span)),
        Action::AtomicUpdate(span, order) => {
            format!("atomic {} update of {}", name(order), at(span))
        }
        Action::Fence(order) => format!("{} fence", name(order)),
        Action::Acquire(lock) => format!("acquires {:#x}", lock.0),
        Action::Release(lock) => format!("releases {:#x}", lock.0),
        Action::Post(lock) => format!("posts {:#x}", lock.0),
        Action::AcquireForReading(lock) => format!("acquires {:#x} for reading", lock.0),
        Action::ReleaseFromReading(lock) => format!("releases {:#x} from reading", lock.0),
        Action::AcquireForWriting(lock) => format!("acquires {:#x} for writing", lock.0),
        Action::ReleaseFromWriting(lock) => format!("releases {:#x} from writing", lock.0),
        Action::Fork(thread) => format!("starts thread {}", thread.0),
        Action::Join(thread) => format!("joins thread {}", thread.0),
        Action::Abandon(thread) => format!("thread {} has ended, and nobody joins it", thread.0),
        Action::EnterBarrier(barrier, parties) => {
            format!("enters barrier {:#x} of {parties}", barrier.0)
        }
        Action::LeaveBarrier(barrier) => format!("leaves barrier {:#x}", barrier.0),
        Action::Destroy(span) => format!("destroys what synchronises in {}", at(span)),
        Action::Allocate(span) => format!("is given {}", at(span)),
        Action::Free(span) => format!("frees {}", at(span)),
        Action::Begin => "begins a block".to_owned(),
        Action::End => "ends a block".to_owned(),
    }
}

fn name(order: MemoryOrder) -> &'static str {
    match order {
        MemoryOrder::Relaxed => "relaxed",
        MemoryOrder::Acquire => "acquire",
        MemoryOrder::Release => "release",
        MemoryOrder::AcquireRelease => "acquire-release",
        MemoryOrder::SequentiallyConsistent => "sequentially consistent",
    }
}
