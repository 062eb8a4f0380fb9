//! Programs of the run that nobody has announced.
//!
//! A process can start a program by system calls of its own, which no function of ours sees. So the command looks at its
//! descendants now and then: whoever runs a program that our library is not in, and does not enter it later, was not checked.
//! A program that is over before anybody looks is not seen; on a GPU, CUDA takes several times as long to start as it is
//! from one look to the next.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use warpsan_evidence::LogKeeper;

/// The least time from one look to the next.
const INTERVAL: Duration = Duration::from_millis(20);
/// A look may take this part of the time until the next.
const MOST_OF_TIME: u32 = 50;
/// The library that is in every process which was entered.
const LIBRARY: &[u8] = b"/libwarpsan_rt.so";

/// A program that ran without our library in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sighting {
    /// Its process, by the number that the process itself sees.
    pub(crate) process: u32,
    /// Its file.
    pub(crate) program: PathBuf,
    /// How many streams the log had then: whoever was entered behind them was still being loaded.
    pub(crate) streams: u64,
}

/// Does something, and meanwhile looks at who is there.
pub(crate) fn while_watched<T>(keeper: &LogKeeper, body: impl FnOnce() -> T) -> (T, Vec<Sighting>) {
    std::thread::scope(|scope| {
        let (end, ended) = channel::<()>();
        let watcher = scope.spawn(move || {
            let mut watch = Watch::new(std::process::id());
            let mut pause = INTERVAL;
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                let begun = Instant::now();
                watch.look(|| keeper.streams_begun());
                pause = INTERVAL.max(begun.elapsed() * MOST_OF_TIME);
            }
            watch.outside.into_values().collect()
        });
        let result = body();
        drop(end);
        // It cannot panic, and without it there is nothing to say.
        (result, watcher.join().unwrap_or_default())
    })
}

/// What distinguishes a program in a process from the one before it: when the process began, where the program's stack
/// does, and its file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Image {
    begun: u64,
    stack: u64,
    program: PathBuf,
}

#[derive(Debug)]
struct Watch {
    root: u32,
    /// A child is its parent until it has become a program.
    own_program: Option<PathBuf>,
    /// Programs that our library is in.
    inside: BTreeMap<u32, Image>,
    /// Programs that it is not in, or not yet.
    outside: BTreeMap<(u32, Image), Sighting>,
}

impl Watch {
    fn new(root: u32) -> Watch {
        let own_program = fs::read_link("/proc/self/exe").ok();
        Watch { root, own_program, inside: BTreeMap::new(), outside: BTreeMap::new() }
    }

    fn look(&mut self, streams_begun: impl Fn() -> u64) {
        let processes = descendants(self.root);
        self.inside.retain(|process, _| processes.contains(process));
        for process in processes {
            let Some(image) = image_of(process) else { continue };
            let is_own = self.own_program.as_ref() == Some(&image.program);
            if is_own || self.inside.get(&process) == Some(&image) {
                continue;
            }
            // Counted before it is looked for: whoever is entered in between was entered later.
            let streams = streams_begun();
            let Some(is_inside) = has_library(process) else { continue };
            let key = (process, image.clone());
            if is_inside {
                self.outside.remove(&key);
                self.inside.insert(process, image);
            } else if image_of(process).as_ref() == Some(&image) {
                let program = image.program.clone();
                let sighting = Sighting { process: own_number(process), program, streams };
                self.outside.entry(key).or_insert(sighting);
            }
        }
    }
}

/// All processes below one.
fn descendants(root: u32) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let mut left = vec![root];
    while let Some(process) = left.pop() {
        let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
        for thread in threads {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            let children = children.split_ascii_whitespace().filter_map(|child| child.parse().ok());
            left.extend(children.filter(|child| found.insert(*child)));
        }
    }
    found
}

/// The program in a process, unless it has ended, cannot be looked at, or is still being loaded: it has its file then, and no stack yet or, without code, one that is going
/// to change.
fn image_of(process: u32) -> Option<Image> {
    let program = fs::read_link(format!("/proc/{process}/exe")).ok()?;
    let status = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let [begun, code, stack] = numbers_of(&status, [22, 26, 28])?;
    (code != 0 && stack != 0).then_some(Image { begun, stack, program })
}

/// Fields of a line of `/proc/…/stat`: 22 is when the process began, 26 and 28 are where its code and its stack begin.
fn numbers_of<const N: usize>(status: &str, fields: [usize; N]) -> Option<[u64; N]> {
    let (_, rest) = status.rsplit_once(')')?;
    let all: Vec<&str> = rest.split_ascii_whitespace().collect();
    let mut numbers = [0; N];
    for (number, field) in numbers.iter_mut().zip(fields) {
        // The first behind the name is the third.
        *number = all.get(field - 3)?.parse().ok()?;
    }
    Some(numbers)
}

/// Whether our library is in a process. A process that is just ending has no memory any more, and says nothing.
fn has_library(process: u32) -> Option<bool> {
    let maps = fs::read(format!("/proc/{process}/maps")).ok().filter(|maps| !maps.is_empty())?;
    Some(maps.windows(LIBRARY.len()).any(|part| part == LIBRARY))
}

/// The number that a process has for itself, which may be in a space of numbers of its own.
fn own_number(process: u32) -> u32 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"));
    let own = numbers.and_then(|numbers| numbers.split_ascii_whitespace().last()?.parse().ok());
    own.unwrap_or(process)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn fields_stand_behind_the_name() {
        let numbers: Vec<String> = (4..=52).map(|field| field.to_string()).collect();
        let line = format!("17 (a) (b c) S {}", numbers.join(" "));
        assert_eq!(numbers_of(&line, [22, 26, 28]), Some([22, 26, 28]));
        assert_eq!(numbers_of("17 (a) S 4", [22]), None);
    }

    #[test]
    fn a_program_without_our_library_is_seen_once() {
        let mut child = Command::new("sleep").arg("60").spawn().expect("a child");
        let mut watch = Watch::new(std::process::id());
        // It takes a while to become a program that can be looked at.
        while !watch.outside.values().any(|sighting| sighting.process == child.id()) {
            watch.look(|| 7);
        }
        watch.look(|| 8);
        let seen = watch.outside.values();
        let seen: Vec<_> = seen.filter(|sighting| sighting.process == child.id()).collect();
        child.kill().expect("killed");
        child.wait().expect("its end");
        let [sighting] = seen[..] else { panic!("{seen:?}") };
        assert!(sighting.program.is_absolute() && sighting.streams == 7, "{sighting:?}");
    }
}
