//! Turns of the host's threads.
//!
//! Every thread has a count of its turns. A thread that wants a turn gets it when no other thread could still want an
//! earlier one: when each of them has done more turns (or as many, and has the higher number), waits for something that
//! another thread has to do, or has ended. So the order of turns depends on the program alone.
//!
//! A thread may be slow, or wait for something that cannot be seen: an atomic, a file. Others wait for it for some time,
//! longer if it runs than if it sleeps, and then go on without it until it wants a turn again. The next time, nobody waits
//! for so long, so that a program that synchronises unseen loses little time. Only then does the order of turns depend
//! on time.
//!
//! A call that waits for the device comes behind what others can still do meanwhile: so work that nothing orders
//! is in flight together, and can be seen not to be ordered.

use super::clock::{HostClock, HostThread, Moment};
use super::objects::{Object, Objects};
use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use warpsan_simt::{HostAccess, advance_host_time};

/// So many turns of others come before a call that waits for the device.
const TURNS_BEFORE_A_WAIT: u64 = 64;
/// A thread that has synchronised so often without a call of CUDA does not wait for its turns any more.
const MOST_WITHOUT_A_CALL: u32 = 256;
/// How often others look at a thread that runs, and at one that sleeps, before they go on without it. Each time it was too
/// often, this halves for all. Looks are counted, not time: a machine that stands still for a while has no threads that are slow.
const LOOKS_WHILE_RUNNING: u32 = 100;
const LOOKS_WHILE_SLEEPING: u32 = 10;
const MOST_HALVINGS: u32 = 5;
/// So many moments of a thread are remembered at most.
const MOST_SEGMENTS: usize = 1 << 12;
/// How often a thread that waits looks whether it still has to.
const LOOK: Duration = Duration::from_millis(20);

/// What a turn is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Threads synchronise.
    Synchronise,
    /// A call of CUDA.
    Call,
    /// A call of CUDA that waits for the device.
    WaitForDevice,
}

/// What a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Code of the program, between two turns.
    Computing,
    /// It wants a turn.
    Ready(Operation),
    /// It has the turn.
    Holding,
    /// It waits until another thread wakes it.
    Blocked(Object),
    /// Nobody waits for it.
    Away,
    Ended,
}

struct Thread {
    number: HostThread,
    state: State,
    /// When somebody whom it keeps waiting has last looked at it, and how often since it came into its state.
    looked: Instant,
    looks: u32,
    /// How often it was asleep, one time after another.
    sleeps: u32,
    /// How many turns it has had.
    turns: u64,
    clock: Arc<HostClock>,
    /// It has called CUDA.
    has_called: bool,
    /// How often it has synchronised since.
    without_a_call: u32,
    /// The number that the system gave it.
    system_number: u64,
    /// What it waits for, and its place among those who wait.
    waits_for: Option<Object>,
    place: u64,
    /// Somebody wants it to end.
    is_cancelled: bool,
    wakes: Arc<Condvar>,
    /// What it knew between its turns, in order; the last one is now.
    segments: VecDeque<Segment>,
}

/// The time of a thread between two turns.
struct Segment {
    begin: u64,
    /// How much work was asked for when it began.
    asked_for: u64,
    clock: Arc<HostClock>,
}

impl Thread {
    /// It has synchronised: what it does from now on is at another moment.
    fn begin_segment(&mut self) {
        let (begin, asked_for) = advance_host_time();
        self.segments.push_back(Segment { begin, asked_for, clock: Arc::clone(&self.clock) });
        // Where nobody asks, nobody forgets.
        if self.segments.len() > MOST_SEGMENTS {
            self.segments.pop_front();
        }
    }

    fn forget_before(&mut self, time: u64) {
        while self.segments.get(1).is_some_and(|next| next.begin <= time) {
            self.segments.pop_front();
        }
    }

    fn set(&mut self, state: State) {
        if self.state != State::Ended {
            self.state = state;
            (self.looked, self.looks, self.sleeps) = (Instant::now(), 0, 0);
        }
    }

