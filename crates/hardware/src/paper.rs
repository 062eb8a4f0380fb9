//! What the paper reports, to stand beside what the model says. Figures 8 to 11 have no numbers in the text
//! but these.

use crate::comparison::Shares;

/// The mean overhead of ScoRD over the seven applications.
pub const MEAN_OVERHEAD: f64 = 0.35;

/// The mean contributions of figure 10.
pub const MEAN_SHARES: Shares = Shares { lhd: 0.165, noc: 0.362, md: 0.473 };

/// One of the applications of table II.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Application {
    /// As the paper's figures call it.
    pub short_name: &'static str,
    /// As its source file is called.
    pub name: &'static str,
    /// The overhead of figure 8, where the text says it.
    pub overhead: Option<f64>,
    /// What the text says of its figures.
    pub remark: &'static str,
}

/// The applications of table II, in its order.
pub const APPLICATIONS: [Application; 7] = [
    Application {
        short_name: "MM",
        name: "matrix_multiplication",
        overhead: None,
        remark: "nothing in particular",
    },
    Application {
        short_name: "RED",
        name: "reduction",
        overhead: None,
        remark: "well coalesced: NOC is negligible, most is MD",
    },
    Application {
        short_name: "R110",
        name: "rule_110",
        overhead: None,
        remark: "well coalesced: NOC is negligible, most is MD",
    },
    Application {
        short_name: "GCOL",
        name: "graph_colouring",
        overhead: None,
        remark: "memory-bound: less than others; NOC is high",
    },
    Application {
        short_name: "GCON",
        name: "graph_connectivity",
        overhead: None,
        remark: "memory-bound: less than others; NOC is high",
    },
    Application {
        short_name: "1DC",
        name: "convolution_1d",
        overhead: Some(0.88),
        remark: "the most: many packets of atomics; less with less memory",
    },
    Application {
        short_name: "UTS",
        name: "unbalanced_tree_search",
        overhead: None,
        remark: "volatile accesses only: no LHD",
    },
];

/// The application that a file of this name (without its ending) is of.
pub fn application(name: &str) -> Option<&'static Application> {
    APPLICATIONS.iter().find(|one| one.name == name || one.short_name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applications_are_found_by_both_names() {
        assert_eq!(application("convolution_1d").unwrap().overhead, Some(0.88));
        assert_eq!(application("1dc"), application("convolution_1d"));
        assert_eq!(application("something"), None);
    }

    #[test]
    fn the_shares_are_a_whole() {
        let Shares { lhd, noc, md } = MEAN_SHARES;
        assert!((lhd + noc + md - 1.0).abs() < 1e-9);
    }
}
