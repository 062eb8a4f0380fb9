//! A process and all that it has started.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;

/// A program under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tree<'a> {
    /// Its first process.
    pub(crate) root: u32,
    /// What only processes of this run have in their environment, as in `NAME=value`. It finds those
    /// whose parents have ended, which are no descendants of the first any more.
    pub(crate) mark: &'a OsStr,
}

/// Ends all processes of a program. They are stopped first: a process that is stopped starts no
/// further ones, so that none gets away.
pub(crate) fn kill_tree(tree: Tree<'_>) {
    let mut stopped = BTreeSet::new();
    loop {
        let new: Vec<u32> =
            tree.processes().into_iter().filter(|process| !stopped.contains(process)).collect();
        if new.is_empty() {
            break;
        }
        for process in new {
            send(process, libc::SIGSTOP);
            stopped.insert(process);
        }
    }
    for process in stopped {
        send(process, libc::SIGKILL);
    }
}

/// From now on, processes whose parent ends become children of this process.
pub(crate) fn adopt_orphans() {
    // SAFETY: the option takes a number and touches no memory.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Whether a process is still running that was started here, or adopted.
pub(crate) fn has_running_children() -> bool {
    let own = std::process::id();
    parents().iter().any(|(child, parent)| *parent == own && is_running(*child))
}

/// Whether a process is there and not merely waiting to be collected.
pub(crate) fn is_running(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat"));
    status.is_ok_and(|status| state_and_parent(&status).is_some_and(|(state, _)| state != "Z"))
}

fn send(process: u32, signal: libc::c_int) {
    if let Ok(process) = libc::pid_t::try_from(process) {
        // A process that is already gone needs no signal.
        // SAFETY: sending a signal touches no memory of this process.
        unsafe { libc::kill(process, signal) };
    }
}

impl Tree<'_> {
    /// Its processes, as the system lists them now.
    fn processes(self) -> BTreeSet<u32> {
        let parents = parents();
        let marked = parents.keys().copied().filter(|process| self.is_marked(*process));
        let mut found: BTreeSet<u32> = marked.chain([self.root]).collect();
        loop {
            let before = found.len();
            let children = parents.iter().filter(|(_, parent)| found.contains(parent));
            let children: Vec<u32> = children.map(|(child, _)| *child).collect();
            found.extend(children);
            if found.len() == before {
                return found;
            }
        }
    }

    fn is_marked(self, process: u32) -> bool {
        // That of somebody else's process cannot be read.
        let environment = std::fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == self.mark.as_encoded_bytes())
    }
}

/// The parent of every process.
fn parents() -> BTreeMap<u32, u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes
        .filter_map(|process| {
            let status = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
            let (_, parent) = state_and_parent(&status)?;
            Some((process, parent))
        })
        .collect()
}

/// State and parent in a line of `/proc/…/stat`. They stand after the program's name, which is in
/// parentheses and may contain anything.
fn state_and_parent(status: &str) -> Option<(&str, u32)> {
    let (_, rest) = status.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    Some((fields.next()?, fields.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_confuse() {
        assert_eq!(state_and_parent("17 (a) (b c) S 4 17 17 0"), Some(("S", 4)));
        assert_eq!(state_and_parent("nonsense"), None);
    }

    #[test]
    fn a_child_is_in_the_tree_of_this_process() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().expect("a child");
        let of = |root| Tree { root, mark: "NOBODY=has it".as_ref() };
        assert!(of(std::process::id()).processes().contains(&child.id()));
        assert!(is_running(child.id()));
        kill_tree(of(child.id()));
        assert!(!child.wait().expect("its end").success());
        assert!(!is_running(child.id()));
    }

    #[test]
    fn a_process_whose_parent_has_ended_is_known_by_its_mark() {
        let name = format!("WARPSAN_TEST_OF_{}", std::process::id());
        let script = "sleep 60 >/dev/null 2>&1 & echo $!";
        let ended = std::process::Command::new("sh").args(["-c", script]).env(&name, "x").output();
        let said = String::from_utf8(ended.expect("a shell").stdout).expect("a number");
        let orphan: u32 = said.trim().parse().expect("a number");
        assert!(is_running(orphan), "its parent did not wait for it");
        let mark = format!("{name}=x");
        let mut first = std::process::Command::new("true").spawn().expect("a child");
        kill_tree(Tree { root: first.id(), mark: mark.as_ref() });
        first.wait().expect("its end");
        let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while is_running(orphan) && std::time::Instant::now() < end {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(!is_running(orphan));
    }
}
