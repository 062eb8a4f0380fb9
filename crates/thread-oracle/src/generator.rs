//! Random traces.
//!
//! Threads follow short scripts: a section under the lock that belongs to a word, a message through the flag that belongs to it, an
//! access without any of it. How often they keep to the discipline differs from trace to trace, so that some race everywhere
//! and some nowhere. Which thread goes next is random; one that would have to wait is passed over, so that every trace is
//! one that a program could have.

use std::collections::VecDeque;

use warpsan_thread_detect::{MemoryOrder, Span};
use warpsan_thread_trace::{Action, Barrier, Event, Lock, Site, Trace, TraceThread};

use crate::random::Random;

const DATA: u64 = 0x1_0000;
const WORDS: u64 = 4;
/// Words for walks; the first ones are those above.
const SWEPT: u64 = 8;
const FLAGS: u64 = 0x2_0000;
const MOST_THREADS: u32 = 9;
/// Words whose lock is one for readers and writers have odd numbers.
const READ_WRITE: u64 = 100;
/// What is posted and waited for, for each word. Anybody may do so at any time.
const POSTED: u64 = 200;
const BARRIER: Barrier = Barrier(1000);

/// The trace that belongs to this seed.
pub fn random_trace(seed: u64) -> Trace {
    let mut random = Random::new(seed);
    let style = Style {
        discipline: random.choose(&[30, 70, 95, 100]),
        whole_words: random.percent(35),
        sweeps: random.choose(&[0, 0, 15, 40]),
        atomics: random.choose(&[0, 20, 60]),
        frees: random.choose(&[0, 0, 4, 8]),
        parties: random.choose(&[0, 2, 3]),
    };
    let length = 10 + random.below(80) as usize;
    let mut generator = Generator {
        random,
        style,
        threads: vec![Thread::default()],
        locks: [None; WORDS as usize],
        readers: [0; WORDS as usize],
        entered: Vec::new(),
        events: Vec::with_capacity(length),
    };
    // Most programs start further threads at once.
    for _ in 0..generator.random.below(4) {
        generator.fork(0);
    }
    if generator.random.percent(10) {
        generator.threads.push(Thread::default());
    }
    for _ in 0..8 * length {
        if generator.events.len() >= length {
            break;
        }
        generator.step();
    }
    Trace { events: generator.events }
}

struct Style {
    /// How often, of a hundred times, a word is accessed as it should be.
    discipline: u64,
    whole_words: bool,
    /// How often, of a hundred times, it is a walk over several words.
    sweeps: u64,
    /// How often, of a hundred times, it is a message and not a lock.
    atomics: u64,
    frees: u64,
    /// Of the barrier; zero for none.
    parties: u32,
}

#[derive(Default)]
struct Thread {
    script: VecDeque<Action>,
    joined: bool,
    /// It waits at the barrier, and whether it may leave.
    waits: Option<bool>,
}

struct Generator {
    random: Random,
    style: Style,
    threads: Vec<Thread>,
    /// Who holds a word's lock alone.
    locks: [Option<usize>; WORDS as usize],
    /// How many hold a word's lock for reading.
    readers: [u32; WORDS as usize],
    /// Who waits at the barrier.
    entered: Vec<usize>,
    events: Vec<Event>,
}

impl Generator {
    fn emit(&mut self, thread: usize, action: Action) {
        let site = Site(self.events.len() as u32);
        self.events.push(Event { thread: TraceThread(thread as u32), site, action });
    }

    fn step(&mut self) {
        let thread = self.random.below(self.threads.len() as u64) as usize;
        if self.threads[thread].joined {
            return;
        }
        match self.threads[thread].waits {
            Some(false) => return,
            Some(true) => {
                self.threads[thread].waits = None;
                return self.emit(thread, Action::LeaveBarrier(BARRIER));
            }
            None => {}
        }
        if self.threads[thread].script.is_empty() {
            self.plan(thread);
        }
        let Some(action) = self.threads[thread].script.front().copied() else { return };
        if self.may_go(action) {
            self.threads[thread].script.pop_front();
            self.note(thread, action);
            self.emit(thread, action);
        }
    }

    fn place(lock: Lock) -> usize {
        (lock.0 % READ_WRITE) as usize
    }

    fn may_go(&self, action: Action) -> bool {
        match action {
            Action::Acquire(lock) if lock.0 >= POSTED => true,
            Action::Destroy(span) => {
                let place = Self::place(Lock(span.address));
                self.locks[place].is_none() && self.readers[place] == 0
            }
            Action::Acquire(lock) => self.locks[Self::place(lock)].is_none(),
            Action::AcquireForReading(lock) => self.locks[Self::place(lock)].is_none(),
            Action::AcquireForWriting(lock) => {
                self.locks[Self::place(lock)].is_none() && self.readers[Self::place(lock)] == 0
            }
            _ => true,
        }
    }

