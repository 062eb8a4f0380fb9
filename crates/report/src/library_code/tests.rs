use super::*;
use crate::samples::{frame, race, report};
use crate::{Verdict, render_text};

const INCLUDE: &str = "/usr/local/cuda/include";

/// A race in shared memory whose sides come by these headers, innermost first, from these lines of the user; line 0 is
/// a kernel of the library itself.
fn within(headers: &[&str], lines: [u32; 2]) -> Race {
    let mut race = race();
    for (access, line) in [&mut race.first, &mut race.second].into_iter().zip(lines) {
        access.frames =
            headers.iter().map(|header| frame("f", &format!("{INCLUDE}/{header}"), 7)).collect();
        if line > 0 {
            access.frames.push(frame("sum", "sum.cu", line));
        }
        access.block = warpsan_model::Dim3::new(0, 0, 0);
        access.warp = 0;
    }
    race
}

fn in_global(mut race: Race, strengths: [&str; 2]) -> Race {
    race.location.space = Some(Space::Global);
    [race.first.strength, race.second.strength] = strengths.map(str::to_string);
    race
}

const GROUP_REDUCE: [&str; 1] = ["cooperative_groups/details/reduce.h"];
const BLOCK_REDUCE: [&str; 2] = ["cccl/cub/warp/specializations/x.cuh", "cccl/cub/block/x.cuh"];

#[test]
fn temporary_storage_is_the_librarys_in_kernels_of_its_own() {
    for header in ["cccl/cub/agent/x.cuh", "cub/agent/x.cuh"] {
        let in_own_kernel = within(&[header], [0, 0]);
        assert!(in_own_kernel.is_library_code());
        let mut of_two_warps = in_own_kernel.clone();
        of_two_warps.second.warp = 1;
        assert!(of_two_warps.is_library_code(), "the user has no barrier there");
        let of_two_launches = Race { kind: RaceKind::InterKernel, ..in_own_kernel };
        assert!(!of_two_launches.is_library_code(), "the user has chosen the streams");
        let begun_early = Race { programmatic: true, ..of_two_launches };
        let begun_early = in_global(begun_early, ["weak", "weak"]);
        assert!(begun_early.is_library_code(), "it should have waited for its own kernel");
    }
}

#[test]
fn temporary_storage_in_a_kernel_of_the_user_is_shown() {
    assert!(!within(&BLOCK_REDUCE, [9, 12]).is_library_code(), "a barrier between two calls");
    let in_a_line = within(&BLOCK_REDUCE, [9, 9]);
    assert!(
        !in_a_line.is_library_code(),
        "a barrier in the loop around the call, also if unrolled"
    );
    let at_once = Race { order: AccessOrder::Unknown, ..in_a_line };
    assert!(!at_once.is_library_code(), "one rank for two items");
}

#[test]
fn what_the_user_handed_in_is_the_users() {
    let stored = within(&["cccl/cub/block/block_store.cuh"], [9, 9]);
    assert!(!in_global(stored, ["weak", "weak"]).is_library_code(), "one part for all blocks");
    let kernel = within(&["cccl/thrust/system/cuda/detail/x.h"], [0, 0]);
    assert!(!in_global(kernel.clone(), ["weak", "weak"]).is_library_code(), "overlapping ranges");
    assert!(
        in_global(kernel, ["weak", "relaxed, device scope"]).is_library_code(),
        "its own flags"
    );
    let alone =
        within(&["cccl/thrust/system/detail/sequential/sort.inl", "cccl/thrust/sort.h"], [9, 9]);
    assert!(!alone.is_library_code(), "each thread on its own");
}

#[test]
fn a_functor_of_the_user_within_the_library_is_the_users() {
    let mut race = within(&["cccl/thrust/for_each.h"], [0, 0]);
    race.first.frames.insert(0, frame("operator()", "sum.cu", 3));
    assert!(!race.is_library_code());
    let mut race = within(&GROUP_REDUCE, [9, 9]);
    race.second.frames = vec![frame("sum", "sum.cu", 9)];
    assert!(!race.is_library_code(), "one side alone");
    race.second.frames.clear();
    assert!(!race.is_library_code(), "nobody knows where it is");
}

