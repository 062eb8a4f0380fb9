//! The folder that goes to a machine with a GPU, and what comes back from it.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use anyhow::Context;

use super::{Form, GROUPS, Outputs, Recorded, THREADS_PER_BLOCK, file_name, forms, module_text};
use warpsan_oracle::kernels::{GeneratedKernel, memory_hash, module_head, random_kernel};

/// The seeds of the random kernels whose memory is recorded.
pub const RECORDED_SEEDS: std::ops::Range<u64> = 0..64;

/// The file of the hashes of the random kernels' memory: a seed and a hash in each line.
pub const KERNELS_FILE: &str = "kernels.txt";

/// Writes `forms.ptx`, `kernels.ptx` (ptxas does not get along with all of them in one module), `inputs.bin` and `manifest.txt`, which `suites/instructions/record.cpp` reads. Returns the
/// number of kernels.
pub fn emit(folder: &Path) -> io::Result<usize> {
    let forms = forms();
    let mut module = module_head().to_owned();
    let (mut manifest, mut inputs) = (String::new(), Vec::new());
    for form in &forms {
        let tuples = form.inputs();
        let words = tuples.iter().flatten().flat_map(|word| word.to_le_bytes());
        let before = inputs.len();
        inputs.extend(words);
        let _ = writeln!(
            manifest,
            "forms {} {} {THREADS_PER_BLOCK} {} {} {}",
            form.kernel_name(),
            tuples.len().div_ceil(THREADS_PER_BLOCK as usize),
            inputs.len() - before,
            output_bytes(form, tuples.len()),
            tuples.len(),
        );
    }
    for kernel in RECORDED_SEEDS.map(random_kernel) {
        module.push_str(&kernel.code);
        let bytes = kernel.inputs.iter().flat_map(|word| word.to_le_bytes());
        let before = inputs.len();
        inputs.extend(bytes);
        let GeneratedKernel { name, grid, block, data_words, .. } = &kernel;
        let read = inputs.len() - before;
        let _ = writeln!(
            manifest,
            "kernels {name} {grid} {block} {read} {} {data_words}",
            4 * data_words
        );
    }
    fs::create_dir_all(folder)?;
    fs::write(folder.join("forms.ptx"), module_text(&forms))?;
    fs::write(folder.join("kernels.ptx"), module)?;
    fs::write(folder.join("inputs.bin"), inputs)?;
    fs::write(folder.join("manifest.txt"), &manifest)?;
    Ok(manifest.lines().count())
}

fn output_bytes(form: &Form, tuples: usize) -> usize {
    8 * tuples * form.results.len()
}

/// Packs the `outputs.bin` that a GPU gave into the data files of the suite.
pub fn pack(outputs: &[u8], suite: &Path) -> anyhow::Result<()> {
    let too_short = "outputs.bin is shorter than the forms need: emit and run again";
    let forms = forms();
    let mut rest = outputs;
    let mut take = |bytes: usize| {
        let (taken, left) = rest.split_at_checked(bytes).context(too_short)?;
        rest = left;
        anyhow::Ok(taken)
    };
    let mut packed: Vec<(&Form, Outputs)> = Vec::new();
    for form in &forms {
        let tuples = form.inputs().len();
        let words: Vec<u64> = words_of(take(output_bytes(form, tuples))?);
        let outputs = words.chunks(form.results.len()).map(<[u64]>::to_vec).collect();
        packed.push((form, outputs));
    }
    let mut hashes = String::new();
    for seed in RECORDED_SEEDS {
        let memory = take(4 * random_kernel(seed).data_words)?;
        let _ = writeln!(hashes, "{seed} {:016x}", memory_hash(memory));
    }
    if !rest.is_empty() {
        anyhow::bail!("outputs.bin is longer than the forms need: emit and run again");
    }
    for group in GROUPS {
        let of_group: Vec<(&Form, Outputs)> =
            packed.iter().filter(|(form, _)| form.group == group).cloned().collect();
        let path = suite.join(file_name(group));
        Recorded::write(&path, &of_group)?;
    }
    let path = suite.join(KERNELS_FILE);
    fs::write(&path, hashes).with_context(|| format!("cannot write {}", path.display()))
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().map(|word| u64::from_le_bytes(*word)).collect()
}
