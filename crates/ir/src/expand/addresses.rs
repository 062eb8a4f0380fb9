//! Where variables lie: what constants and offsets are counted from is replaced by places.

use super::{Expander, Site};
use crate::index::function_address;
use crate::{
    Anchor, Function, Instruction, LowerError, MemorySpace, Op, SharedSymbol, Value, display_name,
};

impl Expander<'_> {
    /// Replaces what an address is counted from by its place.
    pub(super) fn resolve(
        &mut self,
        site: &Site<'_>,
        instruction: &Instruction,
        op: &mut Op,
    ) -> Result<(), LowerError> {
        let base = match instruction.anchor {
            Anchor::Nothing => return Ok(()),
            Anchor::Frame | Anchor::Formal(_) => {
                add_to_address(op, site.local_address(instruction.anchor, 0));
                if site.in_frame {
                    count_from_frame(op);
                }
                return Ok(());
            }
            Anchor::Shared(number) => self.place_shared(site.function, number as usize),
            Anchor::DynamicShared => {
                let alignment = site.function.dynamic_shared.unwrap_or(1);
                self.dynamic_shared = self.dynamic_shared.max(Some(alignment));
                self.dynamic_shared_uses.push(self.code.len());
                return Ok(());
            }
            Anchor::Function(number) => function_address(number),
            Anchor::Symbol(number) => {
                let name = &site.function.symbols[number as usize];
                match self.symbols.get(name) {
                    Some(address) => *address,
                    None => {
                        let what = format!("the external variable `{}`", display_name(name));
                        return self.unsupported(instruction.span, what);
                    }
                }
            }
        };
        add_to_address(op, base);
        Ok(())
    }

    fn place_shared(&mut self, function: &Function, number: usize) -> u64 {
        let variable = &function.shared[number];
        if let Some(known) = self.shared_places.get(&variable.declared_at) {
            return *known;
        }
        let offset = self.shared_bytes.next_multiple_of(variable.alignment);
        self.shared_bytes = offset.saturating_add(variable.bytes);
        let (name, bytes) = (variable.name.clone(), variable.bytes);
        self.shared.push(SharedSymbol { name, offset, bytes });
        self.shared_places.insert(variable.declared_at, offset);
        offset
    }

    /// The dynamic part lies behind all static variables, so its address is known only at the end.
    pub(super) fn place_dynamic_shared(&mut self) {
        let Some(alignment) = self.dynamic_shared else { return };
        self.shared_bytes = self.shared_bytes.next_multiple_of(alignment);
        for at in &self.dynamic_shared_uses {
            add_to_address(&mut self.code[*at].op, self.shared_bytes);
        }
        let name = "dynamic shared memory".to_string();
        self.shared.push(SharedSymbol { name, offset: self.shared_bytes, bytes: 0 });
    }
}

impl Site<'_> {
    /// The place of a local variable or of a formal parameter.
    pub(super) fn local_address(&self, anchor: Anchor, offset: u64) -> u64 {
        match anchor {
            Anchor::Formal(number) => {
                self.actuals.get(number as usize).copied().unwrap_or(0) + offset
            }
            _ => self.base.frame + offset,
        }
    }
}

fn add_to_address(op: &mut Op, base: u64) {
    match op {
        Op::Move { from: Value::Constant(constant), .. }
        | Op::ConvertAddress { from: Value::Constant(constant), .. } => {
            *constant = constant.wrapping_add(base);
        }
        Op::Load { offset, .. }
        | Op::Store { offset, .. }
        | Op::Atomic { offset, .. }
        | Op::AtomicVector { offset, .. } => {
            *offset = offset.wrapping_add(base as i64);
        }
        _ => {}
    }
}

/// Makes the local address in an operation one that is counted from the subroutine's frame.
fn count_from_frame(op: &mut Op) {
    match op {
        Op::Load { space: space @ MemorySpace::Local, .. }
        | Op::Store { space: space @ MemorySpace::Local, .. }
        | Op::Atomic { space: space @ MemorySpace::Local, .. }
        | Op::AtomicVector { space: space @ MemorySpace::Local, .. } => *space = MemorySpace::Frame,
        Op::Move { to, from: Value::Constant(offset) } => {
            *op = Op::FrameAddress { to: *to, offset: *offset, generic: false };
        }
        Op::ConvertAddress { to, to_generic, from: Value::Constant(offset), .. } => {
            *op = Op::FrameAddress { to: *to, offset: *offset, generic: *to_generic };
        }
        _ => {}
    }
}
