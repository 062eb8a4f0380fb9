//! Kernels on private copies, on the emulated device: clean ones leave what they leave without copies, and racy ones are found.

use warpsan_instrument::{CopiesLimits, CopiesMode, CopiesPart, CopiesPlan, DeviceReport};
use warpsan_model::{DeviceAddress, Dim3, Geometry};
use warpsan_ptx::Document;
use warpsan_testkit::instrumented::{EmulatedDevice, EmulatedLaunch, OnCopies, Parsed};
use warpsan_toolchain::{KernelOptions, Search};

const LIMITS: CopiesLimits = CopiesLimits { copies: None, bytes: 1 << 28, goes_on: false };

/// Kernels of `(int *data, const int *in, int n)`.
const KERNELS: &str = r#"
extern "C" __global__ void own_elements(int *data, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = data[i] + in[i] * 2;
}
extern "C" __global__ void permuted(int *data, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[in[i]] = data[in[i]] + i + 1;
}
extern "C" __global__ void blocks_write_one_place(int *data, const int *in, int n) {
    // One thread of each block.
    if (threadIdx.x == 5)
        data[0] = blockIdx.x + 7; // line 13
}
extern "C" __global__ void blocks_read_others(int *data, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[in[i]] = i + 1; // line 17
    if (i == n - 1)
        data[n + in[i]] = data[in[0]] + 3; // line 19
}
extern "C" __global__ void warps_write_one_place(int *data, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 == 3)
        data[in[blockIdx.x * blockDim.x]] = threadIdx.x + 1; // line 24
}
extern "C" __global__ void reversed(int *data, const int *in, int n) {
    __shared__ int tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i] + 1;
    __syncthreads();
    data[i] = tile[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ void reversed_too_early(int *data, const int *in, int n) {
    __shared__ int tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = in[i] + 1; // line 36
    data[i] = tile[blockDim.x - 1 - threadIdx.x]; // line 37
}
extern "C" __global__ void reduced(int *data, const int *in, int n) {
    __shared__ int part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = in[i];
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) data[blockIdx.x] = part[0];
}
extern "C" __global__ void reduced_without_barrier(int *data, const int *in, int n) {
    __shared__ int part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = in[i] + 1;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2)
        if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s]; // line 56
    __syncthreads();
    if (threadIdx.x == 0) data[blockIdx.x] = part[0];
}
extern "C" __global__ void leaves_early(int *data, const int *in, int n) {
    __shared__ int part[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = in[i];
    if (threadIdx.x >= 70) { data[i] = 5; return; }
    __syncthreads();
    int before = part[threadIdx.x];
    __syncthreads();
    part[(threadIdx.x + 33) % 70] = before + 1;
    __syncthreads();
    data[i] = part[threadIdx.x] + before;
}
extern "C" __global__ void through_global(int *data, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[in[i]] = i + 1;
    __syncthreads();
    int other = data[in[blockIdx.x * blockDim.x + (threadIdx.x + 40) % blockDim.x]];
    __syncthreads();
    data[in[i]] = other * 2;
}
extern "C" __global__ void through_global_too_early(int *data, const int *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[in[i]] = i + 1; // line 82
    __syncthreads();
    int other = data[in[blockIdx.x * blockDim.x + (threadIdx.x + 40) % blockDim.x]]; // line 84
    data[in[i]] = other * 2; // line 85
}
extern "C" __global__ void seen_elsewhere(int *data, const int *in, int n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    data[in[i]] = i + 1; // line 89
    out[i] = data[n - 1 - in[i]]; // line 90
}
extern "C" __global__ void exchanged(int *data, const int *in, int n, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *from = data, *to = out;
    for (int step = 0; step < n / 100; step++) {
        to[in[i]] = from[in[i]] + 1;
        __syncthreads();
        int *last = from;
        from = to;
        to = last;
    }
}
extern "C" __global__ void counts(int *data, const int *in, int n) {
    atomicAdd(&data[0], 1);
}
"#;

fn module() -> Document {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kernels.cu");
    std::fs::write(&file, KERNELS).expect("a file");
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let options = KernelOptions { flags: vec!["-lineinfo".into()] };
    let compiled = toolchain.compile_kernels(&file, &options).expect("it compiles");
    Document::parse(compiled.ptx)
}

/// What is in front of a launch: a permutation of so many numbers, and memory for twice as many results.
struct Prepared {
    device: EmulatedDevice,
    data: DeviceAddress,
    numbers: usize,
}

const BLOCKS: u32 = 3;
const THREADS: u32 = 128;

fn on_copies(
    document: &Document,
    kernel: &str,
    mode: CopiesMode,
    limits: &CopiesLimits,
) -> anyhow::Result<(OnCopies, Vec<i32>)> {
    let numbers = (BLOCKS * THREADS) as usize;
    let mut device = EmulatedDevice::new()?;
    let data = device.allocate(numbers as u64 * 8)?;
    let input = device.allocate(numbers as u64 * 4)?;
    let prepared = Prepared { device, data, numbers };
    let Prepared { mut device, data, numbers } = prepared;
    // Blocks stay among themselves.
    let permuted =
        (0..numbers as u32).map(|i| i / THREADS * THREADS + (i % THREADS * 37 + 5) % THREADS);
    let bytes: Vec<u8> = permuted.flat_map(u32::to_le_bytes).collect();
    device.memory().write(input, &bytes)?;
    let initial: Vec<u8> = (0..2 * numbers as u32).flat_map(|i| (i * 3).to_le_bytes()).collect();
    device.memory().write(data, &initial)?;
    let mut parameters = Vec::new();
    parameters.extend(data.0.to_le_bytes());
    parameters.extend(input.0.to_le_bytes());
    parameters.extend((numbers as u32).to_le_bytes());
    if ["seen_elsewhere", "exchanged"].contains(&kernel) {
        let out = device.allocate(numbers as u64 * 4)?;
        parameters.resize(24, 0);
        parameters.extend(out.0.to_le_bytes());
    }
    let launch = EmulatedLaunch {
        kernel,
        geometry: Geometry { grid: Dim3::new(BLOCKS, 1, 1), block: Dim3::new(THREADS, 1, 1) },
        dynamic_shared_bytes: 0,
        parameters,
        cooperative: false,
        cluster: None,
        options: 0,
        seed: 3,
    };
    let done = device.launch_on_copies(document, &launch, mode, limits)?;
    let mut result = vec![0; initial.len()];
    device.memory().read(data, &mut result)?;
    let result =
        result.chunks_exact(4).map(|one| i32::from_le_bytes([one[0], one[1], one[2], one[3]]));
    Ok((done, result.collect()))
}

/// What a kernel that does not race leaves, computed here.
fn expected(kernel: &str) -> Vec<i32> {
    let numbers = (BLOCKS * THREADS) as i32;
    let threads = THREADS as i32;
    let input = |i: i32| i / threads * threads + (i % threads * 37 + 5) % threads;
    let mut data: Vec<i32> = (0..2 * numbers).map(|i| i * 3).collect();
    for i in 0..numbers {
        let (block, thread) = (i / threads, i % threads);
        match kernel {
            "own_elements" => data[i as usize] += input(i) * 2,
            "permuted" => data[input(i) as usize] += i + 1,
            "reversed" => {
                data[i as usize] = input(block * threads + threads - 1 - thread) + 1;
            }
            "reduced" if thread == 0 => {
                data[block as usize] = (0..threads).map(|t| input(i + t)).sum();
            }
            "leaves_early" if thread >= 70 => data[i as usize] = 5,
            "leaves_early" => {
                let from = (thread + 70 - 33) % 70;
                data[i as usize] = input(block * threads + from) + 1 + input(i);
            }
            // Three steps: the last one is to the other memory.
            "exchanged" => data[input(i) as usize] += 2,
            "through_global" => {
                let other = block * threads + (thread + 40) % threads;
                data[input(i) as usize] = (other + 1) * 2;
            }
            _ => {}
        }
    }
    data
}

fn line(done: &OnCopies, site: u32) -> Option<u32> {
    let site = done.logged.as_ref()?.sites.sites.get(site as usize)?;
    site.position().map(|position| position.line)
}

#[test]
fn clean_kernels_leave_what_they_leave_without_copies() {
    let document = module();
    for kernel in [
        "own_elements",
        "permuted",
        "reversed",
        "reduced",
        "leaves_early",
        "through_global",
        "exchanged",
    ] {
        for copies in [None, Some(2)] {
            let limits = CopiesLimits { copies, ..LIMITS };
            let (done, data) =
                on_copies(&document, kernel, CopiesMode::Detect, &limits).expect(kernel);
            assert_eq!(done.reports, [], "{kernel} {copies:?}");
            assert_eq!(done.sequence.missing, None, "{kernel}");
            assert_eq!(data, expected(kernel), "{kernel} {copies:?}");
        }
        for mode in [CopiesMode::RaceFree, CopiesMode::Deterministic] {
            let (_, data) = on_copies(&document, kernel, mode, &LIMITS).expect(kernel);
            assert_eq!(data, expected(kernel), "{kernel} {mode:?}");
        }
    }
}

#[test]
fn racy_kernels_are_found_with_their_lines() {
    let document = module();
    // The pattern, between whom, and the lines.
    let cases = [
        ("blocks_write_one_place", 1 | 2 << 2, (13, 13)),
        ("blocks_read_others", 2 | 2 << 2, (17, 19)),
        ("warps_write_one_place", 1 | 1 << 2, (24, 24)),
        ("reversed_too_early", 2 | 1 << 2, (36, 37)),
        ("reduced_without_barrier", 2 | 1 << 2, (56, 56)),
        ("through_global_too_early", 2 | 1 << 2, (85, 84)),
        // What the reader makes of it is left out as affine.
        ("seen_elsewhere", 2 | 2 << 2, (89, 90)),
    ];
    for (kernel, rule, lines) in cases {
        for copies in [None, Some(2)] {
            let limits = CopiesLimits { copies, ..LIMITS };
            let (done, _) =
                on_copies(&document, kernel, CopiesMode::Detect, &limits).expect(kernel);
            let [report] = done.reports[..] else { panic!("{kernel}: {:?}", done.reports) };
            let DeviceReport { site, previous_site, .. } = report;
            assert_eq!(report.value_rule(), rule, "{kernel}: {report:?}");
            let found = (line(&done, previous_site), line(&done, site));
            assert_eq!(found, (Some(lines.0), Some(lines.1)), "{kernel} {copies:?}: {report:?}");
            assert_ne!(report.thread(), report.previous_thread(), "{kernel}: {report:?}");
        }
    }
}

#[test]
fn what_is_affine_is_left_out_and_memory_is_copies_times_targets() {
    let document = module();
    let run = |kernel| on_copies(&document, kernel, CopiesMode::Detect, &LIMITS).expect(kernel).0;
    let own = run("own_elements");
    assert_eq!((own.placement.stride, own.placement.left_out), (0, own.placement.accesses));
    let permuted = run("permuted");
    let bytes = u64::from(BLOCKS * THREADS) * 8;
    assert_eq!(permuted.placement.stride, bytes);
    let warps = u64::from(BLOCKS * THREADS.div_ceil(32));
    assert_eq!(permuted.sequence.copies, warps);
    assert_eq!(permuted.sequence.bytes(&permuted.placement), (warps + 1) * bytes);
    assert_eq!((permuted.placement.left_out, permuted.placement.accesses), (1, 3));
}

#[test]
fn a_deterministic_run_of_a_racy_kernel_has_one_result() {
    let document = module();
    for kernel in ["blocks_write_one_place", "reversed_too_early", "warps_write_one_place"] {
        let (_, first) =
            on_copies(&document, kernel, CopiesMode::Deterministic, &LIMITS).expect(kernel);
        if kernel == "blocks_write_one_place" {
            assert_eq!(first[0], BLOCKS as i32 - 1 + 7, "the last block's");
        }
        let (_, second) =
            on_copies(&document, kernel, CopiesMode::Deterministic, &LIMITS).expect(kernel);
        assert_eq!(first, second, "{kernel}");
    }
}

#[test]
fn kernels_with_atomics_are_refused_by_name_where_their_order_may_matter() {
    let document = module();
    let refused = on_copies(&document, "counts", CopiesMode::Detect, &LIMITS).expect_err("atomics");
    let text = refused.to_string();
    assert!(text.contains("an atomic operation, which cannot run on private copies"), "{text}");
    let (_, data) =
        on_copies(&document, "counts", CopiesMode::RaceFree, &LIMITS).expect("any order");
    assert_eq!(data[0], (BLOCKS * THREADS) as i32);
}

#[test]
fn the_assembler_takes_every_variant() {
    let document = module();
    let toolchain = Search::new(None).find().expect("it is looked for").expect("a compiler");
    let ptxas = toolchain.toolkit().ptxas().expect("an assembler");
    let folder = tempfile::tempdir().expect("a folder");
    let parsed = Parsed::of(&document);
    for kernel in parsed.kernels() {
        for part in [CopiesPart::Pass, CopiesPart::Regions, CopiesPart::Log] {
            let plan = CopiesPlan::new(CopiesMode::RaceFree).with(part);
            let made = parsed.instrument(kernel, "sm_90", plan).expect(kernel.name);
            let file = folder.path().join("kernel.ptx");
            std::fs::write(&file, &made.text).expect("a file");
            let output = std::process::Command::new(&ptxas)
                .args(["-arch=sm_90", "-o", "/dev/null"])
                .arg(&file)
                .output()
                .expect("an assembler");
            let messages = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{} {part:?}: {messages}", kernel.name);
        }
    }
}