    /// The lower, the earlier its next turn.
    fn key(&self) -> (u64, HostThread) {
        let behind = match self.state {
            State::Ready(Operation::WaitForDevice) => TURNS_BEFORE_A_WAIT,
            _ => 0,
        };
        (self.turns + behind, self.number)
    }

    /// Others wait until it wants a turn.
    fn is_waited_for(&self) -> bool {
        matches!(self.state, State::Computing | State::Ready(_) | State::Holding)
    }
}

#[derive(Default)]
struct Turns {
    threads: Vec<Thread>,
    /// Who has the turn.
    holder: Option<HostThread>,
    objects: Objects,
    /// The threads of the program, by what `pthread_create` called them.
    handles: HashMap<usize, HostThread>,
    next_place: u64,
    /// The thread that runs functions of the host, and how many it was asked to run.
    function_thread: Option<HostThread>,
    functions: u32,
    /// How often a thread was not waited for any longer.
    halvings: u32,
}

static TURNS: LazyLock<Mutex<Turns>> = LazyLock::new(Mutex::default);

/// The process uses CUDA, or is about to.
static IS_NEAR: AtomicBool = AtomicBool::new(false);
/// There are several threads, and they take turns.
static IS_ON: AtomicBool = AtomicBool::new(false);
/// This process was forked from one with threads.
static IS_CHILD: AtomicBool = AtomicBool::new(false);
/// Threads that were made before that.
static MADE_BEFORE: AtomicU32 = AtomicU32::new(0);

/// No thread.
const NOBODY: u32 = u32::MAX;

thread_local! {
    static NUMBER: Cell<u32> = const { Cell::new(NOBODY) };
    /// This thread does something of ours, and what it calls does not concern the program.
    static IS_OWN: Cell<bool> = const { Cell::new(false) };
}

fn lock() -> MutexGuard<'static, Turns> {
    TURNS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A handler of a signal that interrupts this must not want a turn.
fn with<T>(body: impl FnOnce(&mut Turns) -> T) -> T {
    own(|| body(&mut lock()))
}

/// The process uses CUDA, or carries code for it.
pub fn cuda_is_near() {
    if !IS_CHILD.load(Ordering::Relaxed)
        && !IS_NEAR.load(Ordering::Relaxed)
        && !IS_NEAR.swap(true, Ordering::AcqRel)
        && MADE_BEFORE.load(Ordering::Acquire) > 0
    {
        IS_ON.store(true, Ordering::Release);
    }
}

/// A forked child has one thread, and nobody whom it could wait for.
pub fn forget_in_child() {
    IS_ON.store(false, Ordering::Release);
    IS_NEAR.store(false, Ordering::Release);
    IS_CHILD.store(true, Ordering::Release);
}

/// So many threads will meet at a barrier.
pub fn set_meeting(address: usize, wanted: u32) {
    // Threads may be at an older barrier natively, which is not known then.
    if IS_NEAR.load(Ordering::Acquire) {
        with(|turns| turns.objects.set_meeting(address, wanted));
    }
}

/// Whether processes share a condition variable.
pub fn set_shared(address: usize, is_shared: bool) {
    // A lock may be held for ever in a child, which takes no turns.
    if !IS_CHILD.load(Ordering::Acquire) {
        with(|turns| turns.objects.set_shared(address, is_shared));
    }
}

/// Whether processes share a condition variable, as far as is known.
pub fn is_shared(address: usize) -> bool {
    with(|turns| turns.objects.is_shared(address))
}

/// The thread that runs this is one of ours.
pub fn set_own_thread() {
    IS_OWN.set(true);
}

/// Waits for something that is not seen: nobody waits for this thread meanwhile.
pub fn while_away<T>(body: impl FnOnce() -> T) -> T {
    let number = number_of().filter(|_| takes_part());
    let Some(number) = number else { return body() };
    let was_computing = with(|turns| {
        let was_computing = turns.thread(number).state == State::Computing;
        if was_computing {
            turns.thread(number).set(State::Away);
            turns.wake_next();
        }
        was_computing
    });
    let answer = body();
    if was_computing {
        with(|turns| turns.come_back(number));
    }
    answer
}

