//! Writes a trace of what the threads do. Only the library that is made for it does so: in the others a call is nothing.
//!
//! The order of the file is one in which the threads could have done it: what releases is written before others can acquire, what acquires
//! after it has done so, and an atomic operation while no other thread can carry out one on the same variable.

use std::ffi::CString;
use std::sync::Mutex;

use warpsan_thread_trace::{
    About, Action, BlockWriter, Event, Module, ModuleNumber, Place, Site, TraceThread, head,
};

use crate::context::Context;
use crate::lock::locked;
use crate::modules;
use crate::own_code;
use crate::system;

/// Whether this library writes traces.
pub(crate) const RECORDS: bool = cfg!(feature = "record");

/// A block of the file is written when it has so many bytes.
const BLOCK: usize = 256 << 10;

/// The trace of this process.
pub(crate) struct Recorder {
    folder: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Open from the first block on: many processes do nothing but to become another program.
    file: Option<Result<usize, Broken>>,
    block: BlockWriter,
    /// A bit for each site that the file has the place of.
    placed: Vec<u64>,
    modules: Vec<Module>,
    /// The process has said that it ends.
    has_ended: bool,
}

/// The file cannot be written, for this reason of the system.
#[derive(Clone, Copy)]
struct Broken(i32);

/// Events of the trace are lost, and why. It is said once.
pub(crate) struct LostTrace {
    /// The file.
    pub(crate) path: String,
    /// What the system says.
    pub(crate) reason: String,
}

impl Recorder {
    /// A recorder that writes to a folder.
    pub(crate) fn new(folder: String) -> Recorder {
        Recorder { folder, state: Mutex::default() }
    }

    /// A thread did something.
    pub(crate) fn write(
        &self,
        thread: TraceThread,
        calls: Context,
        action: Action,
    ) -> Result<(), LostTrace> {
        let mut state = locked(&self.state);
        if state.has_ended {
            return Ok(());
        }
        state.define(calls);
        let site = Site(calls.number());
        state.block.event(&Event { thread, site, action });
        if state.block.len() < BLOCK { Ok(()) } else { self.flush(&mut state) }
    }

    /// Writes what there is, so that it is kept whatever becomes of the process.
    pub(crate) fn keep(&self) -> Result<(), LostTrace> {
        self.flush(&mut locked(&self.state))
    }

    /// The process ends. What threads do after that is not in the trace.
    pub(crate) fn end(&self) -> Result<(), LostTrace> {
        let mut state = locked(&self.state);
        if state.has_ended {
            return Ok(());
        }
        state.block.end();
        state.has_ended = true;
        self.flush(&mut state)
    }

    /// The process is a fork: it has a file of its own, which knows nothing of the other's.
    pub(crate) fn begin_anew(&self) {
        *locked(&self.state) = State::default();
    }

    fn flush(&self, state: &mut State) -> Result<(), LostTrace> {
        let was_broken = matches!(state.file, Some(Err(_)));
        let file = *state.file.get_or_insert_with(|| open(&self.path()));
        let written = file.and_then(|file| write_all(file, state.block.finish()));
        state.block.clear();
        let Err(Broken(reason)) = written else { return Ok(()) };
        state.file = Some(Err(Broken(reason)));
        if was_broken {
            return Ok(());
        }
        let reason = std::io::Error::from_raw_os_error(reason).to_string();
        Err(LostTrace { path: self.path(), reason })
    }

    fn path(&self) -> String {
        format!("{}/{}.threads", self.folder, system::process_number())
    }
}

impl State {
    /// Writes the place of a site, and those of the calls that lead there, if the file has them not.
    fn define(&mut self, calls: Context) {
        let mut missing = Vec::new();
        let mut rest = calls;
        while let Some((address, caller)) = rest.split()
            && self.place_first_time(rest)
        {
            missing.push((rest, address, caller));
            rest = caller;
        }
        for (calls, address, caller) in missing.into_iter().rev() {
            let (module, offset) = self.place_of(address);
            let caller = Site(caller.number());
            self.block.place(Site(calls.number()), &Place { caller, module, offset });
        }
    }

    fn place_first_time(&mut self, calls: Context) -> bool {
        let (word, bit) = (calls.number() as usize / 64, calls.number() % 64);
        if word >= self.placed.len() {
            self.placed.resize((word + 1).next_power_of_two(), 0);
        }
        let is_first = self.placed[word] >> bit & 1 == 0;
        self.placed[word] |= 1 << bit;
        is_first
    }

    /// Where a return address is. Our own code has no place.
    fn place_of(&mut self, return_address: u64) -> (Option<ModuleNumber>, u64) {
        let address = return_address.saturating_sub(1);
        if own_code::contains(return_address) {
            return (None, 0);
        }
        let Some(module) = modules::around(address) else { return (None, address) };
        let offset = address.wrapping_sub(module.bias);
        let number = match self.modules.iter().position(|known| *known == module) {
            Some(known) => ModuleNumber(known as u32),
            None => {
                let number = ModuleNumber(self.modules.len() as u32);
                self.block.module(number, &module);
                self.modules.push(module);
                number
            }
        };
        (Some(number), offset)
    }
}

/// Makes the file, and writes its head.
fn open(path: &str) -> Result<usize, Broken> {
    const MODE: usize = 0o644;
    let name = CString::new(path).map_err(|_| Broken(libc::EINVAL))?;
    let flags = (libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC | libc::O_CLOEXEC) as usize;
    // SAFETY: the path is a text that lives.
    let file =
        unsafe { system::call(libc::SYS_open, [name.as_ptr() as usize, flags, MODE, 0, 0, 0]) };
    let file = usize::try_from(file).map_err(|_| Broken(-file as i32))?;
    let about = About { process: system::process_number(), program: modules::program() };
    write_all(file, &head(&about))
}

/// The file, once all is written to it.
fn write_all(file: usize, mut bytes: &[u8]) -> Result<usize, Broken> {
    while !bytes.is_empty() {
        let from = [file, bytes.as_ptr() as usize, bytes.len(), 0, 0, 0];
        // SAFETY: the bytes live while they are written.
        let written = unsafe { system::call(libc::SYS_write, from) };
        match usize::try_from(written) {
            Ok(written) => bytes = &bytes[written..],
            Err(_) if written == -(libc::EINTR as isize) => {}
            Err(_) => return Err(Broken(-written as i32)),
        }
    }
    Ok(file)
}
