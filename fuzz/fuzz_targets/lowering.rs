//! Any text that parses: every function is lowered, or refused with a reason, within bounds; kernels are
//! expanded.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpsan_fuzz::within_memory;
use warpsan_ir::{CallGraph, ModuleIndex, SymbolTable, function, kernel, module_variables};
use warpsan_ptx::Document;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    within_memory(data, || {
        let document = Document::parse(text.to_string());
        let index = ModuleIndex::of(&document);
        let _ = CallGraph::of(&index);
        for one in document.module().functions() {
            let _ = function(&index, one.name);
        }
        let _ = module_variables(&index);
    });
    // Expanding calls repeats code: its bound is a number of instructions, not the input.
    let document = Document::parse(text.to_string());
    let index = ModuleIndex::of(&document);
    let mut symbols = SymbolTable::new();
    for (number, variable) in document.module().variables().enumerate() {
        symbols.insert(variable.name.to_string(), 0x1000 * (number as u64 + 1));
    }
    for one in document.module().functions().filter(|one| one.is_kernel).take(4) {
        let _ = kernel(&index, &symbols, one.name);
    }
});
