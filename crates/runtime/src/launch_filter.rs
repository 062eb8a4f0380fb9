//! Which launches of a process are watched. The others run all the same, since what they compute matters
//! to the program, but nobody hears of what they do.

use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

/// Which launches a user wants to have checked. A pattern fits the whole name of a kernel as reports
/// write it; `*` stands for any characters and `?` for one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LaunchFilter {
    /// Kernels that are checked; all of them where nothing is said.
    pub kernels: Vec<String>,
    /// Kernels that are not.
    pub excluded: Vec<String>,
    /// Of the launches of these kernels, so many of each process are let pass first.
    pub skip: u64,
    /// Then so many are checked; all where nothing is said.
    pub count: Option<u64>,
}

impl LaunchFilter {
    /// Whether it lets every launch be checked.
    pub fn takes_all(&self) -> bool {
        *self == LaunchFilter::default()
    }
}

/// The filter at work in a process.
#[derive(Debug, Default)]
pub(crate) struct LaunchChoice {
    kernels: Vec<WildMatch>,
    excluded: Vec<WildMatch>,
    skip: u64,
    count: Option<u64>,
    /// Launches so far whose kernels fit.
    fitting: u64,
}

impl LaunchChoice {
    pub(crate) fn new(filter: &LaunchFilter) -> LaunchChoice {
        let patterns = |all: &[String]| all.iter().map(|text| WildMatch::new(text)).collect();
        LaunchChoice {
            kernels: patterns(&filter.kernels),
            excluded: patterns(&filter.excluded),
            skip: filter.skip,
            count: filter.count,
            fitting: 0,
        }
    }

    /// Whether the next launch, of the kernel with this name, is to be watched.
    pub(crate) fn watches_next(&mut self, kernel: &str) -> bool {
        let fits = |patterns: &[WildMatch]| patterns.iter().any(|pattern| pattern.matches(kernel));
        let is_wanted = self.kernels.is_empty() || fits(&self.kernels);
        if !is_wanted || fits(&self.excluded) {
            return false;
        }
        let place = self.fitting;
        self.fitting += 1;
        place
            .checked_sub(self.skip)
            .is_some_and(|place| self.count.is_none_or(|count| place < count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the launches that are watched.
    fn watched(filter: &LaunchFilter, kernels: &[&str]) -> Vec<usize> {
        let mut choice = LaunchChoice::new(filter);
        (0..kernels.len()).filter(|number| choice.watches_next(kernels[*number])).collect()
    }

    fn texts(all: &[&str]) -> Vec<String> {
        all.iter().map(|text| text.to_string()).collect()
    }

    const STORY: [&str; 6] = ["fill", "sum<int>", "fill", "sum<float>", "ns::fill", "sum<int>"];

    #[test]
    fn without_a_filter_everything_is_watched() {
        assert_eq!(watched(&LaunchFilter::default(), &STORY), [0, 1, 2, 3, 4, 5]);
        assert!(LaunchFilter::default().takes_all());
    }

    #[test]
    fn a_pattern_fits_the_whole_name() {
        let only =
            |kernels: &[&str]| LaunchFilter { kernels: texts(kernels), ..Default::default() };
        assert_eq!(watched(&only(&["fill"]), &STORY), [0, 2]);
        assert_eq!(watched(&only(&["*fill"]), &STORY), [0, 2, 4]);
        assert_eq!(watched(&only(&["sum<???>"]), &STORY), [1, 5]);
        assert_eq!(watched(&only(&["sum<int>", "ns::*"]), &STORY), [1, 4, 5]);
        assert_eq!(watched(&only(&["sum"]), &STORY), [0usize; 0]);
        assert!(!only(&["sum"]).takes_all());
    }

    #[test]
    fn what_is_excluded_is_not_watched_even_if_it_is_wanted() {
        let excluded = texts(&["sum<int>"]);
        let filter = LaunchFilter { excluded: excluded.clone(), ..Default::default() };
        assert_eq!(watched(&filter, &STORY), [0, 2, 3, 4]);
        let filter = LaunchFilter { kernels: texts(&["sum*"]), excluded, ..Default::default() };
        assert_eq!(watched(&filter, &STORY), [3]);
    }

    #[test]
    fn only_launches_of_the_kernels_that_fit_are_counted() {
        let filter = LaunchFilter {
            kernels: texts(&["sum*"]),
            skip: 1,
            count: Some(1),
            ..Default::default()
        };
        assert_eq!(watched(&filter, &STORY), [3]);
        let filter = LaunchFilter { skip: 4, ..Default::default() };
        assert_eq!(watched(&filter, &STORY), [4, 5]);
        let filter = LaunchFilter { count: Some(0), ..Default::default() };
        assert_eq!(watched(&filter, &STORY), [0usize; 0]);
        let filter = LaunchFilter { skip: u64::MAX, count: Some(u64::MAX), ..Default::default() };
        assert_eq!(watched(&filter, &STORY), [0usize; 0]);
    }
}
