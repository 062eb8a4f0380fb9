//! Instrumented kernels on the CPU engine: they compute what they computed, and find what the detector finds.

use warpsan_instrument::{DevicePlan, MetadataPlan, Refusal, Shape};
use warpsan_ir::{ModuleIndex, SymbolTable};
use warpsan_model::{Dim3, Geometry};
use warpsan_oracle::kernels::{GeneratedKernel, random_kernel};
use warpsan_ptx::Document;
use warpsan_simt::{Launch, Prepared, Schedule, run};
use warpsan_suite::{Program, read_programs};
use warpsan_testkit::instrumented::{
    Choices, EmulatedDevice, EmulatedLaunch, NOT_EMULATED, Parsed, found_in,
};
use warpsan_toolchain::{Search, Toolchain};

use crate::root;

/// Random kernels, with functions, recursion, barriers, atomics and every kind of access.
const KERNELS: u64 = 40;
/// Which threads are at a location first is up to the schedule, and a check is not one step with its access; so a race
/// has to be found with one of these.
const SEEDS: [u64; 4] = [1, 2, 3, 4];

/// The parameters of a random kernel, in memory of a device, and where its data is.
fn parameters(device: &mut EmulatedDevice, kernel: &GeneratedKernel) -> (Vec<u8>, u64) {
    let inputs: Vec<u8> = kernel.inputs.iter().flat_map(|word| word.to_le_bytes()).collect();
    let data = device.allocate(4 * kernel.data_words as u64).expect("memory");
    let place = device.allocate(inputs.len() as u64).expect("memory");
    device.memory().write(place, &inputs).expect("memory that was allocated");
    let mut parameters = data.0.to_le_bytes().to_vec();
    parameters.extend(place.0.to_le_bytes());
    parameters.extend((kernel.data_words as u32).to_le_bytes());
    (parameters, data.0)
}

fn data(device: &EmulatedDevice, at: u64, kernel: &GeneratedKernel) -> Vec<u8> {
    let mut bytes = vec![0; 4 * kernel.data_words];
    let read = device.memory().read(warpsan_model::DeviceAddress(at), &mut bytes);
    read.expect("memory that was allocated");
    bytes
}

fn geometry(kernel: &GeneratedKernel) -> Geometry {
    Geometry { grid: Dim3::new(kernel.grid, 1, 1), block: Dim3::new(kernel.block, 1, 1) }
}

/// The data after the kernel as it is.
fn plain(kernel: &GeneratedKernel, document: &Document) -> Vec<u8> {
    struct Deaf;
    impl warpsan_event::EventSink for Deaf {
        fn batch(&mut self, _: &warpsan_event::Batch<'_>) {}
    }
    let mut device = EmulatedDevice::new().expect("a device");
    let (parameters, at) = parameters(&mut device, kernel);
    let index = ModuleIndex::of(document);
    let lowered = warpsan_ir::kernel(&index, &SymbolTable::new(), &kernel.name).expect("a kernel");
    let prepared = Prepared::new(lowered).expect("a kernel that the engine knows");
    let schedule = Schedule::random(1);
    let launch = Launch::new(&prepared, geometry(kernel), &parameters, &schedule);
    run(&launch, device.memory(), &mut Deaf).result.expect("it runs");
    data(&device, at, kernel)
}

/// Runs random kernels as they are and with these checks.
fn compute_the_same(plan: DevicePlan) {
    let mut compared = 0;
    for seed in 0..KERNELS {
        let kernel = random_kernel(seed);
        let document = Document::parse(kernel.text.clone());
        let parsed = Parsed::of(&document);
        let made = match parsed.instrument(parsed.kernels()[0], "sm_90", plan) {
            Ok(made) => made,
            Err(reason) => {
                assert_eq!(reason, Refusal::CallThroughPointer, "kernel {seed}");
                continue;
            }
        };
        compared += u64::from(made.cost.checked > 0);
        let mut device = EmulatedDevice::for_plan(plan).expect("a device");
        let (parameters, at) = parameters(&mut device, &kernel);
        let launch = EmulatedLaunch {
            kernel: &kernel.name,
            geometry: geometry(&kernel),
            parameters,
            cooperative: false,
            cluster: None,
            dynamic_shared_bytes: 0,
            options: 0,
            seed,
        };
        device.launch(&made, &launch).unwrap_or_else(|error| panic!("kernel {seed}: {error:#}"));
        assert!(
            data(&device, at, &kernel) == plain(&kernel, &document),
            "kernel {seed} computes something else with its checks"
        );
    }
    assert!(compared > KERNELS / 4, "{compared}");
}

#[test]
fn a_kernel_computes_the_same_with_its_checks() {
    compute_the_same(DevicePlan::Metadata(MetadataPlan::USUAL));
}

#[test]
fn a_kernel_computes_the_same_with_checks_that_remember_more() {
    compute_the_same(DevicePlan::Metadata(MetadataPlan::general(Shape::new(16, 8))));
}

/// What the checks of a program find that it does not expect, and what it expects that they do not find.
fn problems(program: &Program, toolchain: &Toolchain, choices: &Choices) -> Vec<String> {
    let mut problems = Vec::new();
    let mut seen = vec![false; program.expectations.len()];
    for seed in SEEDS {
        let all = match found_in(program, toolchain, choices, seed) {
            Ok(all) => all,
            Err(error) => return vec![format!("{error:#}")],
        };
        for found in all {
            if !program.expectations.iter().any(|expected| found.may_be(expected)) {
                problems.push(format!("seed {seed}: {found:?} is not expected"));
            }
            for (seen, expected) in seen.iter_mut().zip(&program.expectations) {
                *seen |= found.is(expected);
            }
        }
    }
    let missed = program.expectations.iter().zip(seen).filter(|(_, seen)| !seen);
    problems.extend(missed.map(|(expected, _)| format!("missed: {expected:?}")));
    problems
}

/// How many programs are right with these checks; all of them have to be.
fn all_right(plan: DevicePlan) -> usize {
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let programs = read_programs(&root().join("suites/iguard"), "iguard").expect("the suite");
    let (mut wrong, mut right) = (Vec::new(), 0);
    for program in &programs {
        // Other options are those of the host's detector only.
        let is_of_device = |flag: &String| flag.starts_with("--iguard-");
        if !program.flags.iter().all(is_of_device) {
            continue;
        }
        if NOT_EMULATED.contains(&program.name.as_str()) {
            continue;
        }
        let problems = problems(program, &toolchain, &Choices::of(program, plan));
        right += usize::from(problems.is_empty());
        wrong.extend(problems.iter().map(|problem| format!("{}: {problem}", program.name)));
    }
    assert!(wrong.is_empty(), "{} are wrong, {right} right:\n{}", wrong.len(), wrong.join("\n"));
    right
}

#[test]
fn checks_find_what_the_detector_finds() {
    let right = all_right(DevicePlan::Metadata(MetadataPlan::USUAL));
    assert!(right > 40, "{right} programs");
}

/// Checks of entries with a lock, which take any granularity and history, and here the usual ones, too.
#[test]
fn checks_for_entries_of_any_shape_find_what_the_detector_finds() {
    let right = all_right(DevicePlan::Metadata(MetadataPlan::general(Shape::default())));
    assert!(right > 40, "{right} programs");
}
