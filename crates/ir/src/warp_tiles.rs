//! Which barriers of a warp are of tiles: aligned groups of 2, 4, 8 or 16 lanes, or of all 32.
//!
//! `__syncwarp(mask)` takes any mask; those of cooperative groups' tiles are `0xffff << (lane & ~15)`. Tiles of several sizes nest, so that who is ordered by their
//! barriers can be said by counts. A thread that executes a barrier is in its mask: PTX leaves anything else undefined, so that of a mask which
//! begins at a multiple of its size it need not be shown that it is the thread's own.
//!
//! As in [`lane_strides`](crate::lane_strides), registers are looked at whatever the order of the code is.

use crate::held::{Held, Join};
use crate::{BinaryOp, Instruction, Op, Special, Uses, Value};
use warpsan_model::WARP_LANES;

/// Longer code has no tiles: the time would not pay.
const MOST_INSTRUCTIONS: usize = 1 << 16;

/// What a register holds in all lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bits {
    /// These bits.
    constant: Option<u32>,
    /// So many of the lowest bits are zero.
    zeros: u32,
    /// It is less than that.
    limit: u64,
    /// A mask of 2 to this power lanes side by side, which begins at a multiple of their number.
    tile: Option<u32>,
}

impl Bits {
    const ANYTHING: Bits = Bits { constant: None, zeros: 0, limit: 1 << 32, tile: None };

    fn constant(bits: u32) -> Bits {
        let (constant, limit) = (Some(bits), u64::from(bits) + 1);
        Bits { constant, zeros: bits.trailing_zeros(), limit, tile: tile_of(bits) }
    }

    fn below(limit: u64) -> Bits {
        Bits { limit, ..Bits::ANYTHING }
    }

    fn and(self, other: Bits) -> Bits {
        let zeros = self.zeros.max(other.zeros);
        Bits { zeros, limit: self.limit.min(other.limit), ..Bits::ANYTHING }
    }

    fn shifted_left(self, by: Bits) -> Bits {
        if let Some(by) = by.constant.filter(|by| *by < u32::BITS) {
            let limit = ((self.limit - 1) << by) + 1;
            let fits = limit <= Bits::ANYTHING.limit;
            let limit = if fits { limit } else { Bits::ANYTHING.limit };
            return Bits { zeros: (self.zeros + by).min(u32::BITS), limit, ..Bits::ANYTHING };
        }
        // Lanes from the first one on, moved to a multiple of their number.
        let own = self.constant.filter(|bits| bits & 1 != 0).and_then(tile_of);
        let is_aligned = |size: &u32| by.zeros >= *size && by.limit <= u64::from(WARP_LANES);
        Bits { tile: own.filter(is_aligned), ..Bits::ANYTHING }
    }

    fn shifted_right(self, by: Bits) -> Bits {
        let by = by.constant.filter(|by| *by < u32::BITS).unwrap_or(0);
        let zeros = self.zeros.saturating_sub(by);
        Bits { zeros, limit: ((self.limit - 1) >> by) + 1, ..Bits::ANYTHING }
    }
}

impl Join for Bits {
    fn join(&self, other: &Bits) -> Bits {
        Bits {
            constant: self.constant.filter(|_| self.constant == other.constant),
            zeros: self.zeros.min(other.zeros),
            limit: self.limit.max(other.limit),
            tile: self.tile.filter(|_| self.tile == other.tile),
        }
    }
}

/// The power of two of a tile's lanes, if a mask is one.
fn tile_of(mask: u32) -> Option<u32> {
    let (first, lanes) = (mask.trailing_zeros(), mask.count_ones());
    let is_run = u64::from(mask) == ((1u64 << lanes) - 1) << first.min(u32::BITS - 1);
    let is_tile = lanes.is_power_of_two() && first.is_multiple_of(lanes) && is_run;
    is_tile.then(|| lanes.ilog2())
}

/// Of each instruction that is a barrier of a warp, the power of two of how many lanes it is for, as far as that is known and these are a tile.
pub fn warp_barrier_tiles(code: &[Instruction]) -> Vec<Option<u32>> {
    let mut tiles = vec![None; code.len()];
    if code.len() > MOST_INSTRUCTIONS {
        return tiles;
    }
    let masks = code.iter().enumerate().filter_map(|(at, one)| match one.op {
        Op::WarpBarrier { mask } => Some((at, mask)),
        _ => None,
    });
    let mut registers = None;
    for (at, mask) in masks {
        if let Value::Constant(bits) = mask {
            tiles[at] = tile_of(bits as u32);
            continue;
        }
        let registers = registers.get_or_insert_with(|| settled(code));
        let held = registers.as_ref().and_then(|registers| of(registers, mask));
        tiles[at] = held.and_then(|bits| bits.tile);
    }
    tiles
}

fn settled(code: &[Instruction]) -> Option<Held<Bits>> {
    Held::settle(|held| code.iter().fold(false, |changed, one| follow(held, &one.op) | changed))
}

fn of(held: &Held<Bits>, value: Value) -> Option<Bits> {
    match value {
        Value::Register(register) => held.get(register).copied(),
        Value::Constant(bits) => Some(Bits::constant(bits as u32)),
    }
}

