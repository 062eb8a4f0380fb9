//! The table `| crate | owns | may use |` of ARCHITECTURE.md.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, bail, ensure};

/// What a crate may use of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MayUse {
    /// These and nothing else.
    Only(BTreeSet<String>),
    /// Everything but these.
    AllBut(BTreeSet<String>),
}

impl MayUse {
    pub(super) fn allows(&self, used: &str) -> bool {
        match self {
            MayUse::Only(names) => names.contains(used),
            MayUse::AllBut(names) => !names.contains(used),
        }
    }

    /// Reads a cell: names in backticks, or one of the phrases `nothing`, `any`, `all but …`.
    fn parse(cell: &str) -> anyhow::Result<Self> {
        let names: BTreeSet<String> = names_in_backticks(cell).into_iter().collect();
        let words = outside_backticks(cell).replace([',', '.'], " ");
        let words: Vec<&str> = words.split_whitespace().filter(|word| *word != "and").collect();
        match (words.as_slice(), names.is_empty()) {
            (["nothing" | "none"], true) => Ok(MayUse::Only(names)),
            (["any" | "all"], true) => Ok(MayUse::AllBut(names)),
            (["all", "but"], false) => Ok(MayUse::AllBut(names)),
            ([], false) => Ok(MayUse::Only(names)),
            _ => bail!("the cell `{}` is not understood", cell.trim()),
        }
    }
}

/// The rows of the table by crate.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) rows: BTreeMap<String, MayUse>,
}

impl Table {
    /// Finds the table by its header; its rows end at the first line that is none.
    pub(super) fn parse(document: &str) -> anyhow::Result<Self> {
        let mut lines = document.lines().enumerate();
        lines
            .find(|(_, line)| cells(line).as_deref() == Some(&["crate", "owns", "may use"]))
            .context("there is no table with the header `| crate | owns | may use |`")?;
        let mut rows = BTreeMap::new();
        for (index, line) in lines {
            let line_number = index + 1;
            let Some(cells) = cells(line) else { break };
            if cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':'))) {
                continue;
            }
            let [names, _, may_use] = cells.as_slice() else {
                bail!("line {line_number}: a row has three cells, this one {}", cells.len());
            };
            let may_use = MayUse::parse(may_use).with_context(|| format!("line {line_number}"))?;
            for name in names_in_backticks(names) {
                let former = rows.insert(name.clone(), may_use.clone());
                ensure!(former.is_none(), "line {line_number}: `{name}` has a second row");
            }
        }
        ensure!(!rows.is_empty(), "the table of crates has no rows");
        Ok(Table { rows })
    }
}

/// The cells of a table line, or nothing where the line is not of a table.
fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}

/// What stands between each pair of backticks.
fn names_in_backticks(cell: &str) -> Vec<String> {
    cell.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn outside_backticks(cell: &str) -> String {
    cell.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::Table;

    fn table(rows: &str) -> anyhow::Result<Table> {
        Table::parse(&format!(
            "# House\n\n| crate | owns | may use |\n|---|---|---|\n{rows}\n\nMore.\n"
        ))
    }

    #[test]
    fn rows_are_read_in_all_their_forms() {
        let table = table(
            "| `model` | ids | nothing |\n\
             | `ir` | `Kernel` and more | `ptx`, `model` |\n\
             | `cli` | flags | all but `cuda-api` |\n\
             | `testkit`, `xtask` | tools | any |",
        )
        .unwrap();
        assert_eq!(table.rows.len(), 5);
        assert!(!table.rows["model"].allows("ptx"));
        assert!(table.rows["ir"].allows("ptx") && !table.rows["ir"].allows("simt"));
        assert!(table.rows["cli"].allows("simt") && !table.rows["cli"].allows("cuda-api"));
        assert!(table.rows["xtask"].allows("cli"));
    }

    #[test]
    fn what_is_not_understood_is_an_error_with_its_line() {
        let message = |read: anyhow::Result<Table>| format!("{:#}", read.unwrap_err());
        assert!(message(table("| `ir` | kernels | `ptx`, … |")).contains("line 5"));
        assert!(message(table("| `ir` | kernels |")).contains("three cells"));
        let twice = "| `ir` | a | nothing |\n| `ir` | b | nothing |";
        assert!(message(table(twice)).contains("second"));
        assert!(message(table("")).contains("no rows"));
        assert!(message(Table::parse("# House\n")).contains("no table"));
    }
}
