//! A module of its own for one kernel: which functions belong to it, and the text that all of them make.

use crate::body::Writer;
use crate::device_plan::DevicePlan;
use crate::facts;
use crate::function;
use crate::happens_before;
use crate::instrumented::{Instrumented, LinkedPieces, Uses, Wanted};
use crate::meaning::{is_release, may_be_global};
use crate::predicates;
use crate::refusal::Refusal;
use crate::sets;
use crate::variables::Variables;
use warpsan_event::{Site, SiteTable};
use warpsan_ir::{AtomicOp, CallGraph, ModuleIndex, Op};
use warpsan_ptx::{Document, Function, Item, Version, print_item};

/// Metadata cannot distinguish more instructions than this.
const MOST_SITES: usize = 1 << 16;
/// The oldest version of PTX that has what checks are made of.
const OLDEST: Version = Version { major: 8, minor: 4 };
/// Versions of PTX that are the first with some architectures, newest first: an assembler takes these in no older text.
const FIRST_VERSIONS: [(&[u32], Version); 4] = [
    (&[110], Version { major: 9, minor: 0 }),
    (&[103, 121], Version { major: 8, minor: 8 }),
    (&[120], Version { major: 8, minor: 7 }),
    (&[100, 101], Version { major: 8, minor: 6 }),
];
/// That of dialects for a family of architectures, as `sm_100f`.
const FIRST_WITH_FAMILIES: Version = Version { major: 8, minor: 8 };

/// Makes an instrumented module of one kernel.
pub fn instrument(
    document: &Document,
    index: &ModuleIndex<'_>,
    wanted: &Wanted<'_>,
) -> Result<Instrumented, Refusal> {
    let library = wanted.plan.library().map_err(|error| Refusal::DeviceLibrary(error.clone()))?;
    let module = document.module();
    let graph = CallGraph::of(index);
    let number = graph.number(wanted.kernel).ok_or(Refusal::NoPtx)?;
    let reached = graph.reachable(number);
    if reached.iter().any(|function| graph.functions[*function].calls_indirectly) {
        return Err(Refusal::CallThroughPointer);
    }
    let mut functions = Vec::new();
    for reached in &reached {
        let node = &graph.functions[*reached];
        if node.is_defined {
            let lowered = warpsan_ir::function(index, &node.name).map_err(Refusal::NotLowered)?;
            functions.push(lowered);
        } else if *reached == number {
            return Err(Refusal::OnlyDeclared);
        }
    }
    let mut uses = match wanted.plan.has_metadata() {
        true => uses_of(&functions),
        false => Uses::default(),
    };
    let facts = facts::of(wanted.kernel, &functions);
    if wanted.plan.has_entries() {
        uses.entries = happens_before::uses_of(&functions, &facts, wanted.plan)?;
    }
    uses.recursion = reached.iter().any(|function| graph.functions[*function].is_recursive);
    let mut writer = Writer::new(document, wanted.plan, uses, functions.len() > 1);
    writer.variables = Variables::of(&module);
    writer.in_cluster = facts.uses_cluster;
    writer.has_wide_atomics = has_wide_atomics(wanted.target);
    writer.has_copies = happens_before::has_copies(&functions);
    writer.volatile = happens_before::volatile_of(&functions);
    writer.has_called_checks = happens_before::are_checks_called(&functions);
    writer.has_blocks = wanted.plan.has_sets() && sets::has_blocks(&functions);
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
    let most_sites =
        if wanted.plan.has_entries() { happens_before::layout::MOST_SITES } else { MOST_SITES };
    if writer.sites.len() > most_sites {
        return Err(Refusal::TooManySites(writer.sites.len()));
    }
    writer.cost.instrumented = writer.sites.len() as u32;
    let mut text = head(module.version(), wanted.target);
    writer.variables.declare(&mut text);
    sets::declare(writer.has_blocks, &mut text);
    uses.places = writer.places;
    uses.entries = writer.uses.entries;
    // How deep a stack gets is not known to who links a kernel that calls itself.
    let is_linked = wanted.plan.is_linked()
        && !uses.recursion
        && !functions.iter().any(predicates::may_run_out);
    let linked = is_linked.then(|| LinkedPieces {
        declarations: library.declarations(&writer.calls),
        pieces: library.pieces(&writer.calls),
    });
    match &linked {
        Some(linked) => text.push_str(&linked.declarations),
        None => text.push_str(&library.functions(&writer.calls)),
    }
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
        copies: std::mem::take(&mut writer.copies),
        linked,
    })
}

