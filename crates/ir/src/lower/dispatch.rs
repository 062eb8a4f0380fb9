//! From the name of an instruction, as the table of `ptx` has it, to what lowers it.

use super::modifiers::Modifiers;
use super::video::is_video;
use super::{Lower, Lowerer};
use crate::{MatrixKind, Op, Predicate, Type, Value};
use warpsan_ptx::{Instruction, Operand};

type Guard = Option<(Predicate, bool)>;

/// Instructions that change how fast something is, and no result.
const HINTS: [&str; 8] = [
    "prefetch",
    "prefetchu",
    "applypriority",
    "discard",
    "cp.async.bulk.prefetch",
    "cp.async.bulk.prefetch.tensor",
    "pmevent",
    "setmaxnreg",
];

impl<'a> Lowerer<'a> {
    pub(super) fn instruction(&mut self, instruction: &'a Instruction<'a>) -> Lower<()> {
        let span = instruction.span;
        let guard = match instruction.guard {
            Some(guard) => Some((self.predicate_named(guard.register, span)?, guard.negated)),
            None => None,
        };
        let name = instruction.mnemonic.row.map_or(instruction.opcode(), |row| row.name);
        match name {
            "ld" | "ldu" => self.load(instruction, guard),
            "st" => self.store(instruction, guard),
            "atom" | "red" => self.atomic(instruction, guard),
            "fence" | "membar" => self.fence(instruction, guard),
            "fence.proxy" | "membar.proxy" => self.proxy_fence(instruction, guard),
            "griddepcontrol" => self.prerequisites(instruction, guard),
            "bar" | "barrier" => self.barrier(instruction, guard),
            "bar.warp" => self.warp_barrier(instruction, guard),
            "barrier.cluster" => self.cluster_barrier(instruction, guard),
            "shfl" => self.shuffle(instruction, guard),
            "vote" => self.vote(instruction, guard),
            "match" => self.match_lanes(instruction, guard),
            "redux" => self.redux(instruction, guard),
            "elect" => self.elect(instruction, guard),
            "activemask" => self.active_mask(instruction, guard),
            "cvta" | "cvta.to" | "isspacep" => self.generic_address(instruction, guard),
            "mapa" => self.map_address(instruction, guard),
            "getctarank" => self.rank_of_address(instruction, guard),
            "mov" => self.move_value(instruction, guard),
            "setp" | "set" => self.comparison(instruction, guard),
            "selp" => self.select(instruction, guard),
            "slct" => self.select_by_sign(instruction, guard),
            "testp" => self.test_float(instruction, guard),
            "cvt" => self.convert(instruction, guard),
            "cvt.pack" => self.convert_pack(instruction, guard),
            "addc" | "subc" | "madc" => self.extended(instruction, guard),
            "add" | "sub" | "mad" if instruction.modifiers().contains(&"cc") => {
                self.extended(instruction, guard)
            }
            "dp4a" | "dp2a" => self.dot_product(instruction, guard),
            "lop3" => self.logic_of_three(instruction, guard),
            "bfi" => self.bit_field_insert(instruction, guard),
            "cp.async" => self.copy(instruction, guard),
            "cp.async.commit_group"
            | "cp.async.wait_group"
            | "cp.async.wait_all"
            | "cp.async.bulk.commit_group"
            | "cp.async.bulk.wait_group" => self.copy_group(instruction, guard),
            "cp.async.bulk" | "cp.reduce.async.bulk" => self.bulk_copy(instruction, guard),
            "st.async" | "red.async" => self.store_async(instruction, guard),
            "st.bulk" => self.fill(instruction, guard),
            "mma" | "mma.sp" | "mma.sp::ordered_metadata" => {
                self.matrix(instruction, guard, MatrixKind::Mma)
            }
            "wmma.load" | "wmma.store" | "wmma.mma" => {
                self.matrix(instruction, guard, MatrixKind::Wmma)
            }
            "ldmatrix" => self.matrix(instruction, guard, MatrixKind::Load),
            "stmatrix" => self.matrix(instruction, guard, MatrixKind::Store),
            "movmatrix" => self.matrix(instruction, guard, MatrixKind::Transpose),
            "bra" => self.branch(instruction, guard),
            "call" => self.call(instruction, guard),
            "ret" => self.return_from_function(instruction, guard),
            "brx.idx" => self.indexed_branch(instruction, guard),
            "exit" => self.push(span, guard, Op::Exit).map(drop),
            "trap" | "brkpt" => self.push(span, guard, Op::Trap).map(drop),
            "nanosleep" => self.push(span, guard, Op::Yield).map(drop),
            "createpolicy.range" | "createpolicy.fractional" | "createpolicy.cvt" => {
                self.cache_policy(instruction, guard)
            }
            "mbarrier.init"
            | "mbarrier.inval"
            | "mbarrier.expect_tx"
            | "mbarrier.complete_tx"
            | "mbarrier.arrive"
            | "mbarrier.arrive_drop"
            | "mbarrier.test_wait"
            | "mbarrier.try_wait"
            | "mbarrier.pending_count"
            | "cp.async.mbarrier.arrive" => self.mbarrier(instruction, guard),
            name if HINTS.contains(&name) => self.push(span, guard, Op::Nothing).map(drop),
            name if is_video(name) => self.video(instruction, guard),
            _ => self.arithmetic(instruction, guard),
        }
    }

