//! Operations of a warp on matrices: the arithmetic is `tensor`'s, the memory is ours.

use super::access::emit::AccessDetails;
use super::addressing::{Attempt, operand_addresses};
use super::core::{Core, Running};
use crate::block::BlockInfo;
use crate::outcome::{Fault, FaultKind};
use crate::program::matrix_form::{FragmentPlan, MatrixForm};
use crate::target::Target;
use crate::tensor::WarpRegister;
use crate::tensor::matrix_move::{MatrixMove, collect, distribute, transpose};
use crate::warp::Warp;
use warpsan_event::AccessKind;
use warpsan_ir::Matrix;
use warpsan_model::Strength;

impl Core<'_> {
    pub(super) fn matrix(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        matrix: &Matrix,
        form: &MatrixForm,
    ) -> Result<(), Fault> {
        let Running { mask, rows, site, .. } = *running;
        if mask != u32::MAX {
            let what = format!("`{}` needs all 32 lanes of a warp", matrix.mnemonic);
            return Err(self.fault(block, warp, mask, site, FaultKind::MissingLanes, what));
        }
        let read = |group: usize| -> Vec<WarpRegister> {
            let values = matrix.from.get(group).into_iter().flatten();
            // SAFETY: the operands are those of the program.
            values.map(|value| unsafe { rows.values(*value) }).collect()
        };
        let mut results = vec![[0; 32]; matrix.to.len()];
        match form {
            MatrixForm::Multiply(form) => {
                let metadata = form.sparse.as_ref().and_then(|_| {
                    read(3).first().map(|register| register.map(|value| value as u32))
                });
                form.execute(&read(0), &read(1), &read(2), metadata.as_ref(), &mut results);
            }
            MatrixForm::WmmaMultiply(form) => {
                form.execute(&read(0), &read(1), &read(2), &mut results);
            }
            MatrixForm::Load(plan) => {
                let stride = read(0).first().map(|stride| stride[0]);
                self.fragment(block, warp, running, matrix, plan, stride, &mut results, false)?;
            }
            MatrixForm::Store(plan) => {
                let stride = read(1).first().map(|stride| stride[0]);
                let mut registers = read(0);
                self.fragment(block, warp, running, matrix, plan, stride, &mut registers, true)?;
            }
            MatrixForm::Move(form) => {
                let is_load = !matrix.to.is_empty();
                let stored = read(0);
                self.move_matrices(
                    block,
                    warp,
                    running,
                    matrix,
                    *form,
                    is_load,
                    &stored,
                    &mut results,
                )?;
            }
            MatrixForm::Transpose => {
                let from = read(0)[0].map(|value| value as u32);
                results[0] = transpose(&from).map(u64::from);
            }
        }
        for (to, values) in matrix.to.iter().zip(&results) {
            // SAFETY: the register is one of the program.
            unsafe { rows.set(*to, mask, values) };
        }
        Ok(())
    }

    /// `wmma.load` and `wmma.store`.
    #[expect(clippy::too_many_arguments, reason = "the operands of one instruction")]
    fn fragment(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        matrix: &Matrix,
        FragmentPlan { fragment, accesses }: &FragmentPlan,
        stride: Option<u64>,
        registers: &mut [WarpRegister],
        is_store: bool,
    ) -> Result<(), Fault> {
        let Some(place) = matrix.place else { return Ok(()) };
        let stride = stride.map_or_else(|| fragment.default_stride(), |stride| stride as u32);
        let base = operand_addresses(running, place.base, place.offset);
        // One element after the other, each for all lanes, as the hardware has it.
        let mut start = 0;
        while start < accesses.len() {
            let first = &accesses[start];
            let key = (first.register, first.part_shift_bits);
            let length = accesses[start..]
                .iter()
                .take_while(|access| (access.register, access.part_shift_bits) == key)
                .count();
            let step = &accesses[start..start + length];
            start += length;
            let bytes = u64::from(step[0].bits.div_ceil(8));
            let mut targets = [Target::Param { offset: 0 }; 32];
            let mut values = Vec::new();
            let mut mask = 0;
            for access in step {
                let lane = access.lane;
                let address = base[lane].wrapping_add(fragment.byte_offset(access, stride));
                let attempt = Attempt {
                    does: if is_store { "writes" } else { "reads" },
                    space: place.space,
                    address,
                    bytes,
                    alignment: bytes,
                };
                let target = self.target(block, warp, running, lane, attempt)?;
                targets[lane] = target;
                mask |= 1 << lane;
                let register = &mut registers[access.register][lane];
                let ones = if access.bits == 64 { u64::MAX } else { (1 << access.bits) - 1 };
                if is_store {
                    let value = *register >> access.part_shift_bits & ones;
                    self.poke(warp, lane, target, bytes, u128::from(value));
                    values.push(value);
                } else {
                    let value = self.peek(warp, lane, target, bytes) as u64;
                    *register = (*register & !(ones << access.part_shift_bits))
                        | value << access.part_shift_bits;
                }
            }
            let details = AccessDetails {
                kind: if is_store { AccessKind::Write } else { AccessKind::Read },
                strength: Strength::Weak,
                bytes: bytes as u32,
                elements: 1,
                wrote: if is_store { mask } else { 0 },
                values: &values,
                words: 1,
                read_only_path: false,
                unread: 0,
            };
            self.emit(block, warp, running, mask, &targets, &details);
        }
        Ok(())
    }

    /// `ldmatrix` and `stmatrix`: each of eight lanes names a row of 16 bytes.
    #[expect(clippy::too_many_arguments, reason = "the operands of one instruction")]
    fn move_matrices(
        &mut self,
        block: &BlockInfo,
        warp: &mut Warp,
        running: &Running,
        matrix: &Matrix,
        form: MatrixMove,
        is_load: bool,
        stored: &[WarpRegister],
        results: &mut [WarpRegister],
    ) -> Result<(), Fault> {
        let Some(place) = matrix.place else { return Ok(()) };
        let base = operand_addresses(running, place.base, place.offset);
        let mut targets = [Target::Param { offset: 0 }; 32];
        let mut mask = 0;
        let mut values = Vec::new();
        for number in 0..form.matrices {
            let mut rows = match is_load {
                true => [[0u8; 16]; 8],
                false => collect(&stored[number].map(|value| value as u32), form.transposed),
            };
            for (row, bytes) in rows.iter_mut().enumerate() {
                let lane = number * 8 + row;
                let attempt = Attempt {
                    does: if is_load { "reads" } else { "writes" },
                    space: place.space,
                    address: base[lane],
                    bytes: 16,
                    alignment: 16,
                };
                targets[lane] = self.target(block, warp, running, lane, attempt)?;
                mask |= 1 << lane;
                if is_load {
                    *bytes = self.peek(warp, lane, targets[lane], 16).to_le_bytes();
                } else {
                    let value = u128::from_le_bytes(*bytes);
                    self.poke(warp, lane, targets[lane], 16, value);
                    values.extend([value as u64, (value >> 64) as u64]);
                }
            }
            if is_load {
                results[number] = distribute(&rows, form.transposed).map(u64::from);
            }
        }
        let details = AccessDetails {
            kind: if is_load { AccessKind::Read } else { AccessKind::Write },
            strength: Strength::Weak,
            bytes: 16,
            elements: 1,
            wrote: if is_load { 0 } else { mask },
            values: &values,
            words: 2,
            read_only_path: false,
            unread: 0,
        };
        self.emit(block, warp, running, mask, &targets, &details);
        Ok(())
    }
}
