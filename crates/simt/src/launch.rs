use crate::engine::Engine;
use crate::memory::DeviceMemory;
use crate::memory_ops::atomic_function;
use crate::{alu, trace::Trace};
use std::fmt;
use std::sync::Arc;
use warpsan_event::{EventSink, KernelFacts, SharedVariable, Site, SiteTable};
use warpsan_ir::{AtomicOp, Kernel, LowerError, Op, TernaryOp, Type, Unsupported, display_name};
use warpsan_model::{BlockIndex, Geometry, LaunchId, SiteId, Strength, position_for_reader};

/// A kernel with what is said about it at every launch.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// Plain data about it.
    pub facts: Arc<KernelFacts>,
    /// Its sites.
    pub sites: Arc<SiteTable>,
}

impl Prepared {
    /// Checks that the engine has every operation of the kernel.
    pub fn new(kernel: Kernel) -> Result<Prepared, LowerError> {
        if let Some(missing) = kernel.code.iter().find(|item| !is_executable(&item.op)) {
            let site = &kernel.sites[missing.site.0 as usize];
            return Err(LowerError::Unsupported(Unsupported {
                what: format!("the instruction `{}`", site.instruction),
                ptx_line: site.ptx_line,
                position: position_for_reader(&site.frames).cloned(),
            }));
        }
        let sites = kernel.sites.iter().map(|site| Site {
            instruction: Arc::clone(&site.instruction),
            ptx_line: site.ptx_line,
            frames: site.frames.clone(),
        });
        let shared = kernel.shared.iter().map(|symbol| SharedVariable {
            name: variable_name(&symbol.name),
            offset: symbol.offset,
            bytes: symbol.bytes,
        });
        let is_strong = |op: &Op| match op {
            Op::Load { strength, .. } | Op::Store { strength, .. } => *strength != Strength::Weak,
            Op::Atomic { .. } => true,
            _ => false,
        };
        let facts = KernelFacts {
            name: kernel.name.clone(),
            display_name: kernel.display_name.clone(),
            shared_variables: shared.collect(),
            has_line_information: kernel.has_line_information,
            uses_strong_accesses: kernel.code.iter().any(|item| is_strong(&item.op)),
            uses_fences: kernel.code.iter().any(|item| matches!(item.op, Op::Fence { .. })),
        };
        Ok(Prepared {
            facts: Arc::new(facts),
            sites: Arc::new(SiteTable { sites: sites.collect() }),
            kernel: Arc::new(kernel),
        })
    }
}

/// A variable of a function without the function, which a report names already.
fn variable_name(symbol: &str) -> String {
    let name = display_name(symbol);
    name.rsplit("::").next().unwrap_or(&name).to_string()
}

/// PTX has each operation for some types only; a combination that it lacks has no function.
fn is_executable(op: &Op) -> bool {
    match op {
        Op::Unary { op, ty, .. } => alu::unary(*op, *ty).is_some(),
        Op::Binary { op, ty, saturate: true, .. } if !ty.is_float() => {
            alu::saturating_binary(*op, *ty).is_some()
        }
        Op::Binary { op, ty, .. } => alu::binary(*op, *ty).is_some(),
        Op::Ternary { saturate: true, ty, .. } if !ty.is_float() => false,
        Op::Ternary { op: TernaryOp::Lop3(_), .. } => true,
        Op::Ternary { op, ty, .. } => alu::ternary(*op, *ty).is_some(),
        Op::Atomic { op: AtomicOp::Exch | AtomicOp::Cas, .. } => true,
        Op::Atomic { op: AtomicOp::Inc | AtomicOp::Dec, ty, .. } => *ty == Type::U32,
        Op::Atomic { op, ty, .. } => atomic_function(*op, *ty).is_some(),
        // A kernel that was made ready has none of these.
        Op::Call(_) | Op::Return | Op::BranchIndexed { .. } | Op::Opaque(_) => false,
        _ => true,
    }
}

/// What to run.
#[derive(Debug)]
pub struct Launch<'a> {
    /// The kernel.
    pub kernel: &'a Prepared,
    /// The launch's number in its process.
    pub id: LaunchId,
    /// Its extents.
    pub geometry: Geometry,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared_bytes: u32,
    /// The parameter block.
    pub parameters: &'a [u8],
    /// Determines the schedule.
    pub seed: u64,
    /// Warp instructions after which the launch is given up.
    pub max_instructions: u64,
}

/// What a launch that ended did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LaunchStats {
    /// Instructions, counted once for a warp's group.
    pub warp_instructions: u64,
    /// Accesses by lanes to shared and global memory.
    pub accesses: u64,
}

/// What a kernel did wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// In words.
    pub what: String,
    /// The instruction.
    pub site: SiteId,
    /// Who.
    pub block: BlockIndex,
    /// The thread in its block.
    pub thread: u32,
}

/// Why a launch did not end by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchError {
    /// The kernel misbehaved.
    Fault(Fault),
    /// Threads wait for each other and none can go on.
    Deadlock(Fault),
    /// It ran longer than it may.
    OutOfBudget {
        /// The limit, in warp instructions.
        limit: u64,
    },
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::Fault(fault) | LaunchError::Deadlock(fault) => f.write_str(&fault.what),
            LaunchError::OutOfBudget { limit } => {
                write!(f, "it did not end within {limit} warp instructions")
            }
        }
    }
}

impl std::error::Error for LaunchError {}

/// Runs a launch to its end. What happened until an error is told to the sink all the same.
pub fn run(
    launch: &Launch<'_>,
    memory: &DeviceMemory,
    sink: &mut dyn EventSink,
) -> (LaunchStats, Result<(), LaunchError>) {
    let mut engine = Engine::new(launch, memory, Trace::new(sink));
    let result = engine.run();
    (engine.stats(), result)
}
