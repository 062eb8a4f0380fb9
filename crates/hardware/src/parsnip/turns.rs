//! Cores that take turns, in place of the order of the recording.
//!
//! A trace has the order in which a machine with other cores and other threads made accesses. Which of two accesses is first matters only
//! where something orders them: so an access may wait until its thread does something else. Nothing waits for memory that is given out or back.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use warpsan_thread_trace::{Action, Event, TraceThread};

/// Accesses that wait for their turn.
pub struct Turns {
    /// Accesses of a thread in one turn.
    size: NonZeroUsize,
    waiting: Vec<(TraceThread, VecDeque<Event>)>,
}

impl Turns {
    /// Turns of so many accesses.
    pub fn new(size: NonZeroUsize) -> Turns {
        Turns { size, waiting: Vec::new() }
    }

    /// Takes the next event. `act` gets those whose turn it is.
    pub fn event<E>(
        &mut self,
        event: &Event,
        act: &mut dyn FnMut(&Event) -> Result<(), E>,
    ) -> Result<(), E> {
        match event.action {
            Action::Read(_) | Action::Write(_) => {
                self.queue(event.thread).push_back(*event);
                return Ok(());
            }
            Action::Join(_)
            | Action::Abandon(_)
            | Action::Destroy(_)
            | Action::Allocate(_)
            | Action::Free(_) => self.finish(act)?,
            _ => {
                while !self.queue(event.thread).is_empty() {
                    self.round(act)?;
                }
            }
        }
        act(event)
    }

    /// All that waits gets its turn.
    pub fn finish<E>(&mut self, act: &mut dyn FnMut(&Event) -> Result<(), E>) -> Result<(), E> {
        while self.waiting.iter().any(|(_, queue)| !queue.is_empty()) {
            self.round(act)?;
        }
        Ok(())
    }

    fn round<E>(&mut self, act: &mut dyn FnMut(&Event) -> Result<(), E>) -> Result<(), E> {
        for (_, queue) in &mut self.waiting {
            let count = self.size.get().min(queue.len());
            for event in queue.drain(..count) {
                act(&event)?;
            }
        }
        Ok(())
    }

    fn queue(&mut self, thread: TraceThread) -> &mut VecDeque<Event> {
        let known = self.waiting.iter().position(|(one, _)| *one == thread);
        let number = known.unwrap_or_else(|| {
            self.waiting.push((thread, VecDeque::new()));
            self.waiting.len() - 1
        });
        &mut self.waiting[number].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpsan_thread_detect::Span;
    use warpsan_thread_trace::{Lock, Site};

    #[test]
    fn threads_take_turns_until_one_does_something_else() {
        let event =
            |thread, action| Event { thread: TraceThread(thread), site: Site::default(), action };
        let read = |thread, address| event(thread, Action::Read(Span { address, size: 1 }));
        let mut events: Vec<Event> = (0..4).map(|address| read(1, address)).collect();
        events.extend((10..15).map(|address| read(2, address)));
        let release = event(1, Action::Release(Lock(1)));
        events.push(release);
        let mut turns = Turns::new(NonZeroUsize::new(2).expect("two"));
        let mut seen = Vec::new();
        let mut act = |event: &Event| -> Result<(), ()> {
            seen.push(*event);
            Ok(())
        };
        events.iter().for_each(|event| turns.event(event, &mut act).expect("it cannot fail"));
        turns.finish(&mut act).expect("it cannot fail");
        let order = [(1, 0), (1, 1), (2, 10), (2, 11), (1, 2), (1, 3), (2, 12), (2, 13)];
        let mut expected: Vec<Event> =
            order.map(|(thread, address)| read(thread, address)).to_vec();
        expected.extend([release, read(2, 14)]);
        assert_eq!(seen, expected);
    }
}
