//! Capture: streams whose work is not queued but described as nodes of a graph.

use super::error::CudaError;
use super::graphs::{Graphs, Node};
use super::nodes::NodeWork;
use crate::{ApiCall, EventNumber, Stream, Wait};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_int;
use std::thread::ThreadId;

/// `cudaStreamCaptureModeGlobal`.
pub const GLOBAL: c_int = 0;
const THREAD_LOCAL: c_int = 1;
/// `cudaStreamCaptureModeRelaxed`.
pub const RELAXED: c_int = 2;

/// `cudaStreamCaptureStatus`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Nothing is captured.
    None = 0,
    /// Work becomes nodes.
    Active = 1,
    /// A call has spoilt the capture.
    Invalidated = 2,
}

/// The captures that have begun and not ended.
#[derive(Default)]
pub struct Captures {
    active: BTreeMap<u64, Capture>,
    count: u64,
    /// Events that stand for nodes, and for no work.
    events: BTreeMap<u64, (u64, BTreeSet<usize>)>,
}

/// A capture, with all streams that have joined it.
struct Capture {
    graph: usize,
    /// The graph was there before.
    is_borrowed: bool,
    mode: c_int,
    thread: ThreadId,
    origin: Stream,
    /// By stream: the nodes that the next one is after.
    streams: BTreeMap<Stream, BTreeSet<usize>>,
    is_valid: bool,
    /// The last answer about what the next node is after, which the program may still look at.
    listed: Vec<usize>,
}

impl Captures {
    /// Begins a capture, into a graph and after nodes of it.
    pub fn begin(
        &mut self,
        stream: Stream,
        (graph, is_borrowed): (usize, bool),
        after: BTreeSet<usize>,
        mode: c_int,
    ) -> Result<(), CudaError> {
        if stream == Stream::Legacy {
            return Err(CudaError::STREAM_CAPTURE_UNSUPPORTED);
        }
        if self.number_of(stream).is_some() {
            return Err(CudaError::ILLEGAL_STATE);
        }
        if !(GLOBAL..=RELAXED).contains(&mode) {
            return Err(CudaError::INVALID_VALUE);
        }
        self.count += 1;
        let capture = Capture {
            graph,
            is_borrowed,
            mode,
            thread: std::thread::current().id(),
            origin: stream,
            streams: BTreeMap::from([(stream, after)]),
            is_valid: true,
            listed: Vec::new(),
        };
        self.active.insert(self.count, capture);
        Ok(())
    }

    /// The number of the capture that a stream is part of.
    fn number_of(&self, stream: Stream) -> Option<u64> {
        let mut active = self.active.iter();
        active.find(|(_, capture)| capture.streams.contains_key(&stream)).map(|(id, _)| *id)
    }

    /// Whether work of a stream becomes nodes.
    pub fn status(&self, stream: Stream) -> Status {
        match self.number_of(stream).and_then(|id| self.active.get(&id)) {
            None => Status::None,
            Some(capture) if capture.is_valid => Status::Active,
            Some(_) => Status::Invalidated,
        }
    }

    /// The status. That of the default stream is not known while it would wait for a stream that is captured.
    pub fn checked_status(&self, stream: Stream) -> Result<Status, CudaError> {
        let is_blocking = |stream: &Stream| matches!(stream, Stream::Blocking(_));
        let mut streams = self.active.values().flat_map(|capture| capture.streams.keys());
        if stream == Stream::Legacy && streams.any(is_blocking) {
            return Err(CudaError::STREAM_CAPTURE_IMPLICIT);
        }
        Ok(self.status(stream))
    }

    /// The number and the graph of a stream's capture, and the nodes that its next one is after.
    pub fn info(&mut self, stream: Stream) -> Option<(u64, usize, &[usize])> {
        let number = self.number_of(stream)?;
        let capture = self.active.get_mut(&number)?;
        capture.listed = capture.streams.get(&stream)?.iter().copied().collect();
        Some((number, capture.graph, &capture.listed))
    }