fn follow(held: &mut Held<Bits>, op: &Op) -> bool {
    let both = |held: &Held<Bits>, a: &Value, b: &Value| of(held, *a).zip(of(held, *b));
    match op {
        Op::Move { to, from } if to.bits == 32 => {
            let bits = of(held, *from);
            held.write(*to, bits)
        }
        Op::Select { to, a, b, .. } if to.bits == 32 => {
            let bits = both(held, a, b).map(|(a, b)| a.join(&b));
            held.write(*to, bits)
        }
        Op::ReadSpecial { to, special: Special::Laneid } => {
            held.write(*to, Some(Bits::below(u64::from(WARP_LANES))))
        }
        Op::Binary { op, to, a, b, ty, .. } if to.bits == 32 && ty.bytes() == 4 => {
            let bits = both(held, a, b).map(|(a, b)| match (op, a.constant, b.constant) {
                (BinaryOp::And, Some(a), Some(b)) => Bits::constant(a & b),
                (BinaryOp::And, ..) => a.and(b),
                (BinaryOp::Shl, Some(a), Some(b)) if b < u32::BITS => Bits::constant(a << b),
                (BinaryOp::Shl, ..) => a.shifted_left(b),
                (BinaryOp::Shr, ..) if !ty.is_signed() || a.limit <= 1 << 31 => a.shifted_right(b),
                _ => Bits::ANYTHING,
            });
            held.write(*to, bits)
        }
        op => Uses::of(op)
            .writes
            .iter()
            .fold(false, |changed, to| held.write(*to, Some(Bits::ANYTHING)) | changed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ModuleIndex, function};
    use warpsan_ptx::Document;

    /// What is known of the barriers of the code.
    fn tiles(code: &str) -> Vec<Option<u32>> {
        let text = format!(
            ".version 9.0\n.target sm_90\n.address_size 64\n.entry k(.param .b32 n)\n{{\n.reg .b32 %r<20>;\n\
             .reg .pred %p<4>;\nld.param.u32 %r1, [n];\nmov.u32 %r2, %laneid;\nmov.u32 %r3, %tid.x;\n\
             setp.lt.u32 %p1, %r3, 16;\n{code}\nret;\n}}\n"
        );
        let document = Document::parse(text);
        assert_eq!(document.errors(), [], "{code}");
        let kernel = function(&ModuleIndex::of(&document), "k").expect("a function");
        let all = kernel.code.iter().zip(warp_barrier_tiles(&kernel.code));
        let barriers = all.filter(|(one, _)| matches!(one.op, Op::WarpBarrier { .. }));
        barriers.map(|(_, tile)| tile).collect()
    }

    #[test]
    fn constant_masks() {
        let code = ["-1", "0xffff", "0xffff0000", "0xf0", "3", "16", "0x7", "0x3c", "0x180", "0"];
        let code: String = code.map(|mask| format!("bar.warp.sync {mask};\n")).concat();
        let known = [Some(5), Some(4), Some(4), Some(2), Some(1), Some(0), None, None, None, None];
        assert_eq!(tiles(&code), known);
    }

    #[test]
    fn masks_of_cooperative_tiles() {
        let of_lane =
            "and.b32 %r4, %r2, -8;\nmov.u32 %r5, 255;\nshl.b32 %r6, %r5, %r4;\nbar.warp.sync %r6;";
        assert_eq!(tiles(of_lane), [Some(3)]);
        let of_thread = "and.b32 %r4, %r3, 16;\nshl.b32 %r6, 65535, %r4;\nbar.warp.sync %r6;";
        assert_eq!(tiles(of_thread), [Some(4)]);
        let by_shifts =
            "shr.u32 %r4, %r2, 2;\nshl.b32 %r5, %r4, 2;\nshl.b32 %r6, 15, %r5;\nbar.warp.sync %r6;";
        assert_eq!(tiles(by_shifts), [Some(2)]);
    }

    #[test]
    fn masks_that_need_not_be_tiles() {
        let unaligned = "and.b32 %r4, %r2, -4;\nshl.b32 %r6, 255, %r4;\nbar.warp.sync %r6;";
        assert_eq!(tiles(unaligned), [None]);
        let beyond = "and.b32 %r4, %r3, -8;\nshl.b32 %r6, 255, %r4;\nbar.warp.sync %r6;";
        assert_eq!(tiles(beyond), [None], "a thread's index is no lane");
        let of_parameter = "shl.b32 %r6, 255, %r1;\nbar.warp.sync %r6;\nbar.warp.sync %r1;";
        assert_eq!(tiles(of_parameter), [None, None]);
        let of_the_active = "activemask.b32 %r4;\nbar.warp.sync %r4;";
        assert_eq!(tiles(of_the_active), [None]);
    }

    #[test]
    fn one_of_two_masks() {
        let halves = "selp.b32 %r4, 65535, -65536, %p1;\nbar.warp.sync %r4;";
        assert_eq!(tiles(halves), [Some(4)]);
        let of_several_sizes = "mov.u32 %r4, 65535;\n@%p1 mov.u32 %r4, 255;\nbar.warp.sync %r4;";
        assert_eq!(tiles(of_several_sizes), [None]);
    }
}
