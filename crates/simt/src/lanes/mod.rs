//! Registers as rows of 32 lanes, and loops over them that compile to vector code.
//!
//! A row holds one register of a warp: 32 bits of each lane. Narrower registers are kept
//! zero-extended; a register of 64 bits takes two rows, one of 128 bits four. What an instruction
//! computes is a closure over single lanes; [`Maker`] turns it into a function over rows, compiled
//! for what this machine's processor has.

pub(crate) mod arithmetic;
pub(crate) mod compare;
pub(crate) mod conversion;
pub(crate) mod floats;
pub(crate) mod halves;
pub(crate) mod integers;
pub(crate) mod moves;

use std::sync::OnceLock;
use warpsan_ir::{Register, Value};

/// One register of a warp.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Row(pub(crate) [u32; 32]);

impl Row {
    pub(crate) const ZERO: Row = Row([0; 32]);
}

/// Set in a row's number if it is one of the constants of the program, not a register.
pub(crate) const CONSTANT: u32 = 1 << 31;

/// The rows that an instruction works on, as numbers.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Operands {
    pub(crate) to: u32,
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) c: u32,
}

/// Where the rows of a group and the constants of the program are.
///
/// The pointers are good for every row number of the program while a burst runs: the warp's rows
/// are not moved during it, and rows are reached through these pointers alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rows {
    pub(crate) registers: *mut Row,
    pub(crate) constants: *const Row,
}

impl Rows {
    /// A row to read.
    ///
    /// # Safety
    /// `number` comes from the program that the rows were made for.
    #[inline(always)]
    pub(crate) unsafe fn source(self, number: u32) -> *const Row {
        // SAFETY: the caller's number is inside the registers or the constants.
        unsafe {
            if number & CONSTANT != 0 {
                self.constants.add((number & !CONSTANT) as usize)
            } else {
                self.registers.add(number as usize).cast_const()
            }
        }
    }

    /// A row to write.
    ///
    /// # Safety
    /// As for [`source`](Self::source), and the number is that of a register.
    #[inline(always)]
    pub(crate) unsafe fn target(self, number: u32) -> *mut Row {
        // SAFETY: the caller's number is inside the registers.
        unsafe { self.registers.add(number as usize) }
    }

    /// All lanes of an operand.
    ///
    /// # Safety
    /// As for [`source`](Self::source); the operand has the rows that `T` needs.
    #[inline(always)]
    pub(crate) unsafe fn read<T: Lane>(self, number: u32) -> [T; 32] {
        // SAFETY: the caller answers for the number.
        unsafe {
            let row = self.source(number);
            each_lane(|lane| T::get(row, lane))
        }
    }

    /// One lane of an operand.
    ///
    /// # Safety
    /// As for [`read`](Self::read); `lane` is below 32.
    #[inline(always)]
    pub(crate) unsafe fn lane<T: Lane>(self, number: u32, lane: usize) -> T {
        // SAFETY: the caller answers for the number.
        unsafe { T::get(self.source(number), lane) }
    }

    /// Writes the lanes of `mask`.
    ///
    /// # Safety
    /// As for [`target`](Self::target); the register has the rows that `T` needs.
    #[inline(always)]
    pub(crate) unsafe fn write<T: Lane>(self, number: u32, mask: u32, values: &[T; 32]) {
        // SAFETY: the caller answers for the number.
        unsafe {
            let row = self.target(number);
            if mask == u32::MAX {
                for (lane, value) in values.iter().enumerate() {
                    value.put(row, lane);
                }
            } else {
                T::blend(row, mask, values);
            }
        }
    }
}

/// A value for each lane. Unlike `array::from_fn`, which compiles to a function of its own, this is
/// part of the loop that uses it, and vector code with it.
#[inline(always)]
pub(crate) fn each_lane<T: Lane>(value: impl Fn(usize) -> T) -> [T; 32] {
    let mut values = Aligned([T::ZERO; 32]);
    for (lane, slot) in values.0.iter_mut().enumerate() {
        *slot = value(lane);
    }
    values.0
}

/// Values that do not lie across lines of the cache.
#[repr(C, align(64))]
struct Aligned<T>([T; 32]);

/// A value of one lane of a register.
pub(crate) trait Lane: Copy {
    const ZERO: Self;

    /// # Safety
    /// `row` points to as many rows as the type needs; `lane` is below 32.
    unsafe fn get(row: *const Row, lane: usize) -> Self;

    /// # Safety
    /// As for [`get`](Self::get).
    unsafe fn put(self, row: *mut Row, lane: usize);

