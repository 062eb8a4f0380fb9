//! A thread of the program, as we know it.

use std::sync::Arc;
use std::sync::atomic::{Ordering, compiler_fence};

use warpsan_thread_detect::{Checker, Conflict, Known, KnownPair, NewThread, Span, ThreadState};
use warpsan_thread_report::SideAccess;
use warpsan_thread_trace::Action;

use crate::active_tool::ActiveTool;
use crate::context::Context;
use crate::current::{current_word, set_current_word};
use crate::function::LibraryFunction;
use crate::handlers::PendingSignals;
use crate::history::{Access, Circumstances, History};
use crate::locks::HeldLocks;
use crate::registry::{Beginning, ThreadInfo};
use crate::runtime::{Runtime, runtime};
use crate::shadow_stack::ShadowStack;
use crate::system;

/// All that one thread has. Only the thread itself uses it.
pub(crate) struct Thread {
    pub(crate) state: ThreadState<ActiveTool>,
    pub(crate) checker: &'static Checker<ActiveTool>,
    pub(crate) runtime: &'static Runtime,
    pub(crate) stack: ShadowStack,
    /// None: there was no memory for one.
    pub(crate) history: Option<History>,
    pub(crate) locks: HeldLocks,
    pub(crate) info: Arc<ThreadInfo>,
    /// How many of our functions the thread is in. While it is in one, handlers of signals wait, and nobody forks.
    pub(crate) inside: u32,
    /// Accesses are not looked at while this is not zero: the program asked for it.
    pub(crate) ignored: u32,
    /// Synchronisation is not looked at while this is not zero.
    pub(crate) ignored_order: u32,
    pub(crate) pending: PendingSignals,
    /// Routines that the C library was given to run once, with what they belong to.
    pub(crate) once_routines: Vec<(extern "C-unwind" fn(), u64)>,
    /// How often the destructor of the thread's key was put off.
    pub(crate) end_put_off: u32,
}

/// The state of the calling thread; null if it has none.
#[inline(always)]
pub(crate) fn current() -> *mut Thread {
    current_word().cast()
}

/// Sets the state of the calling thread.
pub(crate) fn set_current(thread: *mut Thread) {
    set_current_word(thread.cast());
}

/// The calling thread; one that we did not see start is taken in now. None: the process is not checked, or the thread is
/// within our own code.
#[inline]
pub(crate) fn entered() -> Option<Entered> {
    let thread = current();
    if thread.is_null() {
        return take_in();
    }
    // SAFETY: it is this thread's own.
    let inside = unsafe { &mut (*thread).inside };
    if *inside > 0 {
        return None;
    }
    *inside = 1;
    Some(Entered::new(thread))
}

/// The calling thread, if it is one that we know. None also where [`entered`] gives none.
#[inline]
pub(crate) fn entered_if_known() -> Option<Entered> {
    if current().is_null() { None } else { entered() }
}

/// The right to work for the calling thread: it is inside of our code until this is dropped.
pub(crate) struct Entered {
    thread: *mut Thread,
}

impl Entered {
    #[inline]
    fn new(thread: *mut Thread) -> Entered {
        compiler_fence(Ordering::SeqCst);
        // SAFETY: the thread's own.
        let runtime = unsafe { (*thread).runtime };
        if runtime.fork_gate.is_closed() {
            wait_for_fork(thread);
        }
        Entered { thread }
    }
}

#[cold]
fn wait_for_fork(thread: *mut Thread) {
    // SAFETY: the thread's own.
    unsafe {
        while (*thread).runtime.fork_gate.is_closed() {
            (*thread).inside = 0;
            (*thread).runtime.fork_gate.wait();
            (*thread).inside = 1;
            compiler_fence(Ordering::SeqCst);
        }
    }
}

impl std::ops::Deref for Entered {
    type Target = Thread;

    #[inline]
    fn deref(&self) -> &Thread {
        // SAFETY: only this thread uses it, and it is inside once.
        unsafe { &*self.thread }
    }
}

