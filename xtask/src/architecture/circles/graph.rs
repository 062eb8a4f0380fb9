//! Which file uses which, and the circles in that: strongly connected components, by Tarjan's algorithm.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// For each file the files that it uses, with the names by which it does.
pub(super) type UsesOfFiles = BTreeMap<PathBuf, BTreeMap<PathBuf, Vec<String>>>;

/// The components with more than one file; each is sorted.
pub(super) fn circles(uses: &UsesOfFiles) -> Vec<Vec<PathBuf>> {
    let mut search = Search { uses, visits: BTreeMap::new(), open: Vec::new(), found: Vec::new() };
    for file in uses.keys() {
        if !search.visits.contains_key(file.as_path()) {
            search.visit(file);
        }
    }
    search.found
}

/// How far the search is with a file.
#[derive(Clone, Copy)]
struct Visit {
    /// The first file that is reached from here and still open, by its position in the order of visits.
    lowest: usize,
    /// Whether its component is not complete yet.
    is_open: bool,
}

struct Search<'a> {
    uses: &'a UsesOfFiles,
    visits: BTreeMap<&'a Path, Visit>,
    /// The files whose component is not complete, in the order of visits.
    open: Vec<&'a Path>,
    found: Vec<Vec<PathBuf>>,
}

impl<'a> Search<'a> {
    /// Visits a file and all that it reaches. Answers what its component's first file is.
    fn visit(&mut self, file: &'a Path) -> usize {
        let position = self.visits.len();
        let depth = self.open.len();
        let mut lowest = position;
        self.visits.insert(file, Visit { lowest, is_open: true });
        self.open.push(file);
        let uses = self.uses;
        for used in uses.get(file).into_iter().flat_map(BTreeMap::keys) {
            match self.visits.get(used.as_path()) {
                None => lowest = lowest.min(self.visit(used)),
                Some(visit) if visit.is_open => lowest = lowest.min(visit.lowest),
                Some(_) => {}
            }
        }
        self.visits.insert(file, Visit { lowest, is_open: true });
        if lowest == position {
            self.close(depth);
        }
        lowest
    }

    /// What is open from this depth on is a component.
    fn close(&mut self, depth: usize) {
        let mut files: Vec<PathBuf> =
            self.open.drain(depth..).map(|file| file.to_path_buf()).collect();
        for file in &files {
            if let Some(visit) = self.visits.get_mut(file.as_path()) {
                visit.is_open = false;
            }
        }
        if files.len() > 1 {
            files.sort();
            self.found.push(files);
        }
    }
}