    /// Writes the lanes of `mask`.
    ///
    /// # Safety
    /// As for [`get`](Self::get).
    #[inline(always)]
    unsafe fn blend(row: *mut Row, mask: u32, values: &[Self; 32]) {
        let mut left = mask;
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            // SAFETY: the caller answers for the row.
            unsafe { values[lane].put(row, lane) };
        }
    }
}

macro_rules! narrow_lane {
    ($t:ty, $zero:expr, |$bits:ident| $from:expr, |$value:ident| $to:expr) => {
        impl Lane for $t {
            const ZERO: Self = $zero;

            #[inline(always)]
            unsafe fn get(row: *const Row, lane: usize) -> Self {
                // SAFETY: the caller's row is one, and `lane` is inside it.
                let $bits = unsafe { row.cast::<u32>().add(lane).read() };
                $from
            }

            #[inline(always)]
            unsafe fn put(self, row: *mut Row, lane: usize) {
                let $value = self;
                // SAFETY: as above.
                unsafe { row.cast::<u32>().add(lane).write($to) }
            }

            #[inline(always)]
            unsafe fn blend(row: *mut Row, mask: u32, values: &[Self; 32]) {
                // With masks of whole words: a choice would become 32 jumps.
                // SAFETY: the caller's rows hold 32 values.
                unsafe {
                    let row = row.cast::<[u32; 32]>();
                    let mut bits = row.read();
                    for (lane, bits) in bits.iter_mut().enumerate() {
                        let $value = values[lane];
                        let new: u32 = $to;
                        let chosen = (0 as u32).wrapping_sub(u32::from(mask >> lane & 1));
                        *bits = (new & chosen) | (*bits & !chosen);
                    }
                    row.write(bits);
                }
            }
        }
    };
}

macro_rules! wide_lane {
    ($t:ty, $zero:expr, |$bits:ident| $from:expr, |$value:ident| $to:expr) => {
        impl Lane for $t {
            const ZERO: Self = $zero;

            #[inline(always)]
            unsafe fn get(row: *const Row, lane: usize) -> Self {
                // SAFETY: the caller's rows are two, which hold 32 values of 64 bits.
                let $bits = unsafe { row.cast::<u64>().add(lane).read() };
                $from
            }

            #[inline(always)]
            unsafe fn put(self, row: *mut Row, lane: usize) {
                let $value = self;
                // SAFETY: as above.
                unsafe { row.cast::<u64>().add(lane).write($to) }
            }

            #[inline(always)]
            unsafe fn blend(row: *mut Row, mask: u32, values: &[Self; 32]) {
                // With masks of whole words: a choice would become 32 jumps.
                // SAFETY: the caller's rows hold 32 values.
                unsafe {
                    let row = row.cast::<[u64; 32]>();
                    let mut bits = row.read();
                    for (lane, bits) in bits.iter_mut().enumerate() {
                        let $value = values[lane];
                        let new: u64 = $to;
                        let chosen = (0 as u64).wrapping_sub(u64::from(mask >> lane & 1));
                        *bits = (new & chosen) | (*bits & !chosen);
                    }
                    row.write(bits);
                }
            }
        }
    };
}

narrow_lane!(u32, 0, |bits| bits, |value| value);
narrow_lane!(i32, 0, |bits| bits as i32, |value| value as u32);
narrow_lane!(u16, 0, |bits| bits as u16, |value| u32::from(value));
narrow_lane!(i16, 0, |bits| bits as i16, |value| u32::from(value as u16));
narrow_lane!(u8, 0, |bits| bits as u8, |value| u32::from(value));
narrow_lane!(i8, 0, |bits| bits as i8, |value| u32::from(value as u8));
narrow_lane!(f32, 0.0, |bits| f32::from_bits(bits), |value| value.to_bits());
wide_lane!(u64, 0, |bits| bits, |value| value);
wide_lane!(i64, 0, |bits| bits as i64, |value| value as u64);
wide_lane!(f64, 0.0, |bits| f64::from_bits(bits), |value| value.to_bits());

/// Registers of 128 bits are two of 64 bits, lower half first.
impl Lane for u128 {
    const ZERO: Self = 0;

    #[inline(always)]
    unsafe fn get(row: *const Row, lane: usize) -> Self {
        // SAFETY: the caller's rows are four, which hold twice 32 values of 64 bits.
        unsafe {
            let low = row.cast::<u64>().add(lane).read();
            let high = row.cast::<u64>().add(32 + lane).read();
            u128::from(low) | u128::from(high) << 64
        }
    }