impl std::ops::DerefMut for Entered {
    #[inline]
    fn deref_mut(&mut self) -> &mut Thread {
        // SAFETY: as above.
        unsafe { &mut *self.thread }
    }
}

impl Drop for Entered {
    #[inline]
    fn drop(&mut self) {
        compiler_fence(Ordering::SeqCst);
        // SAFETY: as above.
        unsafe {
            (*self.thread).inside = 0;
            if !(*self.thread).pending.is_empty() {
                let thread = &mut *self.thread;
                crate::handlers::deliver(&thread.pending, &raw mut thread.stack);
            }
        }
    }
}

/// Takes in a thread that we have not seen start.
#[cold]
#[inline(never)]
fn take_in() -> Option<Entered> {
    let runtime = runtime()?;
    if crate::end_hook::has_ended() {
        return None;
    }
    let mask = system::block_signals();
    let new = runtime.checker.threads().root().ok();
    let beginning = Beginning::unseen(runtime.registry.next_number());
    let begun = new.and_then(|new| begin(runtime, new, &beginning));
    system::restore_signals(mask);
    begun?;
    let mut thread = entered()?;
    thread.acquire_from(&runtime.foreign_threads);
    Some(thread)
}

/// The calling thread begins. Its signals are blocked: a handler that came before the thread has its state would give it another one,
/// and wait for locks that are held here.
pub(crate) fn begin(
    runtime: &'static Runtime,
    new: NewThread,
    beginning: &Beginning,
) -> Option<*mut Thread> {
    let thread = make(runtime, new, beginning)?;
    set_current(thread);
    crate::end_hook::call_at_end();
    Some(thread)
}

/// The state of a new thread, or of a fiber.
pub(crate) fn make(
    runtime: &'static Runtime,
    new: NewThread,
    beginning: &Beginning,
) -> Option<*mut Thread> {
    let state = runtime.checker.begin(new);
    let history = History::new(runtime.history, &runtime.storage);
    let info = runtime.registry.add(&state, history.as_ref(), beginning);
    let thread = Thread {
        state,
        checker: &runtime.checker,
        runtime,
        stack: ShadowStack::new()?,
        history,
        locks: HeldLocks::default(),
        info,
        inside: 0,
        ignored: 0,
        ignored_order: 0,
        pending: PendingSignals::new(),
        once_routines: Vec::new(),
        end_put_off: 0,
    };
    let info = Arc::clone(&thread.info);
    let thread = Box::into_raw(Box::new(thread));
    info.state.store(thread, Ordering::Relaxed);
    Some(thread)
}

impl Thread {
    /// What holds for an access now.
    #[inline]
    fn circumstances(&mut self) -> Circumstances {
        Circumstances {
            clock: self.state.epoch().clock(),
            calls: self.stack.context(),
            locks: self.locks.set(),
        }
    }

    /// The list of calls, with the place that calls us.
    pub(crate) fn calls_at(&mut self, site: u64) -> Context {
        self.stack.context().with(site)
    }

    /// A plain access that changes what is known of its location in a way that is known, and no race. False: another thread has come
    /// in between, and it is still to be compared.
    #[inline(always)]
    pub(crate) fn follow(
        &mut self,
        sort: SideAccess,
        span: Span,
        site: u64,
        known: Known<'_, ActiveTool>,
    ) -> bool {
        self.write_down(sort, span, site);
        self.checker.follow(&mut self.state, known)
    }

