//! Any text: the parser ends, takes little memory, and what it prints reads as the same tree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use warpsan_fuzz::within_memory;
use warpsan_ptx::{Document, print};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let document = within_memory(data, || Document::parse(text.to_string()));
    for error in document.errors().iter().take(3) {
        let _ = error.message_with_line(text);
    }
    let printed = print(&document.module());
    let again = Document::parse(printed.clone());
    let missing_version = document.module().version().is_none();
    assert!(missing_version || again.errors().is_empty(), "what was printed is not PTX:\n{printed}");
    assert_eq!(print(&again.module()), printed, "printing is not stable");
});
