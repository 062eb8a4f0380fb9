//! Kernels that are ready to run.

use crate::lanes::Instructions;
use crate::program::Program;
use crate::program::translate::translate;
use std::sync::Arc;
use warpsan_event::{KernelFacts, SharedVariable, Site, SiteTable};
use warpsan_ir::{Kernel, LowerError, Op, Special, Unsupported, display_name};
use warpsan_model::{EMULATED_DEVICE, position_for_reader};

/// A kernel with what is said about it at every launch.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// Plain data about it.
    pub facts: Arc<KernelFacts>,
    /// Its sites.
    pub sites: Arc<SiteTable>,
    pub(crate) program: Arc<Program>,
    pub(crate) instructions: Instructions,
    /// The kernel asks for the shared memory that the system keeps for itself.
    pub(crate) uses_reserved_shared: bool,
    /// The kernel reads what the driver passes to it.
    pub(crate) uses_environment: bool,
}

impl Prepared {
    /// Checks that the engine has every operation of the kernel, and gets it ready.
    pub fn new(kernel: Kernel) -> Result<Prepared, LowerError> {
        let instructions = Instructions::detect();
        let program = match translate(&kernel, instructions) {
            Ok(program) => program,
            Err(missing) => {
                let site = &kernel.sites[missing.site.0 as usize];
                return Err(LowerError::Unsupported(Unsupported {
                    what: format!("the instruction `{}`", site.instruction),
                    ptx_line: site.ptx_line,
                    position: position_for_reader(&site.frames).cloned(),
                }));
            }
        };
        let sites = kernel.sites.iter().map(|site| {
            Site::new(Arc::clone(&site.instruction), site.ptx_line, site.frames.clone())
        });
        let uses_special = |is_it: fn(&Special) -> bool| {
            kernel.code.iter().any(|one| match &one.op {
                Op::ReadSpecial { special, .. } => is_it(special),
                _ => false,
            })
        };
        Ok(Prepared {
            uses_reserved_shared: uses_special(|special| {
                matches!(special, Special::ReservedShared(_) | Special::AggregateSharedSize)
            }),
            uses_environment: uses_special(|special| matches!(special, Special::Environment(_))),
            facts: Arc::new(facts(&kernel)),
            sites: Arc::new(SiteTable { sites: sites.collect() }),
            kernel: Arc::new(kernel),
            program: Arc::new(program),
            instructions,
        })
    }

    /// Registers of 32 bits that a thread would have on a device: PTX has one for every value, and
    /// what lives at the same time decides.
    pub fn device_registers(&self) -> u32 {
        let device = EMULATED_DEVICE;
        let most_threads = device.max_threads_per_block;
        let threads = self.kernel.max_threads.unwrap_or(most_threads);
        // All threads of a block share its registers.
        let share = device.registers / threads.clamp(device.warp_size, most_threads);
        self.program.rows.clamp(16, device.max_registers_per_thread.min(share))
    }
}

fn facts(kernel: &Kernel) -> KernelFacts {
    let shared = kernel.shared.iter().map(|symbol| SharedVariable {
        name: variable_name(&symbol.name),
        offset: symbol.offset,
        bytes: symbol.bytes,
    });
    let facts = KernelFacts {
        name: kernel.name.clone(),
        display_name: kernel.display_name.clone(),
        shared_variables: shared.collect(),
        has_line_information: kernel.has_line_information,
        pass_order: kernel.pass_order.clone(),
        ..KernelFacts::default()
    };
    facts.with_features(kernel.code.iter().flat_map(|item| item.op.features()))
}

/// A variable of a function without the function, which a report names already.
fn variable_name(symbol: &str) -> String {
    let name = display_name(symbol);
    name.rsplit("::").next().unwrap_or(&name).to_string()
}