    fn note(&mut self, thread: usize, action: Action) {
        match action {
            Action::Acquire(lock) if lock.0 >= POSTED => {}
            Action::Acquire(lock) | Action::AcquireForWriting(lock) => {
                self.locks[Self::place(lock)] = Some(thread);
            }
            Action::Release(lock) | Action::ReleaseFromWriting(lock) => {
                self.locks[Self::place(lock)] = None;
            }
            Action::AcquireForReading(lock) => self.readers[Self::place(lock)] += 1,
            Action::ReleaseFromReading(lock) => self.readers[Self::place(lock)] -= 1,
            Action::EnterBarrier(_, parties) => {
                self.entered.push(thread);
                self.threads[thread].waits = Some(false);
                if self.entered.len() == parties as usize {
                    for inside in std::mem::take(&mut self.entered) {
                        self.threads[inside].waits = Some(true);
                    }
                }
            }
            _ => {}
        }
    }

    fn fork(&mut self, thread: usize) {
        if self.threads.len() < MOST_THREADS as usize {
            let child = self.threads.len();
            self.threads.push(Thread::default());
            self.emit(thread, Action::Fork(TraceThread(child as u32)));
        }
    }

    fn join(&mut self, thread: usize) {
        let child = self.random.below(self.threads.len() as u64) as usize;
        let state = &self.threads[child];
        let over = state.script.is_empty() && state.waits.is_none() && !state.joined;
        // A thread that no event has started cannot be waited for before it has done something.
        let id = TraceThread(child as u32);
        let known = |event: &Event| event.thread == id || event.action == Action::Fork(id);
        if child != thread && over && self.events.iter().any(known) {
            self.threads[child].joined = true;
            match self.random.below(6) {
                0 => self.emit(thread, Action::Abandon(id)),
                1 => self.emit(child, Action::Abandon(id)),
                _ => self.emit(thread, Action::Join(id)),
            }
        }
    }

    /// What a thread does next.
    fn plan(&mut self, thread: usize) {
        let word = self.random.below(WORDS);
        let roll = self.random.below(100);
        let script = if roll < 4 {
            return self.fork(thread);
        } else if roll < 8 {
            return self.join(thread);
        } else if roll < 8 + self.style.frees {
            self.memory(word)
        } else if roll < 18 && self.style.parties > 0 {
            vec![Action::EnterBarrier(BARRIER, self.style.parties)]
        } else if roll < 21 {
            let order = self.random.choose(&MemoryOrder::ALL);
            vec![Action::Fence(order)]
        } else if roll < 23 {
            self.destroy(word)
        } else if roll < 28 {
            self.hand_over(word)
        } else if self.random.percent(self.style.sweeps) {
            self.sweep()
        } else if self.random.percent(self.style.atomics) {
            self.message(word)
        } else {
            self.section(word)
        };
        self.threads[thread].script.extend(script);
    }

    fn span(&mut self, word: u64) -> Span {
        let address = DATA + 8 * word;
        if self.style.whole_words || self.random.percent(30) {
            return Span { address, size: 8 };
        }
        match self.random.below(9) {
            8 => Span { address: address + 5 + self.random.below(3), size: 4 },
            0 => Span { address, size: 16 },
            1 => Span { address: address + self.random.below(8), size: 1 + self.random.below(12) },
            2 | 3 => Span { address: address + self.random.below(8), size: 1 },
            4 => Span { address: address + 2 * self.random.below(4), size: 2 },
            5 => Span { address: address + self.random.below(6), size: 4 },
            _ => Span { address: address + 4 * self.random.below(2), size: 4 },
        }
    }

    /// Accesses to a word, in most cases under its lock.
    fn section(&mut self, word: u64) -> Vec<Action> {
        let mut accesses: Vec<Action> = Vec::new();
        let only_reads = self.random.percent(40);
        for _ in 0..1 + self.random.below(3) {
            let span = self.span(word);
            let reads = only_reads || self.random.percent(50);
            accesses.push(if reads { Action::Read(span) } else { Action::Write(span) });
        }
        let (first, last) = match word % 2 {
            0 => (Action::Acquire(Lock(word)), Action::Release(Lock(word))),
            _ if only_reads => {
                let lock = Lock(READ_WRITE + word);
                (Action::AcquireForReading(lock), Action::ReleaseFromReading(lock))
            }
            _ => {
                let lock = Lock(READ_WRITE + word);
                (Action::AcquireForWriting(lock), Action::ReleaseFromWriting(lock))
            }
        };
        if self.random.percent(self.style.discipline) {
            accesses.insert(0, first);
            accesses.push(last);
        }
        accesses
    }

    /// A word is passed on by a semaphore, or taken over.
    fn hand_over(&mut self, word: u64) -> Vec<Action> {
        let data = self.span(word);
        let posted = Lock(POSTED + word);
        let is_careful = self.random.percent(self.style.discipline);
        match self.random.below(4) {
            0 | 1 => vec![Action::Write(data), Action::Post(posted)],
            _ if is_careful => vec![Action::Acquire(posted), Action::Read(data)],
            _ => vec![Action::Acquire(posted), Action::Write(data)],
        }
    }

