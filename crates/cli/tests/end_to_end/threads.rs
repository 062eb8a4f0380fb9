//! What reports say of races among threads of a real program.

use std::path::Path;

use crate::support::build::host_compiler;
use crate::support::command::{run, warpsan};
use crate::support::fresh_folder;

#[test]
fn locks_that_were_held_are_named_with_their_lines() {
    let program = fresh_folder("held-locks").join("held_locks");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/end_to_end/programs");
    let flags = ["-g", "-O1", "-fsanitize=thread", "-pthread", "-o", &program.to_string_lossy()];
    host_compiler(&flags, &[&sources.join("held_locks.c")]);
    run(warpsan(["run", "--"]).arg(&program)).expect_code(1).expect_stderr(&[
        "1 race found",
        "no lock in common: the first access is under 2 locks: ",
        "held_locks.c:12:",
        "held_locks.c:29:",
        "; the second is under the lock ",
        "held_locks.c:41:",
    ]);
}
