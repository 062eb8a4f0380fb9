//! Kernels that ship everything to the host, on the CPU engine: what detectors make of their records is what they make of
//! the kernels as they are. A part of what the command `shipped-kernels` does with all programs.

use warpsan_instrument::{DevicePlan, InstructionRefusal, MetadataPlan, Refusal, Shipping};
use warpsan_suite::{Answer, Program, judge, read_programs};
use warpsan_testkit::instrumented::{
    Choices, NOT_EMULATED, UnknownFlag, answer_when_shipped,
    answer_when_shipped_without_reconvergence,
};
use warpsan_testkit::shipping::leniently;
use warpsan_toolchain::{Search, Toolchain};

use crate::root;

/// Programs of `suites/hb` that are run here: every one whose name begins so.
const SAMPLE: [&str; 11] = [
    "idioms/bulk_",
    "idioms/cluster_",
    "idioms/copy_",
    "idioms/mbarrier_",
    "idioms/lock_",
    "idioms/matrix_",
    "idioms/warp_tile",
    "matrix/dsm_",
    "matrix/fence_sc",
    "matrix/same_value_",
    "matrix/named_barrier",
];
/// Weak stores have no turns, so where one is shipped among the strong accesses of another block depends on when queues are
/// read. Here the other block's store may come first, and hides its compare-and-swap: one of three races is not found.
const DEPENDS_ON_READING: &str = "idioms/lock_plain_unlock.cu";
const SEEDS: [u64; 2] = [1, 2];
/// Lanes that read in a branch do not wait for others of which nothing is known since they were in front of it: these may
/// have gone another way. Here they write in a branch inside of it.
const NOT_KNOWN_TO_RECONVERGE: &str = "branch_nested_joined.cu";
/// Kernels do not ship where branches end, so that of two branches behind each other, with nothing of all lanes between them, the
/// lanes look like those of two paths.
const ENDS_ARE_NOT_SHIPPED: [&str; 3] = [
    "branch_of_other_lanes_in_each_round.cu",
    "branch_predicated_behind_each_other.cu",
    "branch_two_behind_each_other.cu",
];
/// Granularities and histories that are not the usual ones.
const SHAPES: [(u8, u8); 6] = [(1, 1), (16, 1), (4, 2), (4, 8), (2, 4), (16, 8)];

/// Whether a program has a flag that is not for a device, or a kernel of it an operation that is never shipped.
fn is_not_for_a_device(error: &anyhow::Error) -> bool {
    let not_shipped = matches!(
        error.downcast_ref(),
        Some(Refusal::Instruction { reason: InstructionRefusal::BulkCopyBetweenBlocks, .. })
    );
    not_shipped || error.is::<UnknownFlag>()
}

/// What is wrong with a program whose operations are shipped; nothing where it is not for a device.
fn problems(
    program: &Program,
    toolchain: &Toolchain,
    detector: &str,
    choices: &Choices,
) -> Option<Vec<String>> {
    let mut answers = Vec::new();
    let mut wrong = Vec::new();
    for seed in SEEDS {
        match answer_when_shipped(program, toolchain, detector, choices, seed) {
            Ok(shipped) => {
                wrong.extend(shipped.differences);
                answers.push((seed, shipped.answer));
            }
            Err(error) if is_not_for_a_device(&error) => return None,
            Err(error) => return Some(vec![format!("{error:#}")]),
        }
    }
    let verdict = judge(&leniently(program, &answers), &answers);
    wrong.extend(verdict.problems.into_iter().map(|problem| problem.what));
    Some(wrong)
}

/// How many programs are right; all of them have to be that are judged.
fn all_right(programs: &[Program], (plan, detector): (DevicePlan, &str)) -> usize {
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let (mut wrong, mut right) = (Vec::new(), 0);
    for program in programs {
        let choices = Choices::of(program, plan);
        let Some(problems) = problems(program, &toolchain, detector, &choices) else { continue };
        right += usize::from(problems.is_empty());
        wrong.extend(problems.iter().map(|problem| format!("{}: {problem}", program.name)));
    }
    assert!(wrong.is_empty(), "{right} are right, and these are not:\n{}", wrong.join("\n"));
    right
}

