//! A module of its own for one kernel.

use crate::accesses::may_be_global;
use crate::checks::{Access, Checks};
use crate::facts;
use crate::function::{self, Writer};
use crate::record::{Paths, SiteInfo};
use crate::sets::{self, layout::Places};
use crate::synchronisation;
use crate::variables::{VariableUse, Variables};
use std::fmt::Write;
use warpsan_event::{KernelFacts, Site, SiteTable};
use warpsan_ir::{AtomicOp, CallGraph, LowerError, ModuleIndex, Op};
use warpsan_model::Strength;
use warpsan_ptx::{Document, Item, Version, print_item};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The kernel's name in the module.
    pub kernel: &'a str,
    /// The threads of a block, as the kernel will be launched.
    pub block: [u32; 3],
    /// So many blocks must fit on a multiprocessor, for grids that run all at once.
    pub blocks_at_once: Option<u32>,
    /// The architecture that the result is for, as `sm_90`.
    pub target: &'a str,
    /// Whose checks.
    pub checks: Checks,
}

/// An instrumented kernel.
#[derive(Debug, Clone)]
pub struct Instrumented {
    /// Its PTX.
    pub text: String,
    /// What the site numbers in it stand for.
    pub sites: SiteTable,
    /// What each of them does.
    pub accesses: Vec<CheckedAccess>,
    /// What the host is told of each, where it is told.
    pub infos: Vec<SiteInfo>,
    /// Where paths between them join, where the host is told.
    pub paths: Paths,
    /// Plain data about the kernel.
    pub facts: KernelFacts,
    /// The original module's variables that it uses.
    pub variables: Vec<VariableUse>,
    /// What it needs at a launch.
    pub uses: Uses,
    /// Bytes of the original's parameters, and how many.
    pub parameters: Vec<(usize, usize)>,
    /// What was done.
    pub cost: Cost,
}

/// What an instruction that is checked does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckedAccess {
    /// Load, store or atomic.
    pub access: Access,
    /// How strong it is.
    pub strength: Strength,
    /// Bytes of one lane, with all elements.
    pub bytes: u32,
}

impl Default for CheckedAccess {
    fn default() -> Self {
        CheckedAccess { access: Access::Load, strength: Strength::Weak, bytes: 4 }
    }
}

/// What of the synchronisation metadata an instrumented kernel uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Uses {
    /// Counters of fences.
    pub fences: bool,
    /// Counters of warp barriers.
    pub warp_barriers: bool,
    /// Lock tables.
    pub locks: bool,
    /// Lanes of a warp may meet in parts.
    pub parts_of_warps: bool,
    /// A stack as deep as its recursion goes.
    pub recursion: bool,
    /// Memory for the sets of blocks that run, whose threads are compared while they do.
    pub block_sets: bool,
    /// Entries that have places of their own in the sets of the grid.
    pub places: Places,
}

/// What instrumentation did to a kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cost {
    /// Accesses that got a check.
    pub checked: u32,
    /// Accesses whose check an earlier one of the same block made needless.
    pub pruned: u32,
    /// Those of them that are loads which the compiler speculated, checked under their condition.
    pub speculated: u32,
    /// All instructions of its text.
    pub instructions: u32,
    /// Those of them that something is done about: accesses, fences, barriers and the like.
    pub instrumented: u32,
}

/// Why a kernel runs as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotInstrumented(pub String);

/// More instructions than this cannot be told apart in metadata.
const MOST_SITES: usize = 1 << 16;
/// The oldest version of PTX that has what checks are made of.
const OLDEST: Version = Version { major: 8, minor: 4 };

