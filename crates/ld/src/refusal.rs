//! Kernels that cannot be run on copies of memory.

use std::fmt;
use warpsan_event::{KernelFacts, Operation, OperationKind, Site, SiteTable};
use warpsan_ir::{Kernel, Op, SystemFunction, Uses};
use warpsan_simt::Launch;

/// Why a launch is not for copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Something in the kernel, and what it is.
    Uses(&'static str),
    /// An atomic whose result depends on the order, by its instruction.
    Atomic(String),
    /// Blocks form clusters, or wait for each other.
    TogetherOnly,
    /// It does not end on private copies.
    Waits(String),
    /// Kernels can reach memory of the host that the program has registered.
    RegisteredMemory,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Uses(what) => write!(f, "it has {what}"),
            Refusal::Atomic(what) => {
                write!(f, "the result of its atomic `{what}` depends on the order of updates")
            }
            Refusal::TogetherOnly => f.write_str("its blocks form clusters or wait for each other"),
            Refusal::Waits(error) => {
                write!(f, "its warps may wait for each other: on private copies, {error}")
            }
            Refusal::RegisteredMemory => {
                f.write_str("it can reach memory of the host that the program has registered")
            }
        }
    }
}

/// What is wrong with a launch for detection: as in the paper, whatever synchronises besides barriers of whole blocks.
pub(crate) fn for_detection(launch: &Launch<'_>, has_registered: bool) -> Option<Refusal> {
    let facts = &launch.kernel.facts;
    match facts.uses_atomics {
        true => Some(Refusal::Uses("atomics")),
        false => for_copies(launch, has_registered),
    }
}

/// What is wrong with a launch for safe execution: atomics are allowed if no order can be told from them.
pub(crate) fn for_safety(launch: &Launch<'_>, has_registered: bool) -> Option<Refusal> {
    let facts = &launch.kernel.facts;
    let kernel = &launch.kernel.kernel;
    let atomic =
        if facts.uses_atomics { ordered_atomic(kernel, &launch.kernel.sites) } else { None };
    atomic.or_else(|| for_copies(launch, has_registered))
}

fn for_copies(launch: &Launch<'_>, has_registered: bool) -> Option<Refusal> {
    let (facts, sites) = (&launch.kernel.facts, &launch.kernel.sites);
    if let Some(what) = synchronisation(facts, sites).or_else(|| heap(&launch.kernel.kernel)) {
        return Some(Refusal::Uses(what));
    }
    let in_clusters = launch.cluster.is_some() || launch.kernel.kernel.cluster.is_some();
    if in_clusters || launch.cooperative {
        return Some(Refusal::TogetherOnly);
    }
    has_registered.then_some(Refusal::RegisteredMemory)
}

fn synchronisation(facts: &KernelFacts, sites: &SiteTable) -> Option<&'static str> {
    let operations = || sites.sites.iter().map(Site::operation);
    if facts.uses_strong_accesses && operations().any(is_strong_by_name) {
        Some("relaxed, acquiring or releasing accesses")
    } else if facts.uses_block_barriers && operations().any(Operation::is_barrier_of_a_part) {
        Some("barriers of parts of a block")
    } else if facts.uses_mbarriers {
        Some("mbarrier objects")
    } else if facts.uses_async_copies || facts.uses_bulk_copies {
        Some("asynchronous copies")
    } else if facts.uses_cluster {
        Some("operations of clusters")
    } else {
        None
    }
}

/// A load or store with an order. Volatile ones have none: they are accesses like others here.
fn is_strong_by_name(operation: &Operation) -> bool {
    matches!(operation.kind, OperationKind::Load | OperationKind::Store)
        && operation.order.is_some()
}

/// Memory that a kernel takes would be taken once in every pass.
fn heap(kernel: &Kernel) -> Option<&'static str> {
    let takes = kernel.code.iter().any(|one| match &one.op {
        Op::System(call) => {
            matches!(call.function, SystemFunction::Allocate | SystemFunction::Free)
        }
        _ => false,
    });
    takes.then_some("`malloc` or `free`")
}

/// The first atomic whose result depends on the order, or is asked for.
fn ordered_atomic(kernel: &Kernel, sites: &SiteTable) -> Option<Refusal> {
    let is_read = |register: &warpsan_ir::Register| {
        let reads = |op: &Op| Uses::of(op).reads.iter().any(|one| one.number == register.number);
        kernel.code.iter().any(|one| reads(&one.op))
    };
    let found = kernel.code.iter().find(|one| match &one.op {
        Op::Atomic { op, ty, to, .. } => !op.commutes(*ty) || to.as_ref().is_some_and(is_read),
        Op::AtomicVector { .. } => true,
        _ => false,
    });
    found.map(|one| Refusal::Atomic(sites.get(one.site).instruction.to_string()))
}
