//! A process and all that it has started.

use std::collections::{BTreeMap, BTreeSet};

/// Ends a process and all its descendants. They are stopped first: a process that is stopped starts
/// no further ones, so that none gets away.
pub(crate) fn kill_tree(root: u32) {
    let mut stopped = BTreeSet::new();
    loop {
        let new: Vec<u32> =
            tree(root).into_iter().filter(|process| !stopped.contains(process)).collect();
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

/// The process and its descendants, as the system lists them now.
fn tree(root: u32) -> BTreeSet<u32> {
    let parents = parents();
    let mut tree = BTreeSet::from([root]);
    loop {
        let before = tree.len();
        let children = parents.iter().filter(|(_, parent)| tree.contains(parent));
        let children: Vec<u32> = children.map(|(child, _)| *child).collect();
        tree.extend(children);
        if tree.len() == before {
            return tree;
        }
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
        assert!(tree(std::process::id()).contains(&child.id()));
        assert!(is_running(child.id()));
        kill_tree(child.id());
        assert!(!child.wait().expect("its end").success());
        assert!(!is_running(child.id()));
    }
}