    /// The same for an access to parts of two words, of which one may be known already.
    #[inline(always)]
    pub(crate) fn follow_all(
        &mut self,
        sort: SideAccess,
        span: Span,
        site: u64,
        known: [Option<Known<'_, ActiveTool>>; 2],
    ) -> bool {
        self.write_down(sort, span, site);
        known.into_iter().flatten().all(|known| self.checker.follow(&mut self.state, known))
    }

    /// The same for an access to two words.
    #[inline(always)]
    pub(crate) fn follow_for_pair(
        &mut self,
        sort: SideAccess,
        span: Span,
        site: u64,
        known: KnownPair<'_, ActiveTool>,
    ) -> bool {
        self.write_down(sort, span, site);
        self.checker.follow_for_pair(&mut self.state, known)
    }

    /// Writes down an access of the program itself to at most two words.
    #[inline(always)]
    fn write_down(&mut self, sort: SideAccess, span: Span, site: u64) {
        let now = self.circumstances();
        if let Some(history) = &mut self.history {
            history.push_word(&mut self.locks, now, sort, span, site);
        }
    }

    /// A plain access of the program itself to at most a word, which changes what is known of its location.
    #[inline(always)]
    pub(crate) fn access_word(&mut self, sort: SideAccess, span: Span, site: u64) {
        if self.ignored > 0 {
            return;
        }
        self.trace(site, plain_action(sort, span));
        self.write_down(sort, span, site);
        let mut first: Option<(Span, Conflict)> = None;
        let mut found = |span: Span, conflict: Conflict| first = first.or(Some((span, conflict)));
        let Thread { state, checker, .. } = self;
        match sort {
            SideAccess::Read => checker.read_new(state, span, &mut found),
            _ => checker.write_new(state, span, &mut found),
        }
        if let Some((bytes, conflict)) = first {
            let access = Access { sort, span, site, function: LibraryFunction::NONE };
            crate::races::report(self, &access, bytes, conflict, 1);
        }
    }

    /// Nobody has accessed what is at these addresses now, and nothing there synchronises.
    pub(crate) fn begin_memory(&mut self, span: Span) {
        self.checker.reset(&mut self.state, span);
        self.runtime.forget(span.address, span.size);
        self.trace_nowhere(Action::Allocate(span));
    }

    /// An access that is to be compared and written down.
    pub(crate) fn access(&mut self, sort: SideAccess, span: Span, site: u64) {
        let function = LibraryFunction::NONE;
        self.record(&Access { sort, span, site, function });
    }

    /// An access that a function of the C library makes.
    pub(crate) fn access_by(
        &mut self,
        function: LibraryFunction,
        sort: SideAccess,
        span: Span,
        site: u64,
    ) {
        if span.size > 0 {
            self.record(&Access { sort, span, site, function });
        }
    }

    /// Writes an access down, and compares it with earlier ones.
    fn record(&mut self, access: &Access) {
        if self.ignored > 0 {
            return;
        }
        let now = self.circumstances();
        let is_atomic = matches!(access.sort, SideAccess::AtomicRead | SideAccess::AtomicWrite);
        // Who carries out an atomic operation knows more of it than this.
        if !is_atomic {
            self.trace(access.site, plain_action(access.sort, access.span));
        }
        match &mut self.history {
            Some(history) if is_atomic => history.push_atomic(&mut self.locks, now, access),
            Some(history) => history.push(&mut self.locks, now, access),
            None => {}
        }
        let mut first: Option<(Span, Conflict)> = None;
        let mut count = 0;
        let mut found = |span: Span, conflict: Conflict| {
            count += 1;
            first.get_or_insert((span, conflict));
        };
        let Thread { state, checker, .. } = self;
        match access.sort {
            SideAccess::Read | SideAccess::VptrRead => {
                checker.read(state, access.span, &mut found);
            }
            SideAccess::Write | SideAccess::VptrWrite => {
                checker.write(state, access.span, &mut found);
            }
            SideAccess::Free => checker.free(state, access.span, &mut found),
            SideAccess::AtomicRead => checker.atomic_read(state, access.span, &mut found),
            SideAccess::AtomicWrite => checker.atomic_write(state, access.span, &mut found),
        }
        if let Some((span, conflict)) = first {
            crate::races::report(self, access, span, conflict, count);
        }
    }
}

/// A plain access, or a free, as a trace has it.
fn plain_action(sort: SideAccess, span: Span) -> Action {
    match sort {
        SideAccess::Read | SideAccess::VptrRead | SideAccess::AtomicRead => Action::Read(span),
        SideAccess::Write | SideAccess::VptrWrite | SideAccess::AtomicWrite => Action::Write(span),
        SideAccess::Free => Action::Free(span),
    }
}