/// Does something of ours on this thread: what it calls does not concern the program.
pub(crate) fn own<T>(body: impl FnOnce() -> T) -> T {
    let _own = Own(IS_OWN.replace(true));
    body()
}

/// Ends when something of ours ends, or something of the program.
struct Own(bool);

impl Drop for Own {
    fn drop(&mut self) {
        IS_OWN.set(self.0);
    }
}

/// Whether this thread does something of ours.
pub fn is_own() -> bool {
    IS_OWN.get()
}

/// Whether threads take turns.
pub(crate) fn take_turns() -> bool {
    IS_ON.load(Ordering::Acquire)
}

/// Whether threads take turns, and this is one of the program.
fn takes_part() -> bool {
    IS_ON.load(Ordering::Acquire) && !IS_OWN.get()
}

/// The moment of this thread.
pub(crate) fn moment() -> Moment {
    match (IS_ON.load(Ordering::Acquire), NUMBER.get()) {
        (false, _) | (_, NOBODY) => Moment::default(),
        (true, number) => with(|turns| turns.moment(HostThread(number))),
    }
}

/// When a thread did something, and whether all that it did at that moment is known by now.
pub(crate) struct Deed {
    /// The moment.
    pub(crate) moment: Moment,
    /// When it began, and how much work was asked for by then. The same for all that the thread did at that moment.
    pub(crate) begin: u64,
    pub(crate) asked_for: u64,
    /// The thread has had a turn since, or will not be waited for: nothing more can come. What the caller itself did is
    /// complete, too.
    pub(crate) is_complete: bool,
}

/// When a thread did something, by the number that the system gave it and the time of an access.
pub(crate) fn deed_of(access: &HostAccess) -> Deed {
    let HostAccess { thread: system_number, time, asked_for, .. } = *access;
    let unknown = || Deed { moment: Moment::default(), begin: 0, asked_for, is_complete: true };
    if !IS_ON.load(Ordering::Acquire) {
        return unknown();
    }
    with(|turns| {
        let thread = turns.threads.iter().rfind(|thread| thread.system_number == system_number);
        let Some(thread) = thread else { return unknown() };
        let later = thread.segments.iter().position(|segment| segment.begin > time);
        let segment = later.unwrap_or(thread.segments.len()).saturating_sub(1);
        let Some(segment) = thread.segments.get(segment) else { return unknown() };
        let is_over = matches!(thread.state, State::Away | State::Ended);
        Deed {
            moment: Moment { thread: thread.number, clock: Arc::clone(&segment.clock) },
            begin: segment.begin,
            asked_for: segment.asked_for,
            is_complete: later.is_some() || is_over || Some(thread.number) == number_of(),
        }
    })
}

/// Nobody will ask what threads knew before this time.
pub(crate) fn forget_before(time: u64) {
    if IS_ON.load(Ordering::Acquire) {
        with(|turns| turns.threads.iter_mut().for_each(|thread| thread.forget_before(time)));
    }
}

/// The threads that use devices, or may be about to.
pub(crate) fn callers() -> Vec<Moment> {
    if !IS_ON.load(Ordering::Acquire) {
        return Vec::new();
    }
    let is_caller = |thread: &&Thread| match thread.state {
        State::Ended => false,
        State::Away => thread.has_called,
        _ => true,
    };
    with(|turns| {
        let callers = turns.threads.iter().filter(is_caller);
        callers.map(|thread| turns.moment(thread.number)).collect()
    })
}

impl Turns {
    fn thread(&mut self, number: HostThread) -> &mut Thread {
        // Numbers are given out by `add`, in order.
        &mut self.threads[number.0 as usize]
    }

    fn moment(&self, number: HostThread) -> Moment {
        let clock = self.threads.get(number.0 as usize).map(|thread| Arc::clone(&thread.clock));
        Moment { thread: number, clock: clock.unwrap_or_default() }
    }

