//! The five algorithms that are compared with native code.

use super::compare::Elements;
use super::inputs::{Numbers, bytes_of};
use super::workload::{Argument, Workload, WorkloadLaunch};

/// N-body, matrix product, histogram, scan and sparse matrix times vector.
pub fn workloads() -> Vec<Workload> {
    vec![nbody(), matmul(), histogram(), scan(), spmv()]
}

fn nbody() -> Workload {
    const BODIES: u32 = 4096;
    const BLOCK: u32 = 256;
    let mut numbers = Numbers::new(1);
    let mut bodies = Vec::new();
    for _ in 0..BODIES {
        bodies.extend(numbers.floats(3));
        // Masses are not negative, or the sums would be small differences of large numbers.
        bodies.extend((numbers.next_f32() + 1.5).to_le_bytes());
    }
    let accelerations = vec![0; bodies.len()];
    Workload {
        name: "nbody",
        size: format!("{BODIES} bodies"),
        buffers: vec![bodies, accelerations],
        output: 1,
        elements: Elements::F32 { tolerance: 1e-4 },
        launches: vec![WorkloadLaunch {
            kernel: "nbody",
            grid: (BODIES / BLOCK, 1),
            block: (BLOCK, 1),
            arguments: vec![Argument::Buffer(0), Argument::Buffer(1), Argument::U32(BODIES)],
        }],
        numbers: vec![BODIES],
        native_calls: 1,
    }
}

fn matmul() -> Workload {
    const SIDE: u32 = 384;
    const TILE: u32 = 16;
    let mut numbers = Numbers::new(2);
    let elements = (SIDE * SIDE) as usize;
    let buffers = vec![numbers.floats(elements), numbers.floats(elements), vec![0; elements * 4]];
    let mut arguments: Vec<_> = (0..buffers.len()).map(Argument::Buffer).collect();
    arguments.push(Argument::U32(SIDE));
    Workload {
        name: "matmul",
        size: format!("{SIDE} x {SIDE}"),
        buffers,
        output: 2,
        elements: Elements::F32 { tolerance: 1e-4 },
        launches: vec![WorkloadLaunch {
            kernel: "matmul",
            grid: (SIDE / TILE, SIDE / TILE),
            block: (TILE, TILE),
            arguments,
        }],
        numbers: vec![SIDE],
        native_calls: 1,
    }
}

fn histogram() -> Workload {
    const BYTES: u32 = 16 << 20;
    let mut numbers = Numbers::new(3);
    let data = (0..BYTES / 4).flat_map(|_| numbers.next_u32().to_le_bytes()).collect();
    Workload {
        name: "histogram",
        size: format!("{} Mi bytes", BYTES >> 20),
        buffers: vec![data, vec![0; 256 * 4]],
        output: 1,
        elements: Elements::U32,
        launches: vec![WorkloadLaunch {
            kernel: "histogram",
            grid: (128, 1),
            block: (256, 1),
            arguments: vec![Argument::Buffer(0), Argument::Buffer(1), Argument::U32(BYTES)],
        }],
        numbers: vec![BYTES],
        native_calls: 1,
    }
}

fn scan() -> Workload {
    const ELEMENTS: u32 = 1 << 20;
    const BLOCK: u32 = 256;
    const PER_THREAD: u32 = 8;
    const PARTS: u32 = ELEMENTS / (BLOCK * PER_THREAD);
    let mut numbers = Numbers::new(4);
    let data: Vec<u32> = (0..ELEMENTS).map(|_| numbers.next_u32()).collect();
    let [data_buffer, output, sums] = [0, 1, 2].map(Argument::Buffer);
    let launch = |kernel, blocks, threads, arguments: &[Argument]| WorkloadLaunch {
        kernel,
        grid: (blocks, 1),
        block: (threads, 1),
        arguments: arguments.to_vec(),
    };
    Workload {
        name: "scan",
        size: format!("{} Mi numbers", ELEMENTS >> 20),
        buffers: vec![bytes_of(&data), vec![0; ELEMENTS as usize * 4], vec![0; PARTS as usize * 4]],
        output: 1,
        elements: Elements::U32,
        launches: vec![
            launch("scan_parts", PARTS, BLOCK, &[data_buffer, output, sums]),
            launch("scan_sums", 1, PARTS, &[sums]),
            launch("add_sums", PARTS, BLOCK, &[output, sums]),
        ],
        numbers: vec![ELEMENTS],
        native_calls: 24,
    }
}

fn spmv() -> Workload {
    const ROWS: u32 = 1 << 16;
    const BLOCK: u32 = 256;
    let mut numbers = Numbers::new(5);
    let (mut row_starts, mut columns) = (vec![0], Vec::new());
    for _ in 0..ROWS {
        // Rows of 8 to 24 elements, so threads of a warp leave their loops at different times.
        let mut row: Vec<u32> = (0..8 + numbers.below(17)).map(|_| numbers.below(ROWS)).collect();
        row.sort_unstable();
        columns.extend(row);
        row_starts.push(columns.len() as u32);
    }
    let values = numbers.floats(columns.len());
    let x = numbers.floats(ROWS as usize);
    let size = format!("{ROWS} rows, {} non-zeros", columns.len());
    let y = vec![0; ROWS as usize * 4];
    let buffers = vec![bytes_of(&row_starts), bytes_of(&columns), values, x, y];
    let mut arguments: Vec<_> = (0..buffers.len()).map(Argument::Buffer).collect();
    arguments.push(Argument::U32(ROWS));
    Workload {
        name: "spmv",
        size,
        buffers,
        output: 4,
        elements: Elements::F32 { tolerance: 1e-5 },
        launches: vec![WorkloadLaunch {
            kernel: "spmv",
            grid: (ROWS / BLOCK, 1),
            block: (BLOCK, 1),
            arguments,
        }],
        numbers: vec![ROWS],
        native_calls: 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_and_results_are_buffers_that_there_are() {
        for workload in workloads() {
            assert!(workload.output < workload.buffers.len(), "{}", workload.name);
            for argument in workload.launches.iter().flat_map(|launch| &launch.arguments) {
                if let Argument::Buffer(index) = argument {
                    assert!(*index < workload.buffers.len(), "{}", workload.name);
                }
            }
        }
    }

    #[test]
    fn the_matrix_has_about_a_million_elements() {
        let elements = spmv().buffers[1].len() / 4;
        assert!((1_000_000..1_100_000).contains(&elements), "{elements}");
    }
}
