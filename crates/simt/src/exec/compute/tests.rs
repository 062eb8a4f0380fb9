//! Operations without a function over lanes, on values at the limits of their types.

use super::{ComputeOp, compute};
use crate::lanes::{Row, Rows};
use warpsan_ir::{
    BoolOp, Compare, ExtendedOp, FloatTest, Mode, Op, Predicate, Register, Type, Value, Video,
    VideoOp, VideoSecond, VideoSource,
};

/// Lanes that take part; lane 0 does, lane 1 does not.
const MASK: u32 = 0x8000_0015;

struct Machine {
    registers: Vec<Row>,
    predicates: Vec<u32>,
}

fn register(number: u32, bits: u8) -> Register {
    Register { number, bits }
}

fn value(number: u32, bits: u8) -> Value {
    Value::Register(register(number, bits))
}

impl Machine {
    fn new() -> Self {
        Machine { registers: vec![Row::ZERO; 16], predicates: vec![0; 4] }
    }

    fn rows(&mut self) -> Rows {
        Rows { registers: self.registers.as_mut_ptr(), constants: std::ptr::null() }
    }

    fn fill(&mut self, register: Register, value: u64) {
        assert!(register.number + 2 <= 16);
        // SAFETY: there are 16 rows.
        unsafe { self.rows().set(register, u32::MAX, &[value; 32]) }
    }

    fn run(&mut self, op: &Op) {
        let op = ComputeOp::of(op).expect("PTX has it");
        let rows = self.rows();
        // SAFETY: the registers of the operations here are below 16.
        unsafe { compute(rows, &mut self.predicates, MASK, &op) };
    }

    /// The value in the lanes that took part, and in the others.
    fn both(&mut self, register: Register) -> (u64, u64) {
        // SAFETY: there are 16 rows.
        let lanes = unsafe { self.rows().values(Value::Register(register)) };
        for (lane, value) in lanes.iter().enumerate() {
            assert_eq!(*value, lanes[usize::from(MASK >> lane & 1 == 0)], "lane {lane}");
        }
        (lanes[0], lanes[1])
    }
}

#[test]
fn values_are_packed_and_unpacked_over_their_own_rows() {
    let mut machine = Machine::new();
    machine.fill(register(0, 64), 0x1111_2222_3333_4444);
    let to = vec![Some(register(0, 32)), Some(register(1, 32))];
    let op = Op::Unpack { to, from: value(0, 64), part_bits: 32 };
    let rows = machine.rows();
    // SAFETY: the registers are below 16. All lanes, since halves of a pair are no lanes of it.
    unsafe { compute(rows, &mut [], u32::MAX, &ComputeOp::of(&op).expect("PTX has it")) };
    assert_eq!(machine.registers[0].0[7], 0x3333_4444);
    assert_eq!(machine.registers[1].0[7], 0x1111_2222);
    machine.fill(register(4, 32), 7);
    let parts = vec![value(4, 32), Value::Constant(0x1_ffff)];
    machine.run(&Op::Pack { to: register(4, 32), parts, part_bits: 16 });
    assert_eq!(machine.both(register(4, 32)), (0xffff_0007, 7));
}

#[test]
fn registers_of_128_bits_are_joined_and_split() {
    let mut machine = Machine::new();
    machine.fill(register(4, 64), 5);
    let parts = vec![value(4, 64), Value::Constant(9)];
    machine.run(&Op::Pack { to: register(0, 128), parts, part_bits: 64 });
    let to = vec![None, Some(register(8, 64))];
    machine.run(&Op::Unpack { to, from: value(0, 128), part_bits: 64 });
    assert_eq!(machine.both(register(8, 64)), (9, 0));
    let to = vec![Some(register(8, 32)), None, Some(register(9, 32)), None];
    machine.run(&Op::Unpack { to, from: value(0, 128), part_bits: 32 });
    assert_eq!(machine.registers[8].0[0], 5);
    assert_eq!(machine.registers[9].0[0], 9);
}

