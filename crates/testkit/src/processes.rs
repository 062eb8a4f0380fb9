//! Programs of many processes, and programs that do not end as they should: nothing that was found may be
//! lost, nothing may stay behind, and the exit code has to be right.

mod crowds;
mod ends;
mod kills;
mod observed;
mod signals;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use warpsan_toolchain::Toolchain;

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Processes at the same time, 32 at most.
    pub processes: usize,
    /// Moments at which a program is killed.
    pub kills: usize,
    /// Determines the moments, as far as the machine's speed does not.
    pub seed: u64,
}

/// The warpsan that is tried, with the program that is run under it.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The command.
    pub warpsan: PathBuf,
    /// The executable of `processes/family.cu`.
    pub program: PathBuf,
}

/// What came of one kind of trial.
#[derive(Debug)]
pub struct Trial {
    /// What was tried.
    pub name: &'static str,
    /// How often a command was run.
    pub runs: usize,
    /// What is worth to be known about them.
    pub remark: String,
    /// What is wrong; nothing if all is right.
    pub wrong: Vec<String>,
}

/// The program, compiled. `root` is the folder of the project.
pub fn compile(toolchain: &Toolchain, root: &Path) -> anyhow::Result<PathBuf> {
    let flags = ["-O2", "-std=c++17", "-arch=sm_90", "-lineinfo"].map(OsString::from);
    let source = root.join("crates/testkit/src/processes/family.cu");
    Ok(toolchain.compile_program(&source, &flags)?.path)
}

/// All trials, one after the other. `observe` hears of each when it is over.
pub fn run_all(bench: &Bench, size: Size, mut observe: impl FnMut(&Trial)) -> Vec<Trial> {
    type Body = fn(&Bench, Size) -> Trial;
    let bodies: [Body; 18] = [
        |bench, size| crowds::forked(bench, size.processes),
        |bench, size| crowds::ranks(bench, size.processes),
        |bench, size| crowds::commands(bench, size.processes),
        |bench, size| kills::at_moments(bench, size.kills, size.seed, 1),
        |bench, size| kills::of_command(bench, size.kills, size.seed, 1),
        |bench, _| ends::fault(bench),
        |bench, _| ends::crash(bench),
        |bench, _| ends::never(bench),
        |bench, _| ends::exec(bench),
        |bench, _| ends::outlived(bench),
        |bench, _| signals::terminated(bench),
        |bench, _| signals::exception(bench),
        |bench, _| signals::cancelled(bench),
        |bench, _| signals::main_leaves(bench),
        |bench, size| signals::end_in_handler(bench, size.kills),
        |bench, _| signals::inherited(bench),
        |bench, _| signals::short_files(bench),
        |bench, _| signals::left_work(bench),
    ];
    let run = |body: Body| {
        let trial = body(bench, size);
        observe(&trial);
        trial
    };
    bodies.into_iter().map(run).collect()
}

/// Kills a program at so many points, and the command at as many, several at the same time.
pub fn kill_all(bench: &Bench, count: usize, seed: u64, jobs: usize) -> Vec<Trial> {
    vec![kills::at_moments(bench, count, seed, jobs), kills::of_command(bench, count, seed, jobs)]
}

impl Trial {
    fn new(name: &'static str) -> Trial {
        Trial { name, runs: 0, remark: String::new(), wrong: Vec::new() }
    }

    /// Whether all is right.
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty()
    }

    /// Notes what is wrong with a run, if something is.
    fn take<T>(&mut self, result: anyhow::Result<T>) -> Option<T> {
        self.runs += 1;
        result.map_err(|error| self.wrong.push(format!("{error:#}"))).ok()
    }
}
