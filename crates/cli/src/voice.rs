//! What a check says while it runs: what kernels print, and the buffers that are asked for.

use crate::output::Stream;
use crate::progress::Terminal;
use std::io::{self, Write};

/// Says things at once, or keeps them until it is their turn.
#[derive(Debug)]
pub(crate) enum Voice {
    /// At once, with progress bars out of the way.
    Direct(Terminal),
    /// Never.
    Silent,
    /// Later, in order.
    Kept(Vec<(Stream, Vec<u8>)>),
}

impl Voice {
    /// Says something. It need not be text: a kernel prints any bytes.
    pub(crate) fn say(&mut self, stream: Stream, words: &[u8]) -> io::Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        match self {
            Voice::Direct(terminal) => terminal.without_bars(|| stream.write(words)),
            Voice::Silent => Ok(()),
            Voice::Kept(all) => {
                all.push((stream, words.to_vec()));
                Ok(())
            }
        }
    }

    /// Says everything that was kept.
    pub(crate) fn release(self, terminal: &Terminal) -> io::Result<()> {
        let Voice::Kept(all) = self else { return Ok(()) };
        terminal.without_bars(|| all.iter().try_for_each(|(stream, words)| stream.write(words)))
    }
}

impl Stream {
    /// Writes to the stream, at once.
    pub(crate) fn write(self, words: &[u8]) -> io::Result<()> {
        match self {
            Stream::Output => {
                let mut output = io::stdout().lock();
                output.write_all(words)?;
                output.flush()
            }
            Stream::Error => io::stderr().lock().write_all(words),
        }
    }
}