#[test]
fn carries_go_from_one_operation_to_the_next() {
    let run = |op, ty, a: u64, b: u64, c: u64, carry: bool| {
        let mut machine = Machine::new();
        machine.predicates[1] = if carry { u32::MAX } else { 0 };
        let (to, predicate) = (register(0, 64), Some(Predicate(1)));
        let [a, b, c] = [a, b, c].map(Value::Constant);
        let (carry_in, carry_out) = (predicate, predicate);
        machine.run(&Op::Extended { op, ty, to, a, b, c, carry_in, carry_out });
        let after = machine.predicates[1];
        assert_eq!(after & !MASK, if carry { !MASK } else { 0 });
        assert!(after & MASK == 0 || after & MASK == MASK);
        (machine.both(to).0, after & MASK != 0)
    };
    let most = u64::from(u32::MAX);
    assert_eq!(run(ExtendedOp::Add, Type::U32, most, 0, 0, true), (0, true));
    assert_eq!(run(ExtendedOp::Add, Type::U64, most, 0, 0, true), (1 << 32, false));
    // The carry of a subtraction is set where nothing is borrowed.
    assert_eq!(run(ExtendedOp::Sub, Type::U32, 0, 0, 0, false), (most, false));
    assert_eq!(run(ExtendedOp::Sub, Type::S64, 5, 5, 0, true), (0, true));
    assert_eq!(run(ExtendedOp::MadLo, Type::U32, most, most, most, false), (0, true));
    assert_eq!(run(ExtendedOp::MadHi, Type::U32, most, most, 1, true), (0, true));
    assert_eq!(run(ExtendedOp::MadHi, Type::S32, most, most, 1, true), (2, false));
    assert_eq!(run(ExtendedOp::MadHi, Type::S64, u64::MAX, 2, 0, false), (u64::MAX, false));
}

#[test]
fn fields_are_inserted() {
    let mut machine = Machine::new();
    let op = |ty, to, b| Op::BitFieldInsert {
        ty,
        to,
        a: Value::Constant(0xff),
        b: Value::Constant(b),
        c: Value::Constant(28),
        d: Value::Constant(8),
    };
    machine.run(&op(Type::B32, register(0, 32), 1));
    assert_eq!(machine.both(register(0, 32)), (0xf000_0001, 0));
    machine.run(&op(Type::B64, register(2, 64), 1));
    assert_eq!(machine.both(register(2, 64)), (0xf_f000_0001, 0));
}

#[test]
fn signs_select() {
    let mut machine = Machine::new();
    let mut select = |by, flush, c: u32| {
        let (a, b, c) = (Value::Constant(1), Value::Constant(2), Value::Constant(u64::from(c)));
        let to = register(0, 32);
        machine.run(&Op::SelectBySign { ty: Type::U32, by, flush, to, a, b, c });
        machine.both(to).0
    };
    assert_eq!(select(Type::S32, false, 0), 1);
    assert_eq!(select(Type::S32, false, 0xffff_ffff), 2);
    assert_eq!(select(Type::F32, false, 0x8000_0000), 1);
    assert_eq!(select(Type::F32, false, 0x8000_0001), 2);
    assert_eq!(select(Type::F32, true, 0x8000_0001), 1);
    assert_eq!(select(Type::F32, false, 0x7fc0_0000), 2);
}

#[test]
fn set_gives_the_truth_of_its_type() {
    let mut machine = Machine::new();
    machine.predicates[2] = 1;
    let mut set = |compare, ty, result, a, b, combine| {
        let (a, b) = (Value::Constant(a), Value::Constant(b));
        let (to, flush) = (register(0, 32), false);
        machine.fill(to, 0x77);
        machine.run(&Op::SetValue { compare, result, ty, flush, to, a, b, combine });
        // Only lane 0 holds predicate 2, so lanes may differ.
        assert_eq!(machine.registers[0].0[1], 0x77);
        machine.registers[0].0[0]
    };
    assert_eq!(set(Compare::Lt, Type::S32, Type::U32, 0xffff_ffff, 0, None), 0xffff_ffff);
    assert_eq!(set(Compare::Lt, Type::U32, Type::U32, 0xffff_ffff, 0, None), 0);
    assert_eq!(set(Compare::Ge, Type::U64, Type::F32, 1 << 40, 1 << 39, None), 0x3f80_0000);
    assert_eq!(set(Compare::Eq, Type::F16, Type::F16, 0x8000, 0, None), 0x3c00);
    assert_eq!(set(Compare::Eq, Type::F16, Type::U16, 0x8000, 0, None), 0xffff);
    assert_eq!(set(Compare::Ne, Type::Bf16, Type::Bf16, 0x7fc0, 0, None), 0);
    assert_eq!(set(Compare::NeUnordered, Type::Bf16, Type::Bf16, 0x7fc0, 0, None), 0x3f80);
    // One in the lower part is less than two, the upper parts are equal.
    let (a, b) = (0x3c00_3c00, 0x3c00_4000);
    assert_eq!(set(Compare::Lt, Type::F16x2, Type::F16x2, a, b, None), 0x3c00);
    assert_eq!(set(Compare::Le, Type::F16x2, Type::U32, a, b, None), 0xffff_ffff);
    assert_eq!(set(Compare::Eq, Type::F16x2, Type::U32, a, b, None), 0xffff_0000);
    let with = |op, negated| Some((op, Predicate(2), negated));
    assert_eq!(set(Compare::Eq, Type::U32, Type::S32, 1, 1, with(BoolOp::And, true)), 0);
    assert_eq!(set(Compare::Eq, Type::U32, Type::F32, 1, 2, with(BoolOp::Or, false)), 0x3f80_0000);
    assert_eq!(set(Compare::Eq, Type::F16x2, Type::U32, a, b, with(BoolOp::Xor, false)), 0xffff);
}