    /// Changes what the next node of a stream is after.
    pub fn set_after(
        &mut self,
        stream: Stream,
        after: BTreeSet<usize>,
        adds: bool,
    ) -> Result<(), CudaError> {
        let number = self.number_of(stream).ok_or(CudaError::ILLEGAL_STATE)?;
        let capture = self.active.get_mut(&number).ok_or(CudaError::ILLEGAL_STATE)?;
        let known = capture.streams.entry(stream).or_default();
        if !adds {
            known.clear();
        }
        known.extend(after);
        Ok(())
    }

    /// Whether work of a stream is captured. The default stream would wait for streams that cannot be waited for.
    pub fn is_capturing(&mut self, stream: Stream) -> Result<bool, CudaError> {
        if stream == Stream::Legacy {
            self.check_default_stream()?;
        }
        match self.status(stream) {
            Status::None => Ok(false),
            Status::Active => Ok(true),
            Status::Invalidated => Err(CudaError::STREAM_CAPTURE_INVALIDATED),
        }
    }

    fn check_default_stream(&mut self) -> Result<(), CudaError> {
        let is_blocking = |stream: &Stream| matches!(stream, Stream::Blocking(_));
        let mut refused = false;
        for capture in self.active.values_mut() {
            if capture.streams.keys().any(is_blocking) {
                capture.is_valid = false;
                refused = true;
            }
        }
        if refused { Err(CudaError::STREAM_CAPTURE_IMPLICIT) } else { Ok(()) }
    }

    /// Refuses calls that a capture must not meet, such as allocations: those of any thread, or of the thread that
    /// captures, as the capture's mode says. The capture is worth nothing then.
    pub fn check_allowed(&mut self) -> Result<(), CudaError> {
        let thread = std::thread::current().id();
        let mut refused = false;
        for capture in self.active.values_mut() {
            let applies = capture.mode == GLOBAL && thread_mode() == GLOBAL
                || capture.mode != RELAXED && thread_mode() != RELAXED && capture.thread == thread;
            if applies {
                capture.is_valid = false;
                refused = true;
            }
        }
        if refused { Err(CudaError::STREAM_CAPTURE_UNSUPPORTED) } else { Ok(()) }
    }

    /// Refuses to wait for what is captured, which ends the capture's worth.
    pub fn check_wait(&mut self, wait: Wait) -> Result<(), CudaError> {
        let refused = match wait {
            Wait::Event(EventNumber(event)) => {
                let Some((number, _)) = self.events.get(&event) else { return Ok(()) };
                self.invalidate(*number);
                return Err(CudaError::CAPTURED_EVENT);
            }
            Wait::Stream(stream) => {
                if stream == Stream::Legacy {
                    self.check_default_stream()?;
                }
                self.number_of(stream).into_iter().collect()
            }
            Wait::Everything => self.active.keys().copied().collect::<Vec<u64>>(),
        };
        for number in &refused {
            self.invalidate(*number);
        }
        if refused.is_empty() { Ok(()) } else { Err(CudaError::STREAM_CAPTURE_UNSUPPORTED) }
    }

    fn invalidate(&mut self, number: u64) {
        if let Some(capture) = self.active.get_mut(&number) {
            capture.is_valid = false;
        }
    }

    /// Records an event in a stream that is captured. The answer is false where it is not.
    pub fn record(&mut self, event: EventNumber, stream: Stream) -> Result<bool, CudaError> {
        self.events.remove(&event.0);
        if !self.is_capturing(stream)? {
            return Ok(false);
        }
        let number = self.number_of(stream);
        let after = number.and_then(|number| self.active.get(&number)?.streams.get(&stream));
        if let (Some(number), Some(after)) = (number, after.cloned()) {
            self.events.insert(event.0, (number, after));
        }
        Ok(true)
    }

    /// An event is gone.
    pub fn forget_event(&mut self, event: EventNumber) {
        self.events.remove(&event.0);
    }

