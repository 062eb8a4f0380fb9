//! Metadata that is given back, because the program needs the memory.

use super::{CHUNK, MIB, Shadow, chunks_of};
use crate::engine::Engine;

impl Shadow {
    /// Takes metadata away from chunks that the program has no memory in, for other chunks. Says whether there was
    /// any.
    pub(super) fn recycle(&mut self, engine: &Engine) -> bool {
        let idle = self.idle();
        !idle.is_empty() && self.take_away(engine, &idle)
    }

    /// Gives at least so many bytes back to the device: first metadata that nobody uses, then that of the largest
    /// allocations. Says how many they are; 0 if there is nothing left to give, or now is not the time.
    pub(in crate::engine) fn make_room(&mut self, engine: &Engine, bytes: u64) -> u64 {
        let idle = self.idle();
        if !idle.is_empty() && !self.take_away(engine, &idle) {
            return 0;
        }
        let mut by_size: Vec<(u64, u64)> =
            self.allocations.iter().map(|(address, bytes)| (*address, *bytes)).collect();
        by_size.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        let mut uncovered = 0;
        for (address, size) in by_size {
            if self.pieces.spare_bytes() >= bytes {
                break;
            }
            let has_metadata = |chunk: &u64| {
                let metadata = self.chunks.get(chunk).and_then(|known| known.metadata);
                metadata.is_some_and(|place| self.pieces.is_of_device(place))
            };
            let chunks: Vec<u64> = chunks_of(address, size).filter(has_metadata).collect();
            if chunks.is_empty() {
                continue;
            }
            if !self.take_away(engine, &chunks) {
                return 0;
            }
            uncovered += size.min(chunks.len() as u64 * CHUNK);
        }
        let given = self.pieces.give_back(engine, bytes);
        if uncovered > 0 && !std::mem::replace(&mut self.warned_of_given_back, true) {
            engine.listener.warning(&format!(
                "the program needs the GPU's memory, so metadata was given back: races in at least {} of its memory \
                 are not found",
                in_words(uncovered)
            ));
        }
        given
    }

    /// Chunks with metadata in which the program has no memory.
    fn idle(&self) -> Vec<u64> {
        let idle = self.chunks.iter().filter(|(_, known)| known.users == 0);
        let mut idle: Vec<u64> =
            idle.filter(|(_, known)| known.metadata.is_some()).map(|(chunk, _)| *chunk).collect();
        idle.sort_unstable();
        idle
    }

    /// Takes the metadata of chunks out of use: kernels find that there is none, and those that may still use it
    /// are waited for. Says whether that is possible now. What is in it stays: it is of launches that are over.
    fn take_away(&mut self, engine: &Engine, chunks: &[u64]) -> bool {
        let metadata = |chunk: &u64| {
            let place = self.chunks.get(chunk).and_then(|known| known.metadata)?;
            Some((*chunk, place))
        };
        let before: Vec<(u64, u64)> = chunks.iter().filter_map(metadata).collect();
        let after: Vec<(u64, u64)> = before.iter().map(|(chunk, _)| (*chunk, 0)).collect();
        let entered = self.enter(engine, &after).and_then(|()| engine.settle(self.stream));
        // SAFETY: the current context.
        if entered.is_err() || !unsafe { engine.driver.cuCtxSynchronize() }.is_success() {
            // Kernels may still use it, so it stays theirs.
            if let Err(error) = self.enter(engine, &before) {
                tracing::debug!("metadata cannot be entered again: {error}");
            }
            return false;
        }
        for (chunk, place) in before {
            self.pieces.put_back(place);
            if self.chunks.get(&chunk).is_some_and(|known| known.users == 0) {
                self.chunks.remove(&chunk);
            }
        }
        true
    }
}

/// A size that a person can read.
fn in_words(bytes: u64) -> String {
    match bytes >> 30 {
        0 => format!("{} MiB", bytes.div_ceil(MIB)),
        1..10 => format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64),
        whole => format!("{whole} GiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::in_words;

    #[test]
    fn sizes_are_written_in_words() {
        assert_eq!(in_words(3 << 29), "1.5 GiB");
        assert_eq!(in_words(2 << 20), "2 MiB");
        assert_eq!(in_words(70 << 30), "70 GiB");
    }
}
