//! Instrumented kernels, each for a block size.

use super::error::EngineError;
use super::identity::Identity;
use super::reports::Described;
use super::shipping_launches::Infos;
use super::sites::Sites;
use crate::driver::Driver;
use crate::driver_types::{CUcontext, CUfunction, CUmodule};
use crate::hooks::CodeContainer;
use std::collections::HashMap;
use std::sync::Arc;
use warpsan_event::KernelFacts;
use warpsan_instrument::record::Paths;
use warpsan_instrument::{CheckedAccess, CopiesUse, DevicePlan, Uses};

/// What a variant is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) context: CUcontext,
    /// The original.
    pub(super) function: CUfunction,
    pub(super) block: [u32; 3],
    /// Blocks that must fit on a multiprocessor.
    pub(super) blocks_at_once: Option<u32>,
    pub(super) plan: DevicePlan,
}

/// An instrumented kernel that is loaded.
#[derive(Debug)]
pub(super) struct Variant {
    /// The context that it is loaded in.
    pub(super) context: CUcontext,
    /// Its number, in reports.
    pub(super) number: u32,
    pub(super) plan: DevicePlan,
    pub(super) module: CUmodule,
    pub(super) function: CUfunction,
    /// What the program launches.
    pub(super) original: CUfunction,
    /// That is a kernel of a library, as the same number.
    pub(super) original_is_kernel: bool,
    pub(super) container: CodeContainer,
    pub(super) uses: Uses,
    pub(super) parameters: Vec<(usize, usize)>,
    /// Constant variables: where the original's are, where the copy is, how many bytes.
    pub(super) constants: Vec<(u64, u64, u64)>,
    /// Other variables: their names, where the original's are, how many bytes.
    pub(super) variables: Vec<(String, u64, u64)>,
    /// What it does to memory, where it runs on private copies.
    pub(super) copies: CopiesUse,
    pub(super) sites: Arc<Sites>,
    pub(super) accesses: Arc<[CheckedAccess]>,
    /// What the host has to know of each site to read its records.
    pub(super) infos: Infos,
    /// Where paths between them reconverge.
    pub(super) paths: Arc<Paths>,
    pub(super) facts: Arc<KernelFacts>,
}

impl Variant {
    /// Takes it out of its context.
    pub(super) fn unload(&self, driver: &Driver) {
        // SAFETY: a module of ours, which no launch will use again.
        unsafe { driver.cuModuleUnload(self.module) };
    }

    /// Whether its kernel cannot be a node that the program makes itself: other nodes may change constants between.
    pub(super) fn needs_stream(&self) -> bool {
        !self.constants.is_empty()
    }
}

/// Variants by what they are for; for some there is a reason why there is none.
#[derive(Debug, Default)]
pub(super) struct Variants {
    known: HashMap<Key, Result<Arc<Variant>, EngineError>>,
    by_function: HashMap<CUfunction, Arc<Variant>>,
    made: u32,
}

impl Variants {
    pub(super) fn get(&self, key: &Key) -> Option<Result<Arc<Variant>, EngineError>> {
        self.known.get(key).cloned()
    }

    /// The variant behind a handle of ours.
    pub(super) fn by_function(&self, function: CUfunction) -> Option<&Variant> {
        self.by_function.get(&function).map(|variant| &**variant)
    }

    pub(super) fn put(&mut self, key: Key, made: Result<Arc<Variant>, EngineError>) {
        if let Ok(variant) = &made {
            self.by_function.insert(variant.function, variant.clone());
        }
        self.known.insert(key, made);
    }

    pub(super) fn next_number(&mut self) -> u32 {
        self.made += 1;
        self.made
    }

    /// Takes out those of code that goes, and with them all reasons why there is none: its handles may be others' next.
    pub(super) fn forget(&mut self, container: CodeContainer) -> Vec<Arc<Variant>> {
        let mut gone = Vec::new();
        self.known.retain(|_, made| match made {
            Ok(variant) if variant.container == container => {
                gone.push(variant.clone());
                false
            }
            Ok(_) => true,
            Err(_) => false,
        });
        self.by_function.retain(|_, variant| variant.container != container);
        gone
    }

    /// The kernels for which there is none.
    #[cfg(test)]
    pub(super) fn refused(&self) -> impl Iterator<Item = CUfunction> {
        self.known.iter().filter(|(_, made)| made.is_err()).map(|(key, _)| key.function)
    }

    /// Forgets those of a context that is gone, with their modules.
    pub(super) fn forget_context(&mut self, context: CUcontext) {
        self.known.retain(|key, _| key.context != context);
        self.by_function.retain(|_, variant| variant.context != context);
    }
}

/// What reports need to know of a variant.
pub(super) fn describe(
    variant: &Variant,
    identity: &Identity,
    grid: [u32; 3],
    block: [u32; 3],
) -> Described {
    Described {
        kernel: identity.name.clone(),
        sites: variant.sites.clone(),
        accesses: variant.accesses.clone(),
        grid,
        block,
    }
}