    /// Has a stream wait for an event, if one of them is captured: the stream joins the capture. The answer is false
    /// where neither is.
    pub fn wait(&mut self, stream: Stream, event: EventNumber) -> Result<bool, CudaError> {
        let captures = self.is_capturing(stream)?;
        let Some((number, nodes)) = self.events.get(&event.0).cloned() else {
            if let (true, Some(number)) = (captures, self.number_of(stream)) {
                self.invalidate(number);
                return Err(CudaError::STREAM_CAPTURE_ISOLATION);
            }
            return Ok(false);
        };
        if let Some(own) = self.number_of(stream).filter(|own| *own != number) {
            self.invalidate(own);
            self.invalidate(number);
            return Err(CudaError::STREAM_CAPTURE_MERGE);
        }
        let capture = self.active.get_mut(&number).ok_or(CudaError::INVALID_VALUE)?;
        if !capture.is_valid {
            return Err(CudaError::STREAM_CAPTURE_INVALIDATED);
        }
        capture.streams.entry(stream).or_default().extend(nodes);
        Ok(true)
    }

    /// Makes a node of work that is put into a stream which is captured.
    pub fn add_node(
        &mut self,
        graphs: &mut Graphs,
        stream: Stream,
        (work, call): (NodeWork, ApiCall),
    ) -> Result<usize, CudaError> {
        let number = self.number_of(stream).ok_or(CudaError::ILLEGAL_STATE)?;
        let capture = self.active.get_mut(&number).ok_or(CudaError::ILLEGAL_STATE)?;
        let after = capture.streams.get(&stream).cloned().unwrap_or_default();
        let node = graphs.add(capture.graph, Node::new(work, after, call))?;
        capture.streams.insert(stream, BTreeSet::from([node]));
        Ok(node)
    }

    /// Ends a capture in the stream that it began in, and gives its graph. A capture that is worth nothing
    /// ends all the same, and leaves no graph.
    pub fn end(&mut self, stream: Stream, graphs: &mut Graphs) -> Result<usize, CudaError> {
        let number = self.number_of(stream).ok_or(CudaError::ILLEGAL_STATE)?;
        let capture = self.active.get_mut(&number).ok_or(CudaError::ILLEGAL_STATE)?;
        if capture.origin != stream {
            capture.is_valid = false;
            return Err(CudaError::STREAM_CAPTURE_UNMATCHED);
        }
        let is_elsewhere = capture.mode != RELAXED && capture.thread != std::thread::current().id();
        let Some(capture) = self.active.remove(&number) else {
            return Err(CudaError::ILLEGAL_STATE);
        };
        self.events.retain(|_, (of, _)| *of != number);
        let joined = capture.streams.get(&stream).cloned().unwrap_or_default();
        let is_joined = |node: &usize| joined.iter().any(|last| graphs.is_before(*node, *last));
        let answer = if is_elsewhere {
            Err(CudaError::STREAM_CAPTURE_WRONG_THREAD)
        } else if !capture.is_valid {
            Err(CudaError::STREAM_CAPTURE_INVALIDATED)
        } else if !capture.streams.values().flatten().all(is_joined) {
            Err(CudaError::STREAM_CAPTURE_UNJOINED)
        } else {
            Ok(capture.graph)
        };
        if answer.is_err() && !capture.is_borrowed {
            graphs.destroy(capture.graph)?;
        }
        answer
    }
}

thread_local! {
    static MODE: std::cell::Cell<c_int> = const { std::cell::Cell::new(GLOBAL) };
}

/// Which captures this thread pays attention to.
fn thread_mode() -> c_int {
    MODE.get()
}

