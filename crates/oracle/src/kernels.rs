//! Random kernels that are valid PTX and give the same memory under every schedule.
//!
//! A thread writes cells of its own and reads those of others only between barriers; what several threads write
//! at the same time are integers that commute, and each such cell knows one operation only. Barriers and
//! instructions of a whole warp stand where all threads of the block come by. So a kernel can be compared
//! between schedules, engines and machines without a word about order.

mod arithmetic;
mod control;
mod cooperation;
mod memory;
mod writer;

use crate::random::{Random, fingerprint};
use writer::{Place, Writer};

/// The lines before the first kernel.
pub fn module_head() -> &'static str {
    ".version 9.0\n.target sm_90\n.address_size 64\n"
}

/// Words of memory that belong to each thread: its registers at the end, and some to work with.
const WORDS_OF_THREAD: usize = 16;
/// Registers that carry values from statement to statement; they are stored at the end.
const VALUES: u64 = 12;
/// Cells that all threads of the grid accumulate in, behind the cells of the threads.
const COMMON_CELLS: usize = 16;
/// Words of input. Threads read them, and nobody writes them.
const INPUT_WORDS: usize = 256;

/// A random kernel, and how to launch it. Its parameters are the addresses of its data and of its inputs and
/// the number of words of data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedKernel {
    /// The name of the kernel.
    pub name: String,
    /// The kernel and its functions, without the lines at the beginning of a module.
    pub code: String,
    /// The whole module.
    pub text: String,
    /// The blocks of the grid.
    pub grid: u32,
    /// The threads of a block.
    pub block: u32,
    /// The words of 32 bits that the kernel writes, all zero before.
    pub data_words: usize,
    /// The words of 32 bits that the kernel reads.
    pub inputs: Vec<u32>,
}

/// The kernel that belongs to a seed.
pub fn random_kernel(seed: u64) -> GeneratedKernel {
    let mut random = Random::new(seed);
    let grid = random.choose(&[1, 2, 3, 5]);
    let block = random.choose(&[32, 64, 96, 128, 40, 72, 256]);
    let inputs = (0..INPUT_WORDS).map(|_| input(&mut random)).collect();
    let data_words = (grid * block) as usize * WORDS_OF_THREAD + COMMON_CELLS;
    let name = format!("random_{seed}");
    let code = write(&name, block, random);
    let text = format!("{}{code}", module_head());
    GeneratedKernel { name, code, text, grid, block, data_words, inputs }
}

/// A hash of a kernel's data after it ran.
pub fn memory_hash(bytes: &[u8]) -> u64 {
    fingerprint(bytes.iter().copied())
}

/// A word of input: any, or one at an edge.
fn input(random: &mut Random) -> u32 {
    let edges = [0, 1, 2, u32::MAX, 1 << 31, (1 << 31) - 1, 0x3f80_0000, 0x7f80_0000, 0x0000_ffff];
    if random.once_in(4) { random.choose(&edges) } else { random.bits() as u32 }
}

fn write(name: &str, block: u32, random: Random) -> String {
    let mut writer = Writer::new(name, block, random);
    let functions = 1 + writer.random.below(3);
    for _ in 0..functions {
        writer.function();
    }
    if writer.random.once_in(6) {
        writer.recursive_function();
    }
    writer.place = Place::Kernel;
    writer.begin_kernel();
    let statements = 8 + writer.random.below(12);
    for _ in 0..statements {
        writer.statement(0, true);
    }
    writer.end_kernel();
    writer.text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_has_one_kernel() {
        assert_eq!(random_kernel(7), random_kernel(7));
        assert_ne!(random_kernel(7).code, random_kernel(8).code);
    }

    #[test]
    fn kernels_are_read_without_errors() {
        for seed in 0..300 {
            let kernel = random_kernel(seed);
            let document = warpsan_ptx::Document::parse(kernel.text.clone());
            assert_eq!(document.errors(), [], "seed {seed}:\n{}", kernel.text);
        }
    }
}