#[test]
fn objects_of_groups_and_pipelines_are_the_librarys_from_call_to_call() {
    let destructor = within(&["cccl/cuda/__barrier/barrier.h", "cccl/cuda/pipeline"], [9, 12]);
    assert!(destructor.is_library_code());
    let mut made_again = destructor.clone();
    made_again.second.frames[1].function = "cuda::__4::make_pipeline<(unsigned char)1>".into();
    assert!(!made_again.is_library_code(), "its state is still in use");
    let mut copies = destructor.clone();
    for access in [&mut copies.first, &mut copies.second] {
        access.frames[1].function = "cuda::__4::memcpy_async<int, std::plus<int> >".into();
    }
    assert!(!copies.is_library_code(), "two stages in one buffer");
    let mut reduce = within(&["cooperative_groups/details/reduce.h"], [9, 9]);
    assert!(reduce.is_library_code());
    for access in [&mut reduce.first, &mut reduce.second] {
        access.frames[0].function = "cooperative_groups::__v1::reduce_store_async<int>".into();
    }
    assert!(!reduce.is_library_code(), "two groups store to one place");
    let grid = within(&["cooperative_groups/details/sync.h", "cooperative_groups.h"], [9, 12]);
    assert!(in_global(grid, ["volatile", "relaxed, device scope"]).is_library_code());
}

#[test]
fn atomics_and_barriers_of_the_user_are_shown() {
    for header in [
        "cccl/cuda/std/__atomic/functions.h",
        "cccl/cuda/__barrier/barrier.h",
        "cccl/cuda/__memcpy_async/memcpy_async.h",
        "sm_60_atomic_functions.hpp",
        "cuda_pipeline_primitives.h",
    ] {
        assert!(!within(&[header], [9, 9]).is_library_code(), "{header}");
    }
}

#[test]
fn surplus_lanes_of_a_group_copy_the_same_and_two_groups_do_not() {
    let copies = ["cooperative_groups/details/async.h", "cooperative_groups/memcpy_async.h"];
    let race = Race { order: AccessOrder::Unknown, ..within(&copies, [9, 9]) };
    assert!(race.is_library_code());
    let in_a_loop = Race { order: AccessOrder::FirstThenSecond, ..race.clone() };
    assert!(!in_a_loop.is_library_code(), "one copy behind another, in a loop");
    let mut of_two_warps = race.clone();
    of_two_warps.second.warp = 1;
    assert!(!of_two_warps.is_library_code(), "both copy to one place");
    assert!(!within(&copies, [9, 12]).is_library_code(), "one copy behind another, in two lines");
}

#[test]
fn what_the_user_does_in_the_same_lines_is_another_entry() {
    let (hidden, own) = (within(&GROUP_REDUCE, [14, 14]), race());
    let lines = |race: &Race| (race.first.line(), race.second.line());
    assert_eq!(lines(&hidden), lines(&own));
    for races in [vec![hidden.clone(), own.clone()], vec![own, hidden]] {
        let mut report = report(races);
        report.hide_library_code();
        assert_eq!((report.races.len(), report.library.len()), (1, 1));
        assert_eq!(report.verdict(false), Verdict::Races);
    }
}

#[test]
fn hidden_races_are_counted_in_one_line_and_change_no_verdict() {
    let mut report = report(vec![within(&GROUP_REDUCE, [9, 9])]);
    report.hide_library_code();
    report.hide_library_code();
    assert_eq!((report.races.len(), report.library.len()), (0, 1));
    assert_eq!(report.verdict(true), Verdict::Clean);
    assert_eq!(report.all_races().count(), 1);
    let text = render_text(&report, false);
    let line = "warpsan: 1 race within NVIDIA's own headers, seen 3 times, not shown; \
                --library-code=show shows them\n";
    assert!(
        text.contains("no races found; everything was checked") && text.contains(line),
        "{text}"
    );
    assert!(!text.contains("error["), "{text}");
    let mut other = report.clone();
    other.races.push(race());
    assert_eq!(other.verdict(false), Verdict::Races);
}