#[test]
fn what_is_shipped_has_the_races_of_the_kernel() {
    let mut programs = read_programs(&root().join("suites/hb"), "hb").expect("the suite");
    programs.retain(|program| SAMPLE.iter().any(|start| program.name.starts_with(start)));
    programs.retain(|program| program.name != DEPENDS_ON_READING);
    let right = all_right(&programs, (DevicePlan::Ship(Shipping::Everything), "hb"));
    assert!(right > 120, "{right} programs");
}

#[test]
fn device_and_host_find_the_same_in_what_is_shipped_in_order() {
    let mut programs = read_programs(&root().join("suites/iguard"), "iguard").expect("the suite");
    programs.retain(|program| !NOT_EMULATED.contains(&program.name.as_str()));
    let right =
        all_right(&programs, (DevicePlan::Metadata(MetadataPlan::USUAL.ordered()), "iguard"));
    assert!(right > 40, "{right} programs");
}

#[test]
fn barracuda_says_the_same_of_what_is_shipped_once() {
    let mut programs = read_programs(&root().join("suites/bugs"), "barracuda").expect("the suite");
    programs.retain(|program| !ENDS_ARE_NOT_SHIPPED.contains(&program.name.as_str()));
    let right = all_right(&programs, (DevicePlan::Ship(Shipping::Once), "barracuda"));
    assert!(right > 130, "{right} programs");
}

/// Lanes that have diverged run on by themselves where their paths reconverge, as they may on a GPU.
#[test]
fn barracuda_says_the_same_where_lanes_do_not_reconverge() {
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let mut programs = read_programs(&root().join("suites/bugs"), "barracuda").expect("the suite");
    programs.retain(|program| program.name != NOT_KNOWN_TO_RECONVERGE);
    programs.retain(|program| !ENDS_ARE_NOT_SHIPPED.contains(&program.name.as_str()));
    let (mut wrong, mut right) = (Vec::new(), 0);
    for program in &programs {
        let choices = Choices::of(program, DevicePlan::Ship(Shipping::Once));
        let answer = |seed| {
            let shipped = answer_when_shipped_without_reconvergence(
                program,
                &toolchain,
                "barracuda",
                &choices,
                seed,
            );
            (seed, shipped.unwrap_or_else(|why| panic!("{}: {why:#}", program.name)).answer)
        };
        let answers: Vec<(u64, Answer)> = (1..=5).map(answer).collect();
        let verdict = judge(&leniently(program, &answers), &answers);
        right += usize::from(verdict.problems.is_empty());
        let problems = verdict.problems.iter();
        wrong.extend(problems.map(|one| format!("{}: {} {:?}", program.name, one.what, one.seeds)));
    }
    assert!(wrong.is_empty(), "{right} are right, and these are not:\n{}", wrong.join("\n"));
    assert!(right > 130, "{right} programs");
}

/// Other granularities and histories: what programs expect is for the usual ones, so that device and host are compared with
/// each other only.
#[test]
fn device_and_host_find_the_same_with_any_granularity_and_history() {
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let mut programs = read_programs(&root().join("suites/iguard"), "iguard").expect("the suite");
    programs.retain(|program| !NOT_EMULATED.contains(&program.name.as_str()));
    let (mut wrong, mut races) = (Vec::new(), [0; SHAPES.len()]);
    for program in &programs {
        let usual = Choices::of(program, DevicePlan::Metadata(MetadataPlan::USUAL.ordered()));
        for ((granularity, history), races) in SHAPES.into_iter().zip(&mut races) {
            let choices = usual.with(granularity, history);
            let shipped = answer_when_shipped(program, &toolchain, "iguard", &choices, 1)
                .unwrap_or_else(|why| panic!("{}: {why:#}", program.name));
            let Answer::Checked { races: found, .. } = shipped.answer else {
                panic!("{} with {granularity} and {history}: {:?}", program.name, shipped.answer);
            };
            *races += found.len();
            let name = &program.name;
            let problem = |what| format!("{name} with {granularity} and {history}: {what}");
            wrong.extend(shipped.differences.into_iter().map(problem));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Larger locations, and more accessors, have more races.
    let [bytes, sixteen, two, eight, ..] = races;
    assert!(bytes > 20 && bytes < sixteen && bytes < two && two < eight, "{races:?}");
}
