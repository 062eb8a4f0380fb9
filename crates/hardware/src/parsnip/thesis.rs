//! What the thesis reports, to stand beside what the model says. Figures 4.7 to 4.11 have no numbers in the text but these.

/// The geometric mean of the slowdown of nine programs with 8 threads (figure 4.7).
pub const MEAN_SLOWDOWN: f64 = 1.5;
/// The largest one there: x264.
pub const MOST_SLOWDOWN: f64 = 2.6;
/// How many times as long it takes without epoch store buffers, in the mean (figure 4.9).
pub const WITHOUT_BUFFERS: f64 = 3.7;
/// And without prefetching and prediction.
pub const WITHOUT_PREDICTION: f64 = 1.1;
/// The least part of checks that references and the core's own table resolve (figure 4.10).
pub const LEAST_LOCAL: f64 = 0.84;
/// The largest part that tables of others resolve: blackscholes.
pub const MOST_REMOTE: f64 = 0.12;
/// The largest part that software resolves: canneal.
pub const MOST_SOFTWARE: f64 = 0.08;
/// Of a line's bytes, at most so many have different histories, but for fewer than 2 % of the lines of two programs (figure 4.1).
pub const MOST_HISTORIES: usize = 16;
/// The part by which an extra read port makes an access of the first cache longer (section 4.4.6).
pub const PORT_LATENCY: f64 = 0.2;

/// A program, and its row of table 4.3: events in a thousand instructions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Program {
    /// In PARSEC.
    pub name: &'static str,
    /// The program of `suites/parsnip` of the same kind.
    pub ours: &'static str,
    /// Epoch buffer drains, ParsnipLine evictions, ParsnipTable rejections, software checks.
    pub events: [f64; 4],
}

/// Table 4.3.
pub const PROGRAMS: [Program; 10] = [
    Program { name: "blackscholes", ours: "option_pricing", events: [0.0, 0.0, 0.0, 0.01] },
    Program { name: "bodytrack", ours: "particle_filter", events: [0.0, 0.0, 0.13, 0.91] },
    Program { name: "canneal", ours: "annealing", events: [0.0, 0.0, 0.03, 2.57] },
    Program { name: "dedup", ours: "compression_pipeline", events: [0.01, 0.0, 0.49, 0.57] },
    Program { name: "ferret", ours: "similarity_search", events: [0.0, 0.0, 0.0, 0.17] },
    Program { name: "fluidanimate", ours: "fluid_grid", events: [1.38, 0.0, 79.15, 0.34] },
    Program { name: "raytrace", ours: "ray_casting", events: [0.0, 0.0, 0.0, 0.02] },
    Program { name: "streamcluster", ours: "clustering", events: [0.0, 0.0, 0.01, 0.05] },
    Program { name: "vips", ours: "image_pipeline", events: [0.0, 0.0, 0.02, 0.45] },
    Program { name: "x264", ours: "video_encoding", events: [0.0, 0.0, 0.0, 1.45] },
];

/// The program that a trace's name begins with, if it is one of ours.
pub fn program(trace: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| trace.starts_with(program.ours))
}
