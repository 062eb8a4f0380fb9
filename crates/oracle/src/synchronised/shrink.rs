//! Smaller kernels, to find the smallest one that still shows something.

use super::statement::Statement;
use super::{Layout, SynchronisedKernel};

/// Every kernel that lacks one statement, or has only one way of a branch, or tries less often.
pub(super) fn smaller(kernel: &SynchronisedKernel) -> Vec<SynchronisedKernel> {
    let of = |statements| SynchronisedKernel { statements, ..kernel.clone() };
    let mut all: Vec<SynchronisedKernel> =
        variants(&kernel.statements).into_iter().map(of).collect();
    let cluster = kernel.extents.cluster;
    if kernel.extents.layout != Layout::Row {
        let mut flat = kernel.clone();
        flat.extents.layout = Layout::Row;
        all.push(flat);
    }
    let mut with = |blocks: u32, threads: u32| {
        let fits = blocks > 0 && threads > 0 && blocks.is_multiple_of(cluster);
        let mut smaller = kernel.clone();
        (smaller.extents.blocks, smaller.extents.threads) = (blocks, threads);
        if fits && smaller.extents != kernel.extents {
            all.push(smaller);
        }
    };
    with(kernel.extents.blocks - 1, kernel.extents.threads);
    with(kernel.extents.blocks.saturating_sub(cluster), kernel.extents.threads);
    for threads in [1, 2, 33, 34, 64] {
        if threads < kernel.extents.threads {
            with(kernel.extents.blocks, threads);
        }
    }
    all
}

/// Lists that are a little smaller than this one.
fn variants(statements: &[Statement]) -> Vec<Vec<Statement>> {
    let mut all = Vec::new();
    let half = statements.len() / 2;
    if half > 1 {
        all.push(statements[half..].to_vec());
        all.push(statements[..half].to_vec());
    }
    for index in 0..statements.len() {
        let mut rest = statements.to_vec();
        rest.remove(index);
        all.push(rest);
    }
    for (index, statement) in statements.iter().enumerate() {
        for replacement in replacements(statement) {
            let mut changed = statements.to_vec();
            changed.splice(index..=index, replacement);
            all.push(changed);
        }
    }
    all
}

/// What can stand in the place of a statement.
fn replacements(statement: &Statement) -> Vec<Vec<Statement>> {
    match statement {
        Statement::Line(_) | Statement::Predicated { .. } => Vec::new(),
        Statement::Together(inner) => {
            let mut all = vec![inner.clone()];
            all.extend(variants(inner).into_iter().map(|inner| vec![Statement::Together(inner)]));
            all
        }
        Statement::If { who, then, otherwise } => {
            let of = |then: &[Statement], otherwise: &[Statement]| {
                vec![Statement::If {
                    who: who.clone(),
                    then: then.to_vec(),
                    otherwise: otherwise.to_vec(),
                }]
            };
            let mut all = Vec::new();
            if !otherwise.is_empty() {
                all.push(otherwise.clone());
                all.push(of(then, &[]));
            }
            all.extend(variants(then).iter().map(|then| of(then, otherwise)));
            all.extend(variants(otherwise).iter().map(|otherwise| of(then, otherwise)));
            all
        }
        Statement::Poll { attempts, attempt, then } => {
            let of = |attempts: u32, attempt: &[Statement], then: &[Statement]| {
                let (attempt, then) = (attempt.to_vec(), then.to_vec());
                vec![Statement::Poll { attempts, attempt, then }]
            };
            let mut all = vec![[attempt.clone(), then.clone()].concat()];
            if *attempts > 1 {
                all.push(of(attempts / 2, attempt, then));
            }
            all.extend(variants(attempt).iter().map(|attempt| of(*attempts, attempt, then)));
            all.extend(variants(then).iter().map(|then| of(*attempts, attempt, then)));
            all
        }
    }
}