    #[inline(always)]
    unsafe fn put(self, row: *mut Row, lane: usize) {
        // SAFETY: as above.
        unsafe {
            row.cast::<u64>().add(lane).write(self as u64);
            row.cast::<u64>().add(32 + lane).write((self >> 64) as u64);
        }
    }
}

/// A function over the lanes of a mask.
pub(crate) type LaneFn = unsafe fn(Rows, &Operands, u32);
/// A question to all lanes.
pub(crate) type TestFn = unsafe fn(Rows, &Operands) -> u32;

/// What the processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instructions {
    Portable,
    Avx2,
    Avx512,
}

impl Instructions {
    /// The best that this machine has.
    pub(crate) fn detect() -> Instructions {
        static FOUND: OnceLock<Instructions> = OnceLock::new();
        *FOUND.get_or_init(|| {
            if !is_x86_feature_detected!("avx2")
                || !is_x86_feature_detected!("fma")
                || !is_x86_feature_detected!("bmi1")
                || !is_x86_feature_detected!("bmi2")
                || !is_x86_feature_detected!("lzcnt")
                || !is_x86_feature_detected!("popcnt")
            {
                return Instructions::Portable;
            }
            let wide = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            if wide { Instructions::Avx512 } else { Instructions::Avx2 }
        })
    }
}

/// Makes functions over rows from closures over lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Maker {
    pub(crate) instructions: Instructions,
    /// The operands are the same in all lanes: computing once is enough.
    pub(crate) uniform: bool,
}

/// A closure that captures nothing, from nothing.
#[inline(always)]
#[expect(clippy::uninit_assumed_init, reason = "the type has no bytes to be initialised")]
fn conjure<F: Copy>() -> F {
    const { assert!(size_of::<F>() == 0, "the closure must not capture anything") };
    // SAFETY: the type has no bytes, and a value of it was handed to `Maker`, so values exist.
    unsafe { std::mem::MaybeUninit::<F>::uninit().assume_init() }
}

/// How the lanes are gone through.
const VECTOR: u8 = 0;
/// One lane after another, active ones only: for what costs much and is no vector code anyway.
const SPARSE: u8 = 1;
/// One lane for all.
const UNIFORM: u8 = 2;

/// # Safety
/// The operands are rows of the program, with the widths of the types.
#[inline(always)]
unsafe fn apply<R: Lane>(rows: Rows, to: u32, mask: u32, how: u8, value: impl Fn(usize) -> R) {
    // SAFETY: the caller answers for the rows.
    unsafe {
        match how {
            SPARSE => {
                let target = rows.target(to);
                let mut left = mask;
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    left &= left - 1;
                    value(lane).put(target, lane);
                }
            }
            UNIFORM => {
                let one = value(mask.trailing_zeros() as usize & 31);
                rows.write(to, mask, &[one; 32]);
            }
            _ => {
                let mut results = Aligned([R::ZERO; 32]);
                for (lane, result) in results.0.iter_mut().enumerate() {
                    *result = value(lane);
                }
                rows.write(to, mask, &results.0);
            }
        }
    }
}

/// The functions of one shape, for each kind of processor.
macro_rules! shape {
    ($maker:ident, $costly:ident, $any:ident, $avx2:ident, $avx512:ident, $portable:ident,
     $($operand:ident: $t:ident),+) => {
        #[inline(always)]
        unsafe fn $any<$($t: Lane,)+ R: Lane, F: Fn($($t),+) -> R + Copy>(
            rows: Rows,
            operands: &Operands,
            mask: u32,
            how: u8,
        ) {
            let function: F = conjure();
            // SAFETY: the caller answers for the rows.
            unsafe {
                $(let $operand = rows.source(operands.$operand);)+
                apply(rows, operands.to, mask, how, |lane| function($($t::get($operand, lane)),+));
            }
        }

        unsafe fn $portable<$($t: Lane,)+ R: Lane, F: Fn($($t),+) -> R + Copy, const HOW: u8>(
            rows: Rows,
            operands: &Operands,
            mask: u32,
        ) {
            // SAFETY: the caller answers for the rows.
            unsafe { $any::<$($t,)+ R, F>(rows, operands, mask, HOW) }
        }

        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $avx2<$($t: Lane,)+ R: Lane, F: Fn($($t),+) -> R + Copy, const HOW: u8>(
            rows: Rows,
            operands: &Operands,
            mask: u32,
        ) {
            // SAFETY: the caller answers for the rows.
            unsafe { $any::<$($t,)+ R, F>(rows, operands, mask, HOW) }
        }

        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $avx512<$($t: Lane,)+ R: Lane, F: Fn($($t),+) -> R + Copy, const HOW: u8>(
            rows: Rows,
            operands: &Operands,
            mask: u32,
        ) {
            // SAFETY: the caller answers for the rows.
            unsafe { $any::<$($t,)+ R, F>(rows, operands, mask, HOW) }
        }

        impl Maker {
            /// For what is cheap enough to be computed for all lanes, active or not.
            pub(crate) fn $maker<$($t: Lane,)+ R: Lane, F: Fn($($t),+) -> R + Copy>(
                self,
                _: F,
            ) -> LaneFn {
                if self.uniform {
                    return $portable::<$($t,)+ R, F, UNIFORM>;
                }
                match self.instructions {
                    Instructions::Portable => $portable::<$($t,)+ R, F, VECTOR>,
                    Instructions::Avx2 => $avx2::<$($t,)+ R, F, VECTOR>,
                    Instructions::Avx512 => $avx512::<$($t,)+ R, F, VECTOR>,
                }
            }

            /// For what is too dear to be computed for lanes that are not active.
            pub(crate) fn $costly<$($t: Lane,)+ R: Lane, F: Fn($($t),+) -> R + Copy>(
                self,
                _: F,
            ) -> LaneFn {
                match self.uniform {
                    true => $portable::<$($t,)+ R, F, UNIFORM>,
                    false => $portable::<$($t,)+ R, F, SPARSE>,
                }
            }
        }
    };
}

