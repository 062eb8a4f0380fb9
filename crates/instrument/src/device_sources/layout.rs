//! Rust structs as text of C++.

use std::fmt::Write as _;

/// A type that host and device have in common.
pub(super) trait DeviceType {
    /// Its name in C++, without the extent of an array.
    const NAME: &'static str;
    /// The elements of an array.
    const EXTENT: Option<usize> = None;
    /// Bytes of the value; what follows up to the next field is unused.
    const BYTES: usize;
}

macro_rules! scalars {
    ($($rust:ty => $name:literal),*) => {
        $(impl DeviceType for $rust {
            const NAME: &'static str = $name;
            const BYTES: usize = size_of::<$rust>();
        })*
    };
}

scalars!(u16 => "u16", u32 => "u32", u64 => "u64", i32 => "s32");

impl<T: DeviceType, const N: usize> DeviceType for [T; N] {
    const NAME: &'static str = T::NAME;
    const EXTENT: Option<usize> = Some(N);
    const BYTES: usize = size_of::<[T; N]>();
}

/// A field of a struct: where it lies, and its declaration.
pub(super) struct Field {
    offset: usize,
    bytes: usize,
    declaration: String,
}

impl Field {
    /// A field as its Rust type has it. The accessor only names the type.
    pub(super) fn new<S, T: DeviceType>(name: &str, offset: usize, _: fn(&S) -> &T) -> Field {
        let extent = T::EXTENT.map_or(String::new(), |extent| format!("[{extent}]"));
        let declaration = format!("{} {name}{extent}", T::NAME);
        Field { offset, bytes: T::BYTES, declaration }
    }

    /// A field that the device declares otherwise, as a pointer to what the address leads to.
    pub(super) fn declared(mut self, declaration: &str) -> Field {
        declaration.clone_into(&mut self.declaration);
        self
    }
}

/// Fields of a Rust struct by their names, each with another declaration where one is given.
macro_rules! fields {
    ($of:ty { $($field:ident $(as $declaration:literal)?),* $(,)? }) => {
        [$(
            Field::new(
                stringify!($field),
                std::mem::offset_of!($of, $field),
                |all: &$of| &all.$field,
            )$(.declared($declaration))?
        ),*]
    };
}
pub(super) use fields;

/// The text of a struct of so many bytes. What lies between its fields is unused.
pub(super) fn structure(name: &str, bytes: usize, fields: &[Field]) -> String {
    let mut text = format!("struct {name} {{\n");
    let mut end = 0;
    let mut gaps = 0;
    let mut gap = |text: &mut String, from: usize, to: usize| {
        debug_assert!(to >= from && (to - from).is_multiple_of(4), "{name}: {from} to {to}");
        if to > from {
            gaps += 1;
            let _ = writeln!(text, "    u32 gap_{gaps}[{}];", (to - from) / 4);
        }
    };
    for field in fields {
        gap(&mut text, end, field.offset);
        let _ = writeln!(text, "    {};", field.declaration);
        end = field.offset + field.bytes;
    }
    gap(&mut text, end, bytes);
    let _ =
        writeln!(text, "}};\nstatic_assert(sizeof({name}) == {bytes}, \"as the host has it\");");
    text
}

/// The text of constants.
pub(super) fn constants(of: &str, constants: &[(&str, u64)]) -> String {
    let suffix = if of == "u64" { "ull" } else { "u" };
    let mut text = String::new();
    for (name, value) in constants {
        let _ = writeln!(text, "constexpr {of} {name} = {value}{suffix};");
    }
    text
}

/// The text of an enumeration.
pub(super) fn enumeration(name: &str, values: &[(&str, u64)]) -> String {
    let mut text = format!("enum {name} {{\n");
    for (name, value) in values {
        let _ = writeln!(text, "    {name} = {value},");
    }
    text.push_str("};\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    struct Sample {
        first: u32,
        second: [u64; 2],
        third: u64,
    }

    #[test]
    fn a_struct_is_printed_with_its_gaps() {
        let fields = fields!(Sample { first, second, third as "Sample *third" });
        let wanted = "struct Sample {\n    u32 first;\n    u32 gap_1[1];\n    u64 second[2];\n    Sample *third;\n};\n\
            static_assert(sizeof(Sample) == 32, \"as the host has it\");\n";
        assert_eq!(structure("Sample", size_of::<Sample>(), &fields), wanted);
    }
}