    /// A lock, or what is posted, is destroyed: what comes there next knows nothing of it.
    fn destroy(&mut self, word: u64) -> Vec<Action> {
        let own = if word.is_multiple_of(2) { word } else { READ_WRITE + word };
        let address = self.random.choose(&[own, POSTED + word]);
        vec![Action::Destroy(Span { address, size: 1 })]
    }

    /// A walk over several words in steps of one size, in most cases under a lock that all walks have in common; or as a loop
    /// would that reads each element and writes it, and sometimes with a free of a part in between.
    fn sweep(&mut self) -> Vec<Action> {
        let sizes: &[u64] = if self.style.whole_words { &[8, 16] } else { &[1, 2, 4, 4, 4] };
        let size = self.random.choose(sizes);
        let start = DATA + size.min(8) * self.random.below(4);
        let words = 1 + self.random.below(if size == 1 { 2 } else { SWEPT });
        let steps = (8 * words / size).min(12);
        let (reads, writes) = self.random.choose(&[(true, false), (false, true), (true, true)]);
        let mut accesses: Vec<Action> = Vec::new();
        for step in 0..steps {
            let span = Span { address: start + size * step, size };
            accesses.extend(reads.then_some(Action::Read(span)));
            accesses.extend(writes.then_some(Action::Write(span)));
            if self.random.percent(self.style.frees / 4) {
                accesses.push(Action::Free(span));
            }
        }
        if self.random.percent(self.style.discipline) {
            let lock = Lock(0);
            accesses.insert(0, Action::Acquire(lock));
            accesses.push(Action::Release(lock));
        }
        accesses
    }

    /// A word is passed on by its flag, or taken over: with the right orders, with fences, or with any orders.
    fn message(&mut self, word: u64) -> Vec<Action> {
        use MemoryOrder::{Acquire, AcquireRelease, Relaxed, Release, SequentiallyConsistent};
        let flag = self.flag(word);
        let data = self.span(word);
        let careful = self.random.percent(self.style.discipline);
        let wild = self.random.choose(&MemoryOrder::ALL);
        let any = |order: MemoryOrder| if careful { order } else { wild };
        match self.random.below(8) {
            0 => vec![Action::Write(data), Action::AtomicWrite(flag, any(Release))],
            1 => vec![Action::AtomicRead(flag, any(Acquire)), Action::Read(data)],
            2 => {
                let fence = Action::Fence(any(Release));
                vec![Action::Write(data), fence, Action::AtomicWrite(flag, Relaxed)]
            }
            3 => {
                let fence = Action::Fence(any(Acquire));
                vec![Action::AtomicRead(flag, Relaxed), fence, Action::Read(data)]
            }
            4 => {
                let fence = Action::Fence(any(SequentiallyConsistent));
                vec![Action::Write(data), fence, Action::AtomicUpdate(flag, Relaxed)]
            }
            5 => {
                let update = Action::AtomicUpdate(flag, any(AcquireRelease));
                vec![update, Action::Write(data), Action::AtomicUpdate(flag, any(Release))]
            }
            6 if self.random.percent(50) => vec![Action::AtomicUpdate(flag, wild)],
            // The second store ends the release sequence.
            6 if self.random.percent(50) => {
                let store = |order| Action::AtomicWrite(flag, order);
                vec![Action::Write(data), store(Release), store(Relaxed)]
            }
            6 => vec![Action::AtomicWrite(flag, Relaxed)],
            _ if careful => vec![Action::AtomicRead(flag, wild)],
            // An atomic access to data, or a plain one to a flag.
            _ => match self.random.below(6) {
                0 => vec![Action::AtomicRead(data, wild)],
                1 => vec![Action::AtomicWrite(data, wild)],
                2 => vec![Action::AtomicUpdate(data, wild)],
                3 => vec![Action::Read(flag)],
                4 => vec![Action::Write(flag)],
                _ => vec![Action::AtomicWrite(flag, wild)],
            },
        }
    }

    fn flag(&mut self, word: u64) -> Span {
        let size = if self.style.whole_words { 8 } else { self.random.choose(&[4, 4, 4, 8]) };
        Span { address: FLAGS + 8 * (word % 3), size }
    }

    fn memory(&mut self, word: u64) -> Vec<Action> {
        let flag = self.random.percent(20);
        let span = if flag { self.flag(word) } else { self.span(word) };
        let (free, allocate) = (Action::Free(span), Action::Allocate(span));
        let lock = Lock(0);
        match self.random.below(5) {
            0 => vec![allocate],
            1 if word == 0 => vec![Action::Acquire(lock), free, allocate, Action::Release(lock)],
            2 => vec![free],
            _ => vec![free, allocate],
        }
    }
}