/// The block that a kernel was compiled for, if it says one.
pub fn compiled_block(kernel: &Function<'_>) -> Option<[u32; 3]> {
    let named =
        kernel.directives.iter().find(|one| [".maxntid", ".reqntid"].contains(&one.name))?;
    let mut block = [1; 3];
    for (extent, value) in block.iter_mut().zip(named.values) {
        *extent = value.parse().ok()?;
    }
    Some(block)
}

/// Whether an architecture has atomics of 128 bits: from `sm_90` on.
fn has_wide_atomics(target: &str) -> bool {
    architecture(target).is_some_and(|number| number >= 90)
}

/// A module of the functions that kernels of a plan are linked with, one of [`LinkedPieces::pieces`], for an architecture.
pub fn linked_functions(plan: DevicePlan, piece: usize, target: &str) -> Option<String> {
    let library = plan.library().ok()?;
    Some(head(None, target) + &library.definitions(piece))
}

/// The first lines of a module for an architecture, of a version at least as new as that of the code in it.
fn head(of_code: Option<Version>, target: &str) -> String {
    let number = architecture(target);
    let of_target = FIRST_VERSIONS
        .iter()
        .find(|(numbers, _)| number.is_some_and(|number| numbers.contains(&number)));
    let of_target = match of_target {
        Some((_, version)) if !target.ends_with('f') => *version,
        Some((_, version)) => FIRST_WITH_FAMILIES.max(*version),
        None => OLDEST,
    };
    let Version { major, minor } = of_code.unwrap_or(OLDEST).max(of_target);
    format!(".version {major}.{minor}\n.target {target}\n.address_size 64\n")
}

/// The number of an architecture: 90 of `sm_90a`.
fn architecture(target: &str) -> Option<u32> {
    let digits: String = target.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn uses_of(functions: &[warpsan_ir::Function]) -> Uses {
    let mut uses = Uses::default();
    for instruction in functions.iter().flat_map(|function| &function.code) {
        uses.fences |= is_release(&instruction.op).is_some();
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
    use crate::Refusal;
    use crate::testing::{instrumented, kernel, module, refusal};

    #[test]
    fn a_module_has_the_kernel_with_one_parameter_more() {
        let made = kernel("");
        let wanted = ".visible .entry k(.param .u64 k_0, .param .align 8 .b8 ws_context[264])\n.maxntid 64, 2, 1\n{";
        assert!(made.text.contains(wanted), "{}", made.text);
        assert!(made.text.starts_with(".version 9.0\n.target sm_90\n.address_size 64\n"));
        assert_eq!(made.parameters, [(0, 8)]);
        let older = module("").replace(".version 9.0", ".version 7.8");
        let made = instrumented(&older).expect("it can be checked");
        assert!(made.text.starts_with(".version 8.4\n"), "the oldest that has what checks need");
    }

    #[test]
    fn texts_are_of_a_version_that_has_their_architecture() {
        let version = |of_code, target| {
            let head = super::head(of_code, target);
            head.lines().next().unwrap_or_default().to_owned()
        };
        let version_7 = Some(warpsan_ptx::Version { major: 7, minor: 0 });
        assert_eq!(version(version_7, "sm_80"), ".version 8.4");
        assert_eq!(version(None, "sm_90a"), ".version 8.4");
        assert_eq!(version(version_7, "sm_100"), ".version 8.6");
        assert_eq!(version(None, "sm_100f"), ".version 8.8");
        assert_eq!(version(None, "sm_120a"), ".version 8.7");
        let version_9 = Some(warpsan_ptx::Version { major: 9, minor: 1 });
        assert_eq!(version(version_9, "sm_121"), ".version 9.1");
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        let why = refusal("tex.1d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];").to_string();
        assert!(why.contains("`tex.1d.v4.f32.s32`, whose meaning is not known"), "{why}");
        let why = refusal(
            "{ .param .b64 p; st.param.b64 [p], %rd1; call %rd2, (p), type; type: .callprototype _ (.param .b64 _); }",
        );
        assert_eq!(why, Refusal::CallThroughPointer);
        assert_eq!(why.to_string(), "it calls functions through pointers");
        let other = module("").replace(".entry k(", ".entry other(");
        let why = instrumented(&other).expect_err("no k");
        assert_eq!(why.to_string(), "its module has no PTX for it");
    }
}