/// Changes which captures this thread pays attention to, and says what it was.
pub fn exchange_thread_mode(mode: c_int) -> Result<c_int, CudaError> {
    if !matches!(mode, GLOBAL | THREAD_LOCAL | RELAXED) {
        return Err(CudaError::INVALID_VALUE);
    }
    Ok(MODE.replace(mode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    const ONE: Stream = Stream::Blocking(1);
    const TWO: Stream = Stream::NonBlocking(2);
    const EVENT: EventNumber = EventNumber(5);

    fn captured(captures: &mut Captures, graphs: &mut Graphs, stream: Stream) {
        let graph = graphs.create();
        captures.begin(stream, (graph, false), BTreeSet::new(), GLOBAL).expect("begun");
    }

    fn add(captures: &mut Captures, graphs: &mut Graphs, stream: Stream) -> usize {
        let call = ApiCall { name: String::new(), frames: Arc::new(Vec::new) };
        captures.add_node(graphs, stream, (NodeWork::Empty, call)).expect("a node")
    }

    #[test]
    fn streams_join_through_events_and_have_to_be_joined() {
        let (mut captures, mut graphs) = (Captures::default(), Graphs::default());
        captured(&mut captures, &mut graphs, ONE);
        let first = add(&mut captures, &mut graphs, ONE);
        assert_eq!(captures.record(EVENT, ONE), Ok(true));
        assert_eq!(captures.wait(TWO, EVENT), Ok(true));
        let second = add(&mut captures, &mut graphs, TWO);
        assert_eq!(captures.record(EVENT, TWO), Ok(true));
        assert_eq!(captures.wait(ONE, EVENT), Ok(true));
        let graph = captures.end(ONE, &mut graphs).expect("a graph");
        assert_eq!(graphs.edges(graph), Ok(vec![(first, second)]));
        assert_eq!(captures.status(TWO), Status::None);

        captured(&mut captures, &mut graphs, ONE);
        captures.record(EVENT, ONE).expect("recorded");
        captures.wait(TWO, EVENT).expect("joined");
        add(&mut captures, &mut graphs, TWO);
        let ended = captures.end(ONE, &mut graphs);
        assert_eq!(ended, Err(CudaError::STREAM_CAPTURE_UNJOINED));
    }

    #[test]
    fn waiting_for_a_capture_spoils_it() {
        let (mut captures, mut graphs) = (Captures::default(), Graphs::default());
        captured(&mut captures, &mut graphs, ONE);
        assert_eq!(captures.status(ONE), Status::Active);
        let refused = captures.check_wait(Wait::Stream(ONE));
        assert_eq!(refused, Err(CudaError::STREAM_CAPTURE_UNSUPPORTED));
        assert_eq!(captures.status(ONE), Status::Invalidated);
        assert_eq!(captures.is_capturing(ONE), Err(CudaError::STREAM_CAPTURE_INVALIDATED));
        let ended = captures.end(ONE, &mut graphs);
        assert_eq!(ended, Err(CudaError::STREAM_CAPTURE_INVALIDATED));
        assert_eq!(captures.end(ONE, &mut graphs), Err(CudaError::ILLEGAL_STATE));
    }

    #[test]
    fn the_default_stream_cannot_be_captured_nor_wait_for_a_capture() {
        let (mut captures, mut graphs) = (Captures::default(), Graphs::default());
        let graph = graphs.create();
        let begun = captures.begin(Stream::Legacy, (graph, false), BTreeSet::new(), GLOBAL);
        assert_eq!(begun, Err(CudaError::STREAM_CAPTURE_UNSUPPORTED));
        captured(&mut captures, &mut graphs, TWO);
        assert_eq!(captures.is_capturing(Stream::Legacy), Ok(false));
        captured(&mut captures, &mut graphs, ONE);
        assert_eq!(captures.is_capturing(Stream::Legacy), Err(CudaError::STREAM_CAPTURE_IMPLICIT));
        assert_eq!(captures.status(ONE), Status::Invalidated);
        assert_eq!(captures.status(TWO), Status::Active);
    }

    #[test]
    fn work_that_is_not_captured_cannot_be_waited_for() {
        let (mut captures, mut graphs) = (Captures::default(), Graphs::default());
        assert_eq!(captures.wait(ONE, EVENT), Ok(false));
        captured(&mut captures, &mut graphs, ONE);
        assert_eq!(captures.wait(ONE, EVENT), Err(CudaError::STREAM_CAPTURE_ISOLATION));
        captured(&mut captures, &mut graphs, TWO);
        assert_eq!(captures.check_wait(Wait::Event(EVENT)), Ok(()));
        captures.record(EVENT, TWO).expect("recorded");
        assert_eq!(captures.check_wait(Wait::Event(EVENT)), Err(CudaError::CAPTURED_EVENT));
    }
}