    /// A cache policy: nobody looks at its bits.
    fn cache_policy(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let [to, ..] = instruction.operands else { return self.malformed(instruction) };
        let to = self.register(to, instruction.span)?;
        let op = Op::Move { to, from: Value::Constant(0) };
        self.push(instruction.span, guard, op).map(drop)
    }

    fn branch(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let mut words = Modifiers::new(instruction.modifiers());
        words.take("uni");
        self.nothing_left(instruction, &words)?;
        let [Operand::Name(label)] = instruction.operands else {
            return self.malformed(instruction);
        };
        let at = self.push(instruction.span, guard, Op::Branch { target: 0, reconverge: None })?;
        self.jump(at, 0, label, instruction.span);
        Ok(())
    }

    /// `brx.idx`: a jump to one of a list of labels.
    fn indexed_branch(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let span = instruction.span;
        let mut words = Modifiers::new(instruction.modifiers());
        words.take("idx");
        words.take("uni");
        self.nothing_left(instruction, &words)?;
        let [index, Operand::Name(list)] = instruction.operands else {
            return self.malformed(instruction);
        };
        let index = self.value(index, Type::U32, span)?;
        let Some(labels) = self.target_list(list) else {
            return self.invalid(span, format!("there is no list of targets `{list}`"));
        };
        let op = Op::BranchIndexed { index, targets: vec![0; labels.len()], reconverge: None };
        let at = self.push(span, guard, op)?;
        for (number, label) in labels.iter().enumerate() {
            self.jump(at, number, label, span);
        }
        Ok(())
    }

    /// The end of the thread in a kernel.
    fn return_from_function(&mut self, instruction: &Instruction<'a>, guard: Guard) -> Lower<()> {
        let op = if self.is_kernel { Op::Exit } else { Op::Return };
        self.store_results(guard, instruction.span)?;
        self.push(instruction.span, guard, op).map(drop)
    }

    /// An instruction with a modifier that was not understood is not supported.
    pub(super) fn nothing_left(
        &self,
        instruction: &Instruction<'a>,
        words: &Modifiers<'_>,
    ) -> Lower<()> {
        if words.rest().is_empty() { Ok(()) } else { self.not_supported(instruction) }
    }

    /// The whole instruction, with its modifiers, is something we do not do.
    pub(super) fn not_supported<T>(&self, instruction: &Instruction<'a>) -> Lower<T> {
        self.unsupported(instruction.span, self.whole(instruction))
    }

    /// How a message names an instruction as a whole.
    pub(super) fn whole(&self, instruction: &Instruction<'a>) -> String {
        format!("the instruction {}", instruction.mnemonic.text)
    }

    /// The opcode is known, its operands or modifiers are not what the manual allows.
    pub(super) fn malformed<T>(&self, instruction: &Instruction<'a>) -> Lower<T> {
        // The table knows forms that have no meaning here yet.
        if instruction.is_known() {
            return self.not_supported(instruction);
        }
        let text = instruction.span.text(self.index.text);
        self.invalid(
            instruction.span,
            format!("`{text}` has operands or modifiers that do not fit"),
        )
    }
}