shape!(one, costly_one, one_any, one_avx2, one_avx512, one_portable, a: A);
shape!(two, costly_two, two_any, two_avx2, two_avx512, two_portable, a: A, b: B);
shape!(three, costly_three, three_any, three_avx2, three_avx512, three_portable, a: A, b: B, c: C);

/// # Safety
/// The operands are rows of the program, with the widths of the types.
#[inline(always)]
unsafe fn test_any<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(
    rows: Rows,
    operands: &Operands,
) -> u32 {
    let function: F = conjure();
    // SAFETY: the caller answers for the rows.
    unsafe {
        let (a, b) = (rows.source(operands.a), rows.source(operands.b));
        let mut bits = 0;
        for lane in 0..32 {
            bits |= u32::from(function(A::get(a, lane), B::get(b, lane))) << lane;
        }
        bits
    }
}

unsafe fn test_portable<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(
    rows: Rows,
    operands: &Operands,
) -> u32 {
    // SAFETY: the caller answers for the rows.
    unsafe { test_any::<A, B, F>(rows, operands) }
}

#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn test_avx2<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(
    rows: Rows,
    operands: &Operands,
) -> u32 {
    // SAFETY: the caller answers for the rows.
    unsafe { test_any::<A, B, F>(rows, operands) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
unsafe fn test_avx512<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(
    rows: Rows,
    operands: &Operands,
) -> u32 {
    // SAFETY: the caller answers for the rows.
    unsafe { test_any::<A, B, F>(rows, operands) }
}

impl Maker {
    /// A question about two operands.
    pub(crate) fn test<A: Lane, B: Lane, F: Fn(A, B) -> bool + Copy>(self, _: F) -> TestFn {
        match self.instructions {
            Instructions::Portable => test_portable::<A, B, F>,
            Instructions::Avx2 => test_avx2::<A, B, F>,
            Instructions::Avx512 => test_avx512::<A, B, F>,
        }
    }
}

impl Rows {
    /// All lanes of an operand whose register is numbered by its row, zero-extended to 64 bits.
    ///
    /// # Safety
    /// The operand is one of the program that the rows were made for.
    pub(crate) unsafe fn values(self, value: Value) -> [u64; 32] {
        match value {
            Value::Constant(constant) => [constant; 32],
            // SAFETY: the caller's register has its rows.
            Value::Register(register) => unsafe {
                match register.bits {
                    0..=32 => {
                        let row = self.source(register.number);
                        each_lane(|lane| u64::from(u32::get(row, lane)))
                    }
                    _ => self.read::<u64>(register.number),
                }
            },
        }
    }

    /// Sets a register, numbered by its row, for the lanes of `mask`.
    ///
    /// # Safety
    /// As for [`values`](Self::values).
    pub(crate) unsafe fn set(self, to: Register, mask: u32, values: &[u64; 32]) {
        // SAFETY: the caller's register has its rows.
        unsafe {
            match to.bits {
                0..=16 => self.write(to.number, mask, &each_lane(|lane| values[lane] as u16)),
                17..=32 => self.write(to.number, mask, &each_lane(|lane| values[lane] as u32)),
                _ => self.write(to.number, mask, values),
            }
        }
    }
}