    fn add(&mut self, mut clock: HostClock, turns: u64) -> HostThread {
        let number = HostThread(self.threads.len() as u32);
        clock.advance(number);
        self.threads.push(Thread {
            number,
            state: State::Computing,
            looked: Instant::now(),
            looks: 0,
            sleeps: 0,
            turns,
            clock: Arc::new(clock),
            has_called: false,
            without_a_call: 0,
            system_number: 0,
            waits_for: None,
            place: 0,
            is_cancelled: false,
            wakes: Arc::default(),
            segments: VecDeque::new(),
        });
        number
    }

    /// The number of the thread that runs this. One that nobody has seen before is after all that was seen.
    fn enter(&mut self) -> HostThread {
        if NUMBER.get() == NOBODY {
            let mut clock = HostClock::of_first();
            self.threads.iter().for_each(|thread| clock.join(&thread.clock));
            let turns = self.threads.iter().map(|thread| thread.turns).max();
            let number = self.add(clock, turns.unwrap_or(0));
            self.begin(number);
        }
        HostThread(NUMBER.get())
    }

    /// The thread that runs this has a number.
    fn begin(&mut self, number: HostThread) {
        NUMBER.set(number.0);
        let thread = self.thread(number);
        thread.system_number = nix::unistd::gettid().as_raw() as u64;
        thread.begin_segment();
    }

    /// What a thread does from now on is not known to those who know what it did so far.
    fn advance(&mut self, number: HostThread) {
        Arc::make_mut(&mut self.thread(number).clock).advance(number);
    }

    /// A thread that nobody has waited for is waited for again. It does not come before what others do now.
    fn come_back(&mut self, number: HostThread) {
        let slowest = self.threads.iter().filter(|thread| thread.is_waited_for());
        let slowest = slowest.map(|thread| thread.turns).min();
        let thread = self.thread(number);
        if thread.state == State::Away {
            thread.turns = thread.turns.max(slowest.unwrap_or(0));
            thread.set(State::Computing);
        }
    }

    /// Who has the next turn, once it wants it.
    fn next(&self) -> Option<&Thread> {
        let waited_for = self.threads.iter().filter(|thread| thread.is_waited_for());
        waited_for.min_by_key(|thread| thread.key())
    }

    /// Wakes who has the next turn, if it wants it already.
    fn wake_next(&self) {
        if self.holder.is_none()
            && let Some(thread) = self.next()
            && matches!(thread.state, State::Ready(_))
        {
            thread.wakes.notify_all();
        }
    }

    /// Nobody waits any longer for those who keep a thread waiting for too long.
    fn lose_patience(&mut self, waiting: HostThread) {
        let key = self.thread(waiting).key();
        let now = Instant::now();
        let halvings = self.halvings;
        let mut lost = 0;
        for thread in &mut self.threads {
            let keeps_waiting = match thread.state {
                State::Computing => thread.key() < key,
                State::Holding => true,
                _ => false,
            };
            if !keeps_waiting || now.duration_since(thread.looked) < LOOK / 2 {
                continue;
            }
            (thread.looked, thread.looks) = (now, thread.looks + 1);
            thread.sleeps = if is_sleeping(thread.system_number) { thread.sleeps + 1 } else { 0 };
            let is_enough = |count: u32, most: u32| count >= (most >> halvings).max(1);
            if is_enough(thread.looks, LOOKS_WHILE_RUNNING)
                || is_enough(thread.sleeps, LOOKS_WHILE_SLEEPING)
            {
                thread.set(State::Away);
                lost += 1;
            }
        }
        self.halvings = MOST_HALVINGS.min(self.halvings + u32::from(lost > 0));
        if self.holder.is_some_and(|holder| self.thread(holder).state != State::Holding) {
            self.holder = None;
        }
        self.wake_next();
    }
}

/// Whether a thread waits for something in the system.
fn is_sleeping(system_number: u64) -> bool {
    let file = format!("/proc/self/task/{system_number}/stat");
    let Ok(text) = own(|| std::fs::read_to_string(file)) else { return false };
    // The name may have blanks and brackets in it.
    let state = text.rsplit_once(')').map(|(_, rest)| rest.trim_start());
    state.is_some_and(|state| state.starts_with(['S', 'D']))
}

