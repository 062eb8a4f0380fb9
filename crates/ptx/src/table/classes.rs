//! The classes of words that rows name in angle brackets. A class is generous: a row may allow a
//! word that makes no sense with it, but never lacks one that does.

/// The classes and their words.
const CLASSES: &[(&str, &str)] = &[
    (
        "type",
        "pred b1 b2 b4 b8 b16 b32 b64 b128 u2 u4 u8 u16 u32 u64 s2 s4 s8 s16 s32 s64 \
         u8x4 s8x4 u16x2 s16x2 f16 f16x2 bf16 bf16x2 tf32 f32 f32x2 f64 \
         e4m3 e5m2 e4m3x2 e5m2x2 e4m3x4 e5m2x4 e2m3 e3m2 e2m3x2 e3m2x2 e2m3x4 e3m2x4 \
         e2m1 e2m1x2 e2m1x4 ue8m0 ue8m0x2 ue4m3 s2f6x2 \
         b8x16 b6x16_p32 b4x16_p64 b1024 texref samplerref surfref",
    ),
    ("rounding", "rn rz rm rp rs rna rni rzi rmi rpi"),
    ("compare", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"),
    ("boolean", "and or xor"),
    (
        "space",
        "const global local param param::entry param::func shared shared::cta shared::cluster",
    ),
    ("scope", "cta cluster gpu sys"),
    ("order", "weak volatile mmio relaxed acquire release acq_rel sc"),
    ("cache", "ca cg cs lu cv wb wt nc"),
    (
        "evict",
        "L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate \
         L2::evict_normal L2::evict_unchanged L2::evict_first L2::evict_last",
    ),
    ("hint", "L2::cache_hint"),
    ("prefetch", "L2::64B L2::128B L2::256B"),
    ("vector", "v2 v4 v8"),
    ("operation", "and or xor add inc dec min max cas exch"),
    ("geometry", "1d 2d 3d 4d 5d a1d a2d cube acube 2dms a2dms"),
    ("clamp", "trap clamp zero"),
    ("completion", "mbarrier::complete_tx::bytes mbarrier::arrive::one bulk_group"),
    ("multicast", "multicast::cluster multicast::cluster::all"),
    ("cta_group", "cta_group::1 cta_group::2"),
    (
        "load_mode",
        "tile tile::gather4 tile::scatter4 im2col im2col::w im2col::w::128 im2col_no_offs",
    ),
    ("kind", "kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4"),
    ("scale", "block_scale scale_vec::1X scale_vec::2X scale_vec::4X block16 block32"),
    (
        "collector",
        "collector::a::fill collector::a::use collector::a::lastuse collector::a::discard \
         collector::b0::fill collector::b0::use collector::b0::lastuse collector::b0::discard \
         collector::b1::fill collector::b1::use collector::b1::lastuse collector::b1::discard \
         collector::b2::fill collector::b2::use collector::b2::lastuse collector::b2::discard \
         collector::b3::fill collector::b3::use collector::b3::lastuse collector::b3::discard",
    ),
    ("count", "x1 x2 x4 x8 x16 x32 x64 x128"),
    (
        "data_shape",
        "16x64b 16x128b 16x256b 32x32b 16x32bx2 128x256b 4x256b 128x128b 64x128b 32x128b",
    ),
    ("shape", ""),
];

/// Whether a word is a hint to caches, which changes no result; also one that no class lists.
pub fn is_cache_hint(word: &str) -> bool {
    matches!(word.split_once("::"), Some(("L1" | "L2", _)))
}

/// Whether a word says of which kind the elements of matrices are; also one that no class lists.
pub fn is_matrix_kind(word: &str) -> bool {
    matches!(word.split_once("::"), Some(("kind", _)))
}

/// Whether a class has a word. The words of the class `shape` are the shapes of matrices,
/// `m16n8k16` or `m8n8`, whatever their sizes.
pub(super) fn contains(class: &str, word: &str) -> bool {
    if class == "shape" {
        return is_matrix_shape(word);
    }
    let words = CLASSES.iter().find(|(name, _)| *name == class).map_or("", |(_, words)| words);
    words.split_ascii_whitespace().any(|known| known == word)
}

/// Whether there is a class of this name.
#[cfg(test)]
pub(super) fn exists(class: &str) -> bool {
    CLASSES.iter().any(|(name, _)| *name == class)
}

fn is_matrix_shape(word: &str) -> bool {
    let is_size = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some((rows, rest)) = word.strip_prefix('m').and_then(|rest| rest.split_once('n')) else {
        return false;
    };
    let (columns, depth) = rest.split_once('k').unwrap_or((rest, "0"));
    is_size(rows) && is_size(columns) && is_size(depth)
}
