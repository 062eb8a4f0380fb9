//! Temporary.
use warpsan_instrument::{DevicePlan, Wanted, instrument};
fn main() {
    let mut args = std::env::args().skip(1);
    let (file, kernel) = (args.next().unwrap(), args.next().unwrap());
    let blocks: u32 = args.next().map_or(8, |b| b.parse().unwrap());
    let threads: u32 = args.next().map_or(256, |b| b.parse().unwrap());
    let document = warpsan_ptx::Document::parse(std::fs::read_to_string(file).unwrap());
    let index = warpsan_ir::ModuleIndex::of(&document);
    let wanted = Wanted { kernel: &kernel, block: [threads, 1, 1], blocks_at_once: Some(blocks), target: "sm_90", plan: DevicePlan::HappensBefore };
    match instrument(&document, &index, &wanted) { Ok(made) => print!("{}", made.text), Err(e) => eprintln!("{e}") }
}