/// A turn. It ends when this is dropped.
#[must_use]
pub struct Turn {
    thread: HostThread,
}

/// Takes the turn of this thread. Nothing where threads take no turns.
pub fn take_turn(operation: Operation) -> Option<Turn> {
    if !takes_part() {
        return None;
    }
    Some(own(|| {
        let mut turns = lock();
        let thread = turns.enter();
        drop(wait_for_turn(turns, thread, operation));
        Turn { thread }
    }))
}

fn wait_for_turn(
    mut turns: MutexGuard<'static, Turns>,
    number: HostThread,
    operation: Operation,
) -> MutexGuard<'static, Turns> {
    let thread = turns.thread(number);
    if operation == Operation::Synchronise {
        thread.without_a_call = thread.without_a_call.saturating_add(1);
        if thread.without_a_call > MOST_WITHOUT_A_CALL {
            thread.set(State::Away);
            turns.wake_next();
            return turns;
        }
    } else {
        thread.has_called = true;
        thread.without_a_call = 0;
    }
    turns.come_back(number);
    let thread = turns.thread(number);
    thread.set(State::Ready(operation));
    let wakes = Arc::clone(&thread.wakes);
    loop {
        let is_next = turns.next().is_some_and(|next| next.number == number);
        if turns.holder.is_none() && is_next {
            turns.holder = Some(number);
            turns.thread(number).set(State::Holding);
            return turns;
        }
        turns.wake_next();
        let (guard, waited) =
            wakes.wait_timeout(turns, LOOK).unwrap_or_else(PoisonError::into_inner);
        turns = guard;
        if waited.timed_out() {
            turns.lose_patience(number);
        }
    }
}

/// Why a thread that was blocked goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocked {
    /// Another thread has woken it.
    Woken,
    /// Some time has passed: what it waits for may have happened unseen.
    LookAgain,
    /// Somebody wants the thread to end.
    Cancelled,
}

impl Turn {
    /// Waits until another thread wakes those who wait for an object, and takes the next turn then. Others have their turns
    /// meanwhile. After some time, the thread looks again; it keeps its place among those who wait.
    pub fn block(&mut self, object: Object, look_after: Duration) -> Blocked {
        own(|| {
            let mut turns = lock();
            let place = turns.next_place;
            turns.next_place += 1;
            let thread = turns.thread(self.thread);
            if thread.waits_for != Some(object) {
                (thread.waits_for, thread.place) = (Some(object), place);
            }
            let wakes = Arc::clone(&thread.wakes);
            self.leave(&mut turns, State::Blocked(object));
            turns.wake_next();
            let start = Instant::now();
            let why = loop {
                let thread = turns.thread(self.thread);
                if thread.state != State::Blocked(object) {
                    break Blocked::Woken;
                }
                if thread.is_cancelled {
                    break Blocked::Cancelled;
                }
                let Some(left) = look_after.checked_sub(start.elapsed()) else {
                    break Blocked::LookAgain;
                };
                turns = wakes.wait_timeout(turns, left).unwrap_or_else(PoisonError::into_inner).0;
            };
            if why == Blocked::Woken {
                turns.thread(self.thread).waits_for = None;
            }
            self.again(turns);
            why
        })
    }

    /// Does something outside of turns that may wait for what others do.
    pub fn outside<T>(&mut self, body: impl FnOnce() -> T) -> T {
        own(|| {
            let mut turns = lock();
            self.leave(&mut turns, State::Away);
            turns.wake_next();
        });
        let answer = body();
        own(|| self.again(lock()));
        answer
    }

    fn leave(&self, turns: &mut Turns, state: State) {
        turns.thread(self.thread).set(state);
        if turns.holder == Some(self.thread) {
            turns.holder = None;
        }
    }

    fn again(&self, mut turns: MutexGuard<'static, Turns>) {
        let thread = turns.thread(self.thread);
        // This is no further operation of the thread's.
        thread.without_a_call = thread.without_a_call.saturating_sub(1);
        drop(wait_for_turn(turns, self.thread, Operation::Synchronise));
    }