/// Makes an instrumented module of one kernel.
pub fn instrument(
    document: &Document,
    index: &ModuleIndex<'_>,
    wanted: &Wanted<'_>,
) -> Result<Instrumented, NotInstrumented> {
    let refuse = |why: String| NotInstrumented(why);
    let module = document.module();
    let graph = CallGraph::of(index);
    let number = graph
        .number(wanted.kernel)
        .ok_or_else(|| refuse("its module has no PTX for it".to_owned()))?;
    let reached = graph.reachable(number);
    if reached.iter().any(|function| graph.functions[*function].calls_indirectly) {
        return Err(refuse("it calls functions through pointers".to_owned()));
    }
    let mut functions = Vec::new();
    for reached in &reached {
        let node = &graph.functions[*reached];
        if node.is_defined {
            let lowered = warpsan_ir::function(index, &node.name).map_err(|error| match error {
                LowerError::Unsupported(unsupported) => refuse(unsupported.what),
                LowerError::Invalid(_) => refuse(error.to_string()),
            })?;
            functions.push(lowered);
        } else if *reached == number {
            return Err(refuse("its module only declares it".to_owned()));
        }
    }
    let mut uses = match wanted.checks.has_metadata() {
        true => uses_of(&functions),
        false => Uses::default(),
    };
    uses.recursion = reached.iter().any(|function| graph.functions[*function].is_recursive);
    let mut writer = Writer::new(document, wanted.checks, uses, functions.len() > 1);
    writer.variables = Variables::of(&module);
    let facts = facts::of(wanted.kernel, &functions);
    writer.in_cluster = facts.uses_cluster;
    writer.has_blocks = wanted.checks.has_sets() && sets::has_blocks(&functions);
    uses.block_sets = writer.has_blocks;
    let mut bodies = String::new();
    let mut declarations = String::new();
    for reached in &reached {
        let node = &graph.functions[*reached];
        let Some(tree) = module
            .functions()
            .find(|tree| tree.name == node.name && (tree.body.is_some() || !node.is_defined))
        else {
            continue;
        };
        match functions.iter().find(|function| function.name == node.name) {
            Some(lowered) => {
                let text = function::write(&mut writer, tree, lowered, wanted)?;
                if tree.is_kernel {
                    bodies.push_str(&text);
                } else {
                    // Functions may call each other in any order.
                    function::declare(tree, &mut declarations);
                    bodies.push_str(&text);
                }
            }
            None => declarations.push_str(&print_item(&Item::Function(tree))),
        }
    }
    if writer.sites.len() > MOST_SITES {
        return Err(refuse(format!(
            "it has {} accesses, more than can be told apart",
            writer.sites.len()
        )));
    }
    writer.cost.instrumented = writer.sites.len() as u32;
    let version = module.version().unwrap_or(OLDEST).max(OLDEST);
    let mut text = String::new();
    let _ = writeln!(
        text,
        ".version {}.{}\n.target {}\n.address_size 64",
        version.major, version.minor, wanted.target
    );
    writer.variables.declare(&mut text);
    sets::declare(writer.has_blocks, &mut text);
    uses.places = writer.places;
    text.push_str(&wanted.checks.library().functions(&writer.calls));
    text.push_str(&declarations);
    text.push_str(&bodies);
    let kernel = functions.iter().find(|function| function.name == wanted.kernel);
    let parameters = kernel.map(|kernel| {
        kernel.parameters.iter().map(|parameter| (parameter.offset, parameter.bytes)).collect()
    });
    Ok(Instrumented {
        text,
        sites: SiteTable { sites: std::mem::take(&mut writer.sites) as Vec<Site> },
        accesses: std::mem::take(&mut writer.accesses),
        infos: std::mem::take(&mut writer.infos),
        paths: std::mem::take(&mut writer.paths),
        facts,
        variables: writer.variables.uses(),
        uses,
        parameters: parameters.unwrap_or_default(),
        cost: writer.cost,
    })
}

fn uses_of(functions: &[warpsan_ir::Function]) -> Uses {
    let mut uses = Uses::default();
    for instruction in functions.iter().flat_map(|function| &function.code) {
        uses.fences |= synchronisation::is_release(&instruction.op).is_some();
        match &instruction.op {
            Op::Fence { .. } => uses.fences = true,
            Op::Atomic { op: AtomicOp::Cas, space, .. } => uses.locks |= may_be_global(*space),
            Op::WarpBarrier { mask } => {
                uses.warp_barriers = true;
                uses.parts_of_warps |= !is_whole_warp(mask);
            }
            Op::BlockBarrier { threads: Some(_), .. } => {
                uses.warp_barriers = true;
                uses.parts_of_warps = true;
            }
            _ => {}
        }
    }
    uses
}

fn is_whole_warp(mask: &warpsan_ir::Value) -> bool {
    matches!(mask, warpsan_ir::Value::Constant(bits) if *bits as u32 == u32::MAX)
}

#[cfg(test)]
mod tests {
    use crate::testing::{instrumented, kernel, module, refusal};

    #[test]
    fn a_module_has_the_kernel_with_one_parameter_more() {
        let made = kernel("");
        let wanted = ".visible .entry k(.param .u64 k_0, .param .align 8 .b8 ws_context[136])\n.maxntid 64, 2, 1\n{";
        assert!(made.text.contains(wanted), "{}", made.text);
        assert!(made.text.starts_with(".version 9.0\n.target sm_90\n.address_size 64\n"));
        assert_eq!(made.parameters, [(0, 8)]);
        let older = module("").replace(".version 9.0", ".version 7.8");
        let made = instrumented(&older).expect("it can be checked");
        assert!(made.text.starts_with(".version 8.4\n"), "the oldest that has what checks need");
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let why = refusal("tex.1d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];");
        assert!(why.contains("`tex.1d.v4.f32.s32`, whose meaning is not known"), "{why}");
        let why = refusal(
            "{ .param .b64 p; st.param.b64 [p], %rd1; call %rd2, (p), type; type: .callprototype _ (.param .b64 _); }",
        );
        assert_eq!(why, "it calls functions through pointers");
        let other = module("").replace(".entry k(", ".entry other(");
        assert_eq!(instrumented(&other).expect_err("no k"), "its module has no PTX for it");
    }
}
