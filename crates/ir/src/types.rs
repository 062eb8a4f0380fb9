/// Bits of a register of the type of this name, without its dot; a predicate has none.
pub(crate) fn register_bits(name: &str) -> Option<u32> {
    Some(match name {
        "bf16" => 16,
        "f16x2" | "bf16x2" | "tf32" => 32,
        "b128" => 128,
        _ => Type::parse(name)?.bits(),
    })
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
    Pred,
}

impl Type {
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
            "pred" => Type::Pred,
            _ => return None,
        })
    }

    /// Its size; a predicate has none in memory.
    pub fn bytes(self) -> u32 {
        match self {
            Type::B8 | Type::U8 | Type::S8 => 1,
            Type::B16 | Type::U16 | Type::S16 | Type::F16 => 2,
            Type::B32 | Type::U32 | Type::S32 | Type::F32 => 4,
            Type::B64 | Type::U64 | Type::S64 | Type::F64 => 8,
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

    /// Whether it is a floating-point type.
    pub fn is_float(self) -> bool {
        matches!(self, Type::F16 | Type::F32 | Type::F64)
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
