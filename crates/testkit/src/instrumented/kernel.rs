//! One kernel: instrumented, and assembled.

use std::time::{Duration, Instant};

use warpsan_instrument::{
    Cost, DevicePlan, Instrumented, Refusal, Wanted, compiled_block, instrument,
};
use warpsan_ir::{CallGraph, ModuleIndex};
use warpsan_ptx::{Document, Function, Item, print_item};

use super::Text;
use crate::corpus::{Assembled, Compilers};

/// The block that kernels are instrumented for where they do not name one.
const BLOCK: [u32; 3] = [256, 1, 1];

/// What came of a kernel.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// It has its checks, and the assembler takes it.
    Instrumented(Made),
    /// It would run as it is; the reason.
    Refused(Refusal),
    /// The assembler does not take it; its messages.
    Wrong(String),
}

/// What instrumentation made of a kernel.
#[derive(Debug, Clone, Copy)]
pub struct Made {
    /// Bytes of the kernel's text and that of the functions that it may call.
    pub original_bytes: usize,
    /// Bytes of the text with checks.
    pub bytes: usize,
    /// What was done.
    pub cost: Cost,
    /// How long the instrumentation took.
    pub to_instrument: Duration,
    /// How long the assembler took for the result.
    pub to_assemble: Duration,
}

/// A module whose kernels can be instrumented.
#[derive(Debug)]
pub struct Parsed<'d> {
    document: &'d Document,
    index: ModuleIndex<'d>,
    graph: CallGraph,
}

impl<'d> Parsed<'d> {
    /// Reads the names of a module.
    pub fn of(document: &'d Document) -> Parsed<'d> {
        let index = ModuleIndex::of(document);
        let graph = CallGraph::of(&index);
        Parsed { document, index, graph }
    }

    /// The kernels that the module has code for.
    pub fn kernels(&self) -> Vec<&'d Function<'d>> {
        let functions = self.document.module().functions();
        functions.filter(|function| function.is_kernel && function.body.is_some()).collect()
    }

    /// A kernel with its checks.
    pub fn instrument(
        &self,
        kernel: &Function<'_>,
        target: &str,
        plan: DevicePlan,
    ) -> Result<Instrumented, Refusal> {
        let block = compiled_block(kernel).unwrap_or(BLOCK);
        let wanted = Wanted { kernel: kernel.name, block, blocks_at_once: None, target, plan };
        instrument(self.document, &self.index, &wanted)
    }

    /// Instruments a kernel and assembles what comes out.
    pub fn check(
        &self,
        kernel: &Function<'_>,
        text: &Text,
        plan: DevicePlan,
        compilers: &Compilers,
    ) -> Verdict {
        let target = text.target();
        let start = Instant::now();
        let made = match self.instrument(kernel, &target, plan) {
            Ok(made) => made,
            Err(reason) => return Verdict::Refused(reason),
        };
        let to_instrument = start.elapsed();
        match compilers.time_for(&made.text, &target, made.linked.is_some()) {
            Ok(to_assemble) => Verdict::Instrumented(Made {
                original_bytes: self.bytes_of(kernel),
                bytes: made.text.len(),
                cost: made.cost,
                to_instrument,
                to_assemble,
            }),
            Err(Assembled::Refused(log) | Assembled::Broken(log)) => Verdict::Wrong(log),
            Err(Assembled::Code(_)) => Verdict::Wrong("an answer that is none".to_owned()),
        }
    }

    /// Bytes of a kernel's text and of all that it may call.
    fn bytes_of(&self, kernel: &Function<'_>) -> usize {
        let Some(number) = self.graph.number(kernel.name) else { return 0 };
        let reached = self.graph.reachable(number);
        let names: Vec<&str> =
            reached.iter().map(|number| self.graph.functions[*number].name.as_str()).collect();
        let functions = self.document.module().functions();
        let bodies = functions.filter(|one| one.body.is_some() && names.contains(&one.name));
        bodies.map(|one| print_item(&Item::Function(one)).len()).sum()
    }
}
