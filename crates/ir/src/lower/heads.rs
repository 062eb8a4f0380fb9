//! What is known about a function before its statements are lowered.

use warpsan_ptx::{Function, Number, Statement};

/// How many instructions something leads to, at most: room for the code is made once.
pub(super) fn reachable(statements: &[Statement<'_>]) -> usize {
    let (mut count, mut dead) = (0, false);
    for statement in statements {
        match statement {
            Statement::Label(_) => dead = false,
            Statement::Block(block) => {
                count += reachable(block.statements);
                dead = false;
            }
            // One that lacks its operands is a mistake, behind which nothing is lowered.
            Statement::Instruction(instruction)
                if instruction.operands.is_empty()
                    && instruction.mnemonic.row.is_some()
                    && !instruction.is_known() =>
            {
                return count;
            }
            Statement::Instruction(instruction) if !dead => {
                count += 1;
                let ends = matches!(instruction.opcode(), "ret" | "exit" | "bra" | "brx" | "trap");
                dead = ends && instruction.guard.is_none();
            }
            _ => {}
        }
    }
    count
}

/// The largest block of `.maxntid` and `.reqntid`.
pub(super) fn max_threads(function: &Function<'_>) -> Option<u32> {
    let number = |text: &&str| Number { text }.integer();
    function
        .directives
        .iter()
        .filter(|directive| matches!(directive.name, ".maxntid" | ".reqntid"))
        .map(|directive| {
            let numbers = directive.values.iter().filter_map(number);
            numbers.fold(1, |product: u64, n| product.saturating_mul(n))
        })
        .map(|threads| u32::try_from(threads).unwrap_or(u32::MAX))
        .min()
}

/// `.reqnctapercluster x, y, z`, with what is left out being 1.
pub(super) fn cluster(function: &Function<'_>) -> Option<[u32; 3]> {
    let directive = function.directives.iter().find(|one| one.name == ".reqnctapercluster")?;
    let number = |text: &&str| Number { text }.integer().unwrap_or(1);
    let mut extents = [1; 3];
    for (extent, value) in extents.iter_mut().zip(directive.values) {
        *extent = u32::try_from(number(value)).unwrap_or(u32::MAX);
    }
    Some(extents)
}
