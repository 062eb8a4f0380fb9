//! Why a launch keeps the program's own kernel. Each `Display` is the reason that a report gives for it.

use super::compiler::AssemblerError;
use super::kept::KeptRefusal;
use crate::driver::DriverError;
use warpsan_fatbin::FatbinError;
use warpsan_instrument::{MissingPart, NoPlacement, Refusal};
use warpsan_ir::link::LinkError;

/// Why a launch cannot be instrumented.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum EngineError {
    #[error("{0}")]
    Refused(#[from] Refusal),
    #[error("{0}")]
    RefusedBefore(#[from] KeptRefusal),
    #[error("{0}")]
    Code(#[from] CodeError),
    #[error("{0}")]
    Assembler(#[from] AssemblerError),
    #[error("{0}")]
    Driver(#[from] DriverError),
    #[error("the instrumented kernel cannot be loaded: {0}")]
    NotLoaded(DriverError),
    #[error("no memory for its counters: {0}")]
    NoCounters(DriverError),
    #[error("no memory for its sets: {0}")]
    NoSets(DriverError),
    #[error("no memory for its entries: {0}")]
    NoEntries(DriverError),
    #[error("its shared memory with entries would be {0} bytes, more than a block can have")]
    NoSharedEntries(u64),
    #[error(
        "a grid whose blocks have {0} intervals between barriers in all, more than can be distinguished"
    )]
    TooManyIdentities(u64),
    #[error("a launch on several devices, which keeps no entries")]
    SeveralDevicesWithEntries,
    #[error("no memory for its private copies: {0}")]
    NoCopies(DriverError),
    #[error("{0}")]
    Placement(#[from] NoPlacement),
    #[error("{0}")]
    Copies(#[from] MissingPart),
    #[error("a node of a graph, which has no private copies")]
    NodeWithCopies,
    #[error("a launch whose blocks may wait for each other, which has no private copies")]
    WaitingBlocksWithCopies,
    #[error("a launch with clusters, which has no private copies")]
    ClusterWithCopies,
    #[error("no memory for its queues: {0}")]
    NoQueues(DriverError),
    #[error("a zero in its PTX")]
    ZeroInPtx,
    #[error("a zero in its name")]
    ZeroInName,
    #[error("its variable `{0}` cannot be found in its module")]
    NoVariable(String),
    #[error("the table of its variables cannot be found")]
    NoVariableTable,
    #[error("its code was loaded in an unknown way")]
    UnknownCode,
    #[error("the driver does not say which kernel a launch is of")]
    UnknownKernel,
    #[error("its parameters are passed in an unknown way")]
    UnknownParameters,
    /// What the driver answers, by its name.
    #[error("the instrumented kernel cannot be launched ({0})")]
    NotLaunched(String),
    #[error("there is no context on a device")]
    NoContext,
    #[error("a grid of {0} warps, more than can be distinguished")]
    TooManyWarps(u64),
    #[error("a grid of {0} warps with compare-and-swap, more than can be distinguished")]
    TooManyWarpsWithLocks(u64),
    #[error("a block of more than the {0} threads that it allows")]
    BlockTooLarge(i32),
    #[error("a launch without threads")]
    NoThreads,
    #[error("more dynamic shared memory than the {0} bytes that it allows")]
    SharedTooLarge(i32),
    #[error("a node of a graph with variables in constant memory")]
    NodeWithConstants,
    #[error("a node of a graph, behind which no blocks can be compared")]
    NodeWithSets,
    #[error("a launch on several devices, which keeps no sets")]
    SeveralDevicesWithSets,
    #[error("a graph whose kernels have more than {0} warps")]
    GraphTooLarge(u64),
    #[error("more than {0} kernels in graphs that ship their operations to the host")]
    TooManyNodes(usize),
    #[error("the driver does not say how deep stacks are")]
    UnknownStackLimit,
    #[error("it calls itself, and there is no memory for stacks that are deep enough")]
    NoStackMemory,
    #[error("{0} GiB of the host's memory are in use for it already")]
    HostMemoryInUse(u64),
    /// Neither the plan nor its fallback is for the kernel.
    #[error("{}", both(.0, .1))]
    Both(Box<EngineError>, Box<EngineError>),
}

/// The sentences of two reasons, which may be the same.
fn both(first: &EngineError, second: &EngineError) -> String {
    let (first, second) = (first.to_string(), second.to_string());
    if first == second { first } else { format!("{first}; {second}") }
}

/// Why code that was loaded has no PTX that can be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum CodeError {
    #[error("it has no image")]
    NoImage,
    #[error("it was linked from machine code")]
    LinkedFromMachineCode,
    #[error("it is loaded as machine code")]
    MachineCode,
    #[error(
        "its module has machine code only; compile with PTX (nvcc -arch=sm_90 or \
         -gencode arch=compute_90,code=compute_90)"
    )]
    MachineCodeOnly,
    #[error("its module has no code")]
    NoCode,
    /// A file, and what the system says of it.
    #[error("{file} cannot be read: {error}")]
    Unreadable { file: String, error: String },
    #[error("{0}")]
    Container(#[from] FatbinError),
    /// What the parser says of it, with the line.
    #[error("its PTX cannot be read: {0}")]
    InvalidPtx(String),
    #[error("its units do not link: {0}")]
    NotLinked(LinkError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_reasons_with_one_sentence_are_given_once() {
        let both = |first: EngineError, second: EngineError| {
            EngineError::Both(Box::new(first), Box::new(second)).to_string()
        };
        let kept = EngineError::RefusedBefore(KeptRefusal::from(&Refusal::NoPtx));
        assert_eq!(both(kept, Refusal::NoPtx.into()), Refusal::NoPtx.to_string());
        let (first, second) = (EngineError::UnknownCode, EngineError::NoContext);
        let wanted = format!("{first}; {second}");
        assert_eq!(both(first, second), wanted);
    }
}