    /// Wakes threads that wait for an object: the first of them, or all.
    pub fn wake(&self, object: Object, all: bool) {
        with(|turns| {
            let after = turns.thread(self.thread).turns + 1;
            loop {
                let is_blocked = |thread: &&mut Thread| thread.state == State::Blocked(object);
                let blocked = turns.threads.iter_mut().filter(is_blocked);
                let Some(thread) = blocked.min_by_key(|thread| thread.place) else { break };
                thread.turns = thread.turns.max(after);
                thread.set(State::Ready(Operation::Synchronise));
                thread.wakes.notify_all();
                if !all {
                    break;
                }
            }
        });
    }

    /// Whoever acquires the object next knows what this thread knows.
    pub fn release(&self, object: Object) {
        with(|turns| {
            let clock = Arc::clone(&turns.thread(self.thread).clock);
            turns.objects.hand_over(object, &clock);
            turns.advance(self.thread);
        });
    }

    /// This thread knows what was handed over by the object.
    pub fn acquire(&self, object: Object) {
        with(|turns| {
            let Some(clock) = turns.objects.handed_over(object).cloned() else { return };
            Arc::make_mut(&mut turns.thread(self.thread).clock).join(&clock);
        });
    }

    /// This thread holds a lock now, or does not any more.
    pub fn set_held(&self, object: Object, is_held: bool) {
        with(|turns| turns.objects.set_holder(object, is_held.then_some(self.thread)));
    }

    /// Whether this thread holds a lock.
    pub fn holds(&self, object: Object) -> bool {
        with(|turns| turns.objects.holder(object) == Some(self.thread))
    }

    /// Whether another thread holds a lock.
    pub fn is_held_by_another(&self, object: Object) -> bool {
        with(|turns| turns.objects.holder(object).is_some_and(|holder| holder != self.thread))
    }

    /// An object is gone.
    pub fn forget(&self, object: Object) {
        with(|turns| turns.objects.forget(object));
    }

    /// This thread comes to a barrier. Whether it is the last one, if anything is known of the barrier.
    pub fn meet(&self, address: usize) -> Option<bool> {
        with(|turns| {
            let clock = Arc::clone(&turns.thread(self.thread).clock);
            let meeting = turns.objects.meeting(address)?;
            meeting.arrived += 1;
            meeting.gathered.join(&clock);
            let is_last = meeting.arrived >= meeting.wanted;
            if is_last {
                meeting.arrived = 0;
                let gathered = std::mem::take(&mut meeting.gathered);
                turns.objects.hand_over(Object::Barrier(address), &gathered);
            }
            turns.advance(self.thread);
            Some(is_last)
        })
    }

    /// A thread of the program is about to be made.
    pub fn make_thread(&self) -> NewThread {
        with(|turns| {
            let parent = turns.thread(self.thread);
            let (clock, after) = (HostClock::clone(&parent.clock), parent.turns + 1);
            turns.advance(self.thread);
            NewThread(turns.add(clock, after))
        })
    }

    /// A thread was made, and this is what the program calls it; or it could not be made.
    pub fn thread_made(&self, thread: NewThread, handle: Option<usize>) {
        with(|turns| match handle {
            Some(handle) => {
                turns.handles.insert(handle, thread.0);
            }
            None => turns.thread(thread.0).set(State::Ended),
        });
    }

    /// The thread that the program calls so.
    pub fn thread_called(&self, handle: usize) -> Option<HostThread> {
        with(|turns| turns.handles.get(&handle).copied())
    }

    /// Whether a thread has ended.
    pub fn has_ended(&self, thread: HostThread) -> bool {
        with(|turns| turns.thread(thread).state == State::Ended)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        with(|turns| {
            let was_holding = turns.holder == Some(self.thread);
            if was_holding {
                turns.holder = None;
            }
            let thread = turns.thread(self.thread);
            thread.turns += 1;
            thread.waits_for = None;
            thread.begin_segment();
            if was_holding {
                thread.set(State::Computing);
            }
            turns.wake_next();
        });
    }
}

