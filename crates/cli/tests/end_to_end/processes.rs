//! Programs of several processes, and programs that are killed, crash or never end. `cargo xtask processes` tries
//! more of them.

use std::path::{Path, PathBuf};

use warpsan_testkit::processes::{Bench, Size, compile, run_all};
use warpsan_toolchain::Search;

use crate::support::build::need_compiler;

const SIZE: Size = Size { processes: 4, kills: 3, seed: 1 };

#[test]
fn nothing_that_was_found_is_lost_and_nothing_stays_behind() {
    need_compiler();
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let program = compile(&toolchain, &root).unwrap_or_else(|error| panic!("{error:#}"));
    let bench = Bench { warpsan: PathBuf::from(env!("CARGO_BIN_EXE_warpsan")), program };
    let wrong: Vec<String> = run_all(&bench, SIZE, |_| {})
        .into_iter()
        .flat_map(|trial| {
            trial.wrong.into_iter().map(move |message| format!("{}: {message}", trial.name))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
