//! The two kernels whose instructions per second are measured, and what they have to compute.

use super::compare::{Elements, words};
use super::inputs::Numbers;
use super::workload::{Argument, Workload, WorkloadLaunch};

const BLOCKS: u32 = 64;
const THREADS: u32 = 256;
const ITERATIONS: u32 = 256;
const SCALE: f32 = 1.5;

/// Integer and `f32` operations in a loop without memory.
pub(crate) fn arithmetic() -> Workload {
    alone(
        "arithmetic",
        format!("{} threads, {ITERATIONS} iterations", BLOCKS * THREADS),
        vec![vec![0; (BLOCKS * THREADS * 4) as usize]],
        vec![Argument::Buffer(0), Argument::U32(ITERATIONS)],
    )
}

/// Loads and stores of global memory, one after the other.
pub(crate) fn memory() -> Workload {
    const ELEMENTS: u32 = 8 << 20;
    let mut numbers = Numbers::new(6);
    let count = ELEMENTS as usize;
    alone(
        "triad",
        format!("{} Mi elements", ELEMENTS >> 20),
        vec![vec![0; count * 4], numbers.floats(count), numbers.floats(count)],
        vec![
            Argument::Buffer(0),
            Argument::Buffer(1),
            Argument::Buffer(2),
            Argument::F32(SCALE),
            Argument::U32(ELEMENTS),
        ],
    )
}

/// One kernel with its result in the first buffer.
fn alone(
    name: &'static str,
    size: String,
    buffers: Vec<Vec<u8>>,
    arguments: Vec<Argument>,
) -> Workload {
    let launch = WorkloadLaunch { kernel: name, grid: (BLOCKS, 1), block: (THREADS, 1), arguments };
    Workload {
        name,
        size,
        buffers,
        output: 0,
        elements: Elements::U32,
        launches: vec![launch],
        numbers: Vec::new(),
        native_calls: 0,
    }
}

/// Checks some threads of the arithmetic kernel bit for bit.
pub(crate) fn check_arithmetic(_: &Workload, result: &[u8]) -> anyhow::Result<()> {
    for (thread, value) in words(result).into_iter().enumerate().step_by(997) {
        let expected = arithmetic_of(thread as u32);
        if value != expected {
            anyhow::bail!("thread {thread} has {value:#x}, it should be {expected:#x}");
        }
    }
    Ok(())
}

/// Checks all elements of the memory-bound kernel bit for bit.
pub(crate) fn check_memory(workload: &Workload, result: &[u8]) -> anyhow::Result<()> {
    let [result, b, c] = [result, &workload.buffers[1], &workload.buffers[2]].map(words);
    for (index, value) in result.into_iter().enumerate() {
        let (b, c) = (f32::from_bits(b[index]), f32::from_bits(c[index]));
        let expected = SCALE.mul_add(c, b);
        if value != expected.to_bits() {
            let value = f32::from_bits(value);
            anyhow::bail!("element {index} is {value}, it should be {expected}");
        }
    }
    Ok(())
}

/// What a thread of `arithmetic.cu` computes.
fn arithmetic_of(thread: u32) -> u32 {
    let mut a = thread.wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut b = thread ^ 0x9e37_79b9;
    let mut x = (thread & 1023) as f32 * 0.001;
    let mut y = 1.0 - x;
    for _ in 0..ITERATIONS {
        for _ in 0..8 {
            a = a.wrapping_mul(1_664_525).wrapping_add(b);
            x = x.mul_add(0.5, y);
            b ^= a >> 7;
            y = y.mul_add(-0.5, x);
            b = b.wrapping_add(a & 0x5555_5555);
            x = y.mul_add(0.125, x);
            a = a.wrapping_sub(b << 3);
            y = y.mul_add(0.25, 0.5);
        }
        y = ((a & 1023) as f32).mul_add(0.001, y);
    }
    a ^ b ^ x.to_bits() ^ y.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_thread_is_named() {
        let workload = arithmetic();
        let mut result = vec![0; workload.buffers[0].len()];
        for thread in (0..BLOCKS * THREADS).step_by(997) {
            let at = thread as usize * 4;
            result[at..at + 4].copy_from_slice(&arithmetic_of(thread).to_le_bytes());
        }
        check_arithmetic(&workload, &result).expect("every thread is right");
        result[997 * 4] ^= 1;
        let error = check_arithmetic(&workload, &result).expect_err("one thread is wrong");
        assert!(error.to_string().starts_with("thread 997 has"), "{error}");
    }

    #[test]
    fn lanes_have_values_of_their_own() {
        assert_ne!(arithmetic_of(0), arithmetic_of(1));
    }
}
