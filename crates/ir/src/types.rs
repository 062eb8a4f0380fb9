/// Bits of a register of the type of this name, without its dot; a predicate has none.
pub(crate) fn register_bits(name: &str) -> Option<u32> {
    Type::parse(name).map(Type::bits)
}

/// Bytes of an element of a variable of the type of this name, without its dot. References to
/// textures, samplers and surfaces are handles.
pub(crate) fn element_bytes(name: &str) -> Option<u32> {
    match name {
        "texref" | "samplerref" | "surfref" => Some(8),
        _ => register_bits(name).filter(|bits| *bits > 0).map(|bits| bits / 8),
    }
}

/// The fundamental types of PTX that values have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is the PTX type of the same name")]
pub enum Type {
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F32,
    F64,
    Bf16,
    Tf32,
    F16x2,
    Bf16x2,
    U16x2,
    S16x2,
    E4m3x2,
    E5m2x2,
    E2m1x2,
    E2m3x2,
    E3m2x2,
    Ue8m0x2,
    F32x2,
    B128,
    Pred,
}

impl Type {
    /// Whether it is an integer of 32 or 64 bits, or as many bits: what addresses are computed with.
    pub(crate) fn is_address_part(self) -> bool {
        use Type::{B32, B64, S32, S64, U32, U64};
        matches!(self, B32 | B64 | S32 | S64 | U32 | U64)
    }

    /// The type of this name, without its dot.
    pub fn parse(name: &str) -> Option<Type> {
        Some(match name {
            "b8" => Type::B8,
            "b16" => Type::B16,
            "b32" => Type::B32,
            "b64" => Type::B64,
            "u8" => Type::U8,
            "u16" => Type::U16,
            "u32" => Type::U32,
            "u64" => Type::U64,
            "s8" => Type::S8,
            "s16" => Type::S16,
            "s32" => Type::S32,
            "s64" => Type::S64,
            "f16" => Type::F16,
            "f32" => Type::F32,
            "f64" => Type::F64,
            "bf16" => Type::Bf16,
            "tf32" => Type::Tf32,
            "f16x2" => Type::F16x2,
            "bf16x2" => Type::Bf16x2,
            "u16x2" => Type::U16x2,
            "s16x2" => Type::S16x2,
            "e4m3x2" => Type::E4m3x2,
            "e5m2x2" => Type::E5m2x2,
            "e2m1x2" => Type::E2m1x2,
            "e2m3x2" => Type::E2m3x2,
            "e3m2x2" => Type::E3m2x2,
            "ue8m0x2" => Type::Ue8m0x2,
            "f32x2" => Type::F32x2,
            "b128" => Type::B128,
            "pred" => Type::Pred,
            _ => return None,
        })
    }

    /// Its size; a predicate has none in memory.
    pub fn bytes(self) -> u32 {
        match self {
            Type::B8 | Type::U8 | Type::S8 | Type::E2m1x2 => 1,
            Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 => 2,
            Type::E4m3x2 | Type::E5m2x2 | Type::E2m3x2 | Type::E3m2x2 | Type::Ue8m0x2 => 2,
            Type::B32 | Type::U32 | Type::S32 | Type::F32 | Type::Tf32 => 4,
            Type::F16x2 | Type::Bf16x2 | Type::U16x2 | Type::S16x2 => 4,
            Type::B64 | Type::U64 | Type::S64 | Type::F64 | Type::F32x2 => 8,
            Type::B128 => 16,
            Type::Pred => 0,
        }
    }

    /// Its size in bits.
    pub fn bits(self) -> u32 {
        self.bytes() * 8
    }

    /// Whether it is a signed integer.
    pub fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }

    /// Whether it is a floating-point type of one value.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::Bf16 | Type::Tf32 | Type::F32 | Type::F64)
    }

    /// Whether a value of it is several values side by side.
    pub fn is_packed(self) -> bool {
        matches!(
            self,
            Type::F16x2
                | Type::Bf16x2
                | Type::U16x2
                | Type::S16x2
                | Type::F32x2
                | Type::E4m3x2
                | Type::E5m2x2
                | Type::E2m1x2
                | Type::E2m3x2
                | Type::E3m2x2
                | Type::Ue8m0x2
        )
    }

    /// The integer type of the same signedness and twice the width, for `.wide`.
    pub fn widened(self) -> Option<Type> {
        Some(match self {
            Type::U16 => Type::U32,
            Type::S16 => Type::S32,
            Type::U32 => Type::U64,
            Type::S32 => Type::S64,
            _ => return None,
        })
    }
}