/// The call of CUDA that has the turn waits for the device: others go first who do not.
pub(crate) fn pass_to_others() {
    with_own_turn(|turn| {
        own(|| {
            let mut turns = lock();
            turn.leave(&mut turns, State::Computing);
            turns.thread(turn.thread).turns += 1;
            drop(wait_for_turn(turns, turn.thread, Operation::WaitForDevice));
        });
    });
}

/// The call of CUDA that has the turn waits for a function of the host.
pub(crate) fn block_until_function_ends() {
    if with_own_turn(|turn| turn.block(Object::Function, LOOK)).is_none() {
        std::thread::sleep(LOOK / 20);
    }
}

/// Does something with the turn that this thread has, if it has one.
fn with_own_turn<T>(body: impl FnOnce(&mut Turn) -> T) -> Option<T> {
    let thread = number_of().filter(|_| IS_ON.load(Ordering::Acquire))?;
    let mut turn = ManuallyDrop::new(Turn { thread });
    Some(body(&mut turn))
}

/// A thread that is being made.
#[derive(Debug, Clone, Copy)]
pub struct NewThread(HostThread);

impl NewThread {
    /// The thread runs.
    pub fn begin(self) {
        own(|| lock().begin(self.0));
    }

    /// A thread is made before threads take turns. If the process uses CUDA, they do from now on.
    pub fn before_turns() {
        MADE_BEFORE.fetch_add(1, Ordering::AcqRel);
        if IS_NEAR.load(Ordering::Acquire) && !IS_OWN.get() {
            IS_ON.store(true, Ordering::Release);
        }
    }
}

/// The number of the thread that runs this, if it has one.
fn number_of() -> Option<HostThread> {
    match NUMBER.get() {
        NOBODY => None,
        number => Some(HostThread(number)),
    }
}

/// The thread that runs this has done all that the program wants of it.
pub fn end_thread() {
    let Some(number) = number_of() else { return };
    if let Some(turn) = take_turn(Operation::Synchronise) {
        turn.release(Object::End(number));
        turn.wake(Object::End(number), true);
        with(|turns| turn.leave(turns, State::Ended));
    }
}

/// Somebody wants a thread to end.
pub fn cancel(handle: usize) {
    if !takes_part() {
        return;
    }
    with(|turns| {
        if let Some(number) = turns.handles.get(&handle).copied() {
            let thread = turns.thread(number);
            thread.is_cancelled = true;
            thread.wakes.notify_all();
        }
    });
}

/// A function of the host is about to be called, by the thread that is for that. It takes turns like others, while it runs
/// functions.
pub(crate) fn announce_function() {
    let Some(caller) = number_of().filter(|_| IS_ON.load(Ordering::Acquire)) else { return };
    with(|turns| {
        let after = turns.thread(caller).turns + 1;
        let number = match turns.function_thread {
            Some(number) => number,
            None => turns.add(HostClock::of_first(), after),
        };
        turns.function_thread = Some(number);
        turns.functions += 1;
        let clock = Arc::clone(&turns.thread(caller).clock);
        let thread = turns.thread(number);
        if thread.state != State::Computing || thread.turns < after {
            thread.turns = thread.turns.max(after);
            thread.set(State::Computing);
        }
        Arc::make_mut(&mut thread.clock).join(&clock);
    });
}

/// Runs a function of the program on this thread, which is one of ours, and then what has to be done in its last turn.
pub(crate) fn run_function<T>(function: impl FnOnce(), at_its_end: impl FnOnce() -> T) -> T {
    let is_announced =
        with(|turns| turns.function_thread.map(|number| turns.begin(number)).is_some());
    {
        let _own = Own(IS_OWN.replace(false));
        function();
    }
    let turn = is_announced.then(|| {
        let _own = Own(IS_OWN.replace(false));
        take_turn(Operation::Call)
    });
    let answer = at_its_end();
    if let Some(turn) = turn.flatten() {
        turn.wake(Object::Function, true);
        with(|turns| {
            turns.functions = turns.functions.saturating_sub(1);
            let state = if turns.functions == 0 { State::Away } else { State::Computing };
            turn.leave(turns, state);
        });
    }
    answer
}
