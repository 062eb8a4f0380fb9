//! An instrumented kernel with its code.

use super::compiler::Compiled;
use super::sites::Sites;
use warpsan_event::KernelFacts;
use warpsan_instrument::record::{Paths, SiteInfo};
use warpsan_instrument::{CheckedAccess, CopiesUse, Cost, Instrumented, Uses, VariableUse};

/// All that is known of an instrumented kernel, and its code.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) code: Compiled,
    pub(super) sites: Sites,
    pub(super) accesses: Vec<CheckedAccess>,
    pub(super) variables: Vec<VariableUse>,
    pub(super) uses: Uses,
    pub(super) parameters: Vec<(usize, usize)>,
    pub(super) cost: Cost,
    /// What it does to memory, where it runs on private copies; it is not kept in files.
    pub(super) copies: CopiesUse,
    pub(super) has_line_information: bool,
    /// What the host has to know of each site to read its records; empty if nothing is shipped.
    pub(super) infos: Vec<SiteInfo>,
    pub(super) paths: Paths,
    pub(super) facts: KernelFacts,
}

impl Ready {
    pub(super) fn new(made: Instrumented, code: Compiled) -> Ready {
        // A variant that has no sites has no lines to name.
        let has_line_information = made.sites.sites.is_empty()
            || made.sites.sites.iter().any(|site| site.position().is_some());
        Ready {
            code,
            sites: made.sites.into(),
            accesses: made.accesses,
            variables: made.variables,
            uses: made.uses,
            parameters: made.parameters,
            cost: made.cost,
            copies: made.copies,
            has_line_information,
            infos: made.infos,
            paths: made.paths,
            facts: made.facts,
        }
    }
}