#[test]
fn pairs_set_two_predicates() {
    let mut machine = Machine::new();
    machine.run(&Op::SetPredicatePair {
        compare: Compare::Gt,
        ty: Type::Bf16x2,
        flush: false,
        low: Some(Predicate(0)),
        high: Some(Predicate(1)),
        a: Value::Constant(0x4000_3f80),
        b: Value::Constant(0x3f80_3f80),
        combine: None,
    });
    assert_eq!(machine.predicates, [0, MASK, 0, 0]);
}

#[test]
fn floats_are_classed() {
    let mut machine = Machine::new();
    let mut test = |test, ty, bits| {
        machine.predicates[3] = u32::MAX;
        machine.run(&Op::TestFloat { test, ty, to: Predicate(3), a: Value::Constant(bits) });
        assert_eq!(machine.predicates[3] & !MASK, !MASK);
        machine.predicates[3] & MASK != 0
    };
    assert!(test(FloatTest::Normal, Type::F32, 0));
    assert!(!test(FloatTest::Normal, Type::F32, 1));
    assert!(test(FloatTest::Subnormal, Type::F64, 1));
    assert!(!test(FloatTest::Finite, Type::F64, f64::INFINITY.to_bits()));
    assert!(test(FloatTest::Infinite, Type::F32, 0xff80_0000));
    assert!(test(FloatTest::NotANumber, Type::F64, f64::NAN.to_bits()));
    assert!(!test(FloatTest::Number, Type::F32, 0x7fc0_0000));
}

#[test]
fn rare_conversions_fill_their_register() {
    let mut machine = Machine::new();
    let mode = Mode { saturate: true, ..Mode::default() };
    let mut converted = |from_type, to_type, to, bits| {
        let from = Value::Constant(bits);
        machine.fill(to, 0);
        machine.run(&Op::Convert { from_type, to_type, mode, integral: false, to, from });
        machine.both(to).0
    };
    assert_eq!(converted(Type::S32, Type::S8, register(0, 16), 0xffff_0000), 0xff80);
    assert_eq!(converted(Type::S32, Type::S8, register(0, 32), 0xffff_0000), 0xffff_ff80);
    assert_eq!(converted(Type::S32, Type::S8, register(0, 64), 0xffff_0000), (-128i64) as u64);
    assert_eq!(converted(Type::F64, Type::F64, register(0, 64), 3f64.to_bits()), 1f64.to_bits());
    let op = Op::ConvertPack {
        to_type: Type::S8,
        to_bits: 8,
        from_type: Type::S32,
        to: register(0, 32),
        a: Value::Constant(300),
        b: Value::Constant(0xffff_fffe),
        rest: Value::Constant(0x1234),
    };
    machine.fill(register(0, 32), 0);
    machine.run(&op);
    assert_eq!(machine.both(register(0, 32)), (0x1234_7ffe, 0));
}

fn source(number: u64, signed: bool, part: (u8, u8), selection: &[u8]) -> VideoSource {
    let value = Value::Constant(number);
    VideoSource { value, signed, part, selection: selection.into(), negated: false }
}

#[test]
fn video_instructions_read_their_parts() {
    let mut machine = Machine::new();
    let mut video = Video {
        op: VideoOp::Add,
        parts: 1,
        ty: Type::S32,
        saturate: false,
        write_mask: 15,
        second: VideoSecond::Merge { part: (16, 16) },
        shift: 0,
        plus_one: false,
        wrap: false,
        to: register(0, 32),
        a: source(0xff00, true, (8, 8), &[]),
        b: source(0x3_0001, true, (0, 32), &[]),
        c: Some(Value::Constant(0x1111_2222)),
        c_negated: false,
    };
    machine.run(&Op::Video(Box::new(video.clone())));
    // The sum is 0x30000, whose upper half is taken.
    assert_eq!(machine.both(register(0, 32)), (0x0003_2222, 0));
    video.parts = 4;
    video.second = VideoSecond::Add;
    video.op = VideoOp::Max;
    video.a = source(0x0102_0304, false, (0, 32), &[0, 1, 2, 3]);
    video.b = source(0x0403_0201, false, (0, 32), &[4, 5, 6, 7]);
    video.c = Some(Value::Constant(100));
    machine.run(&Op::Video(Box::new(video.clone())));
    assert_eq!(machine.both(register(0, 32)).0, 114);
    video.op = VideoOp::ShiftLeft;
    assert!(ComputeOp::of(&Op::Video(Box::new(video))).is_none());
}

#[test]
fn other_operations_are_left_to_others() {
    assert!(ComputeOp::of(&Op::Nothing).is_none());
}
