//! The PTX of the device's side of detectors belongs to its sources.

use std::path::Path;

use warpsan_testkit::device_runtime::compile_all;
use warpsan_toolchain::Search;

/// Another release of the compiler makes other PTX of the same source, so only this one is compared.
const MADE_BY: &str = "13.0.";

#[test]
fn the_committed_ptx_is_what_the_compiler_makes_of_the_source() {
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let all = compile_all(&root, &toolchain).expect("the sources compile");
    for compiled in &all {
        let text = &compiled.committed;
        for word in ["\t.file", "\t.loc", ".section", "Compiler Build", ".cu\""] {
            assert!(!text.contains(word), "{}: `{word}`", compiled.file.display());
        }
    }
    let version = toolchain.toolkit().version().expect("a version");
    if version.starts_with(MADE_BY) {
        for compiled in &all {
            let difference = compiled.first_difference();
            assert!(
                compiled.is_current(),
                "{} does not belong to its sources; `cargo xtask device-runtime --write` makes it again: \
                 {difference:?}",
                compiled.file.display()
            );
        }
    }
}
