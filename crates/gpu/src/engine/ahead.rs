//! Kernels that a program has not launched yet are assembled ahead, by the command that has started the program.
//!
//! The program's process has no part in it but to leave a request in a folder: a thread or a child of its own is something that a program could
//! stumble over. A request names the text of a module, and the kernel that was launched first. The command instruments the module's other kernels, for the
//! block that they were compiled for or that of the first launch, and has them assembled on all cores. Machine code is kept in the cache by its text; there the
//! program finds it, or waits for it ([`claims`](super::claims)), when it launches the kernel.

use super::compiler::{Assembly, compile_with};
use super::linking::kernel_flags;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use warpsan_instrument::{DevicePlan, Wanted, compiled_block, instrument};
use warpsan_ir::ModuleIndex;
use warpsan_ptx::{Document, Function};

const EXTENSION: &str = "request";
/// Modules with more kernels are libraries, of which a program launches few.
const MOST_KERNELS: usize = 256;

/// What is to be assembled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AheadRequest {
    /// The file with the module's PTX.
    text: PathBuf,
    /// The architecture, as `sm_90`.
    target: String,
    /// The kernel that was launched, and with which block.
    kernel: String,
    block: [u32; 3],
    /// So many blocks of it run on a multiprocessor, where that limits its registers.
    blocks_at_once: Option<u32>,
}

/// Leaves a request in a folder, unless the module has no other kernel, or too many, or kernels become other texts for each launch.
pub(super) fn ask(folder: &Path, document: &Document, wanted: &Wanted<'_>) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let is_sequence = wanted.plan.copies().is_some();
    if is_sequence || !(2..=MOST_KERNELS).contains(&kernels(document).count()) {
        return;
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name =
        |ending: &str| folder.join(format!("process-{}-{number}.{ending}", std::process::id()));
    let request = AheadRequest {
        text: name("ptx"),
        target: wanted.target.to_owned(),
        kernel: wanted.kernel.to_owned(),
        block: wanted.block,
        blocks_at_once: wanted.blocks_at_once,
    };
    // Whoever looks sees all of a request or nothing.
    let written = serde_json::to_vec(&request).map_err(std::io::Error::from).and_then(|bytes| {
        std::fs::write(&request.text, document.text())?;
        std::fs::write(name("new"), bytes)?;
        std::fs::rename(name("new"), name(EXTENSION))
    });
    if let Err(error) = written {
        tracing::debug!("nothing is assembled ahead: {error}");
    }
}

/// Takes the requests out of a folder.
pub fn take_requests(folder: &Path) -> Vec<AheadRequest> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let requests = paths.filter(|path| path.extension().is_some_and(|found| found == EXTENSION));
    let take = |path: PathBuf| {
        let bytes = std::fs::read(&path).ok()?;
        std::fs::remove_file(&path).ok()?;
        serde_json::from_slice(&bytes).ok()
    };
    requests.filter_map(take).collect()
}

/// Who assembles, and where machine code is kept.
#[derive(Debug, Clone)]
pub struct AheadSettings {
    /// What kernels do with their checks; its fallback for those that it is not for.
    pub plan: DevicePlan,
    /// The assembler.
    pub ptxas: PathBuf,
    /// Where machine code is kept.
    pub cache: PathBuf,
    /// So many kernels at a time.
    pub jobs: usize,
}

/// Does what a request asks for, until it is done or stopped. How many kernels were assembled, or found in the cache.
pub fn assemble_ahead(
    request: &AheadRequest,
    settings: &AheadSettings,
    stop: &AtomicBool,
) -> usize {
    let Ok(text) = std::fs::read_to_string(&request.text) else { return 0 };
    let _ = std::fs::remove_file(&request.text);
    let others = others(&text, &request.kernel);
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let assembly =
        Assembly { ptxas: Some(&settings.ptxas), cache: Some(&settings.cache), stop: Some(stop) };
    // A tree is one thread's own.
    let work = || {
        let document = Document::parse(text.clone());
        let index = ModuleIndex::of(&document);
        let all: Vec<&Function<'_>> = kernels(&document).collect();
        while let Some(number) = others.get(next.fetch_add(1, Ordering::Relaxed))
            && !stop.load(Ordering::Relaxed)
        {
            let is_done = assemble(&document, &index, all[*number], (request, settings), assembly);
            done.fetch_add(usize::from(is_done), Ordering::Relaxed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.min(others.len()) {
            scope.spawn(work);
        }
    });
    done.into_inner()
}

/// The numbers of a module's kernels but the one that was launched: those behind it first, since kernels are launched in about the order in which they
/// stand in the text.
fn others(text: &str, launched: &str) -> Vec<usize> {
    let document = Document::parse(text.to_owned());
    if !document.errors().is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = kernels(&document).map(|kernel| kernel.name).collect();
    let first = names.iter().position(|name| *name == launched).unwrap_or(0);
    (first + 1..names.len()).chain(0..first).collect()
}

/// Assembles one kernel. Whether its machine code is in the cache then.
fn assemble(
    document: &Document,
    index: &ModuleIndex<'_>,
    kernel: &Function<'_>,
    (request, settings): (&AheadRequest, &AheadSettings),
    assembly: Assembly<'_>,
) -> bool {
    let target = request.target.as_str();
    let block = compiled_block(kernel).unwrap_or(request.block);
    let plans = [Some(settings.plan), settings.plan.fallback()];
    let made = plans.into_iter().flatten().find_map(|plan| {
        let blocks_at_once = plan.has_entries().then(|| likely_blocks(request, block));
        let wanted = Wanted { kernel: kernel.name, block, blocks_at_once, target, plan };
        instrument(document, index, &wanted).ok()
    });
    let Some(made) = made else { return false };
    // The functions that it is linked with were compiled for the kernel that was launched.
    compile_with(assembly, made.text, target, kernel_flags(made.linked.as_ref())).is_ok()
}

/// How many blocks of a kernel are likely to run on a multiprocessor: as many as of the one that was launched, or as have all of its threads. If there are fewer, as shows
/// at a launch, the kernel is assembled once more.
fn likely_blocks(request: &AheadRequest, block: [u32; 3]) -> u32 {
    const THREADS: u32 = 2048;
    const MOST_BLOCKS: u32 = 32;
    let threads = block.iter().product::<u32>().max(1);
    let known = request.blocks_at_once.filter(|_| block == request.block);
    known.unwrap_or((THREADS / threads).clamp(1, MOST_BLOCKS))
}

/// The kernels of a module.
fn kernels<'d>(document: &'d Document) -> impl Iterator<Item = &'d Function<'d>> {
    let functions = document.module().functions();
    functions.filter(|function| function.is_kernel && function.body.is_some())
}

#[cfg(test)]
mod tests;
