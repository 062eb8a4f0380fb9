//! What kernels may use: each thing runs, and its results are right.

use crate::support::build::{executable, need_compiler};
use crate::support::command::{run, warpsan};
use crate::support::{fresh_folder, program};

#[test]
fn halves_grid_barriers_clusters_dynamic_memory_and_recursion_give_right_values() {
    need_compiler();
    let ended = run(warpsan(["check", "--print", "all"]).arg(program("kernels.cu")));
    let text = String::from_utf8_lossy(&ended.expect_code(0).stdout).into_owned();
    for buffer in [
        "y: f16[8] after launch 0 of `halves`\n  [0] 0.5 1.5 4.5 9.5 16.5 25.5 36.5 49.5\n",
        "totals: u32[4] after launch 2 of `sums`\n  [0] 10 10 10 10\n",
        "neighbours: i64[4] after launch 3 of `pairs`\n  [0] -10 0 -30 -20\n",
        "places: u8[100] after launch 4 of `backwards`\n  [0] 99 98 97 96 95 94 93 92\n",
        "products: f64[4] after launch 5 of `factorials`\n  \
         [0] 3628800.0 39916800.0 479001600.0 6227020800.0\n",
        "everything was checked: 6 launches of 6 kernels",
    ] {
        assert!(text.contains(buffer), "`{buffer}` is missing in:\n{text}");
    }
}

#[test]
fn what_kernels_print_is_on_standard_error_of_a_check() {
    need_compiler();
    let ended = run(warpsan(["check"]).arg(program("kernels.cu")));
    ended.expect_code(0);
    let mut lines: Vec<&str> = ended.stderr.lines().collect();
    lines.sort_unstable();
    let expected = [(0, 0), (0, 1), (1, 0), (1, 1)]
        .map(|(block, thread)| format!("block {block} thread {thread} of 18446744073709551615"));
    assert_eq!(lines, expected);
}

#[test]
fn what_kernels_print_is_on_standard_output_of_a_run_in_order_with_the_programs_own_words() {
    let folder = fresh_folder("printing");
    let built = executable(&program("printing.cu"), &folder);
    let ended = run(warpsan(["run", "--"]).arg(built));
    ended.expect_code(0);
    assert_eq!(String::from_utf8_lossy(&ended.stdout), "before\nkernel 7\nafter\n");
}
