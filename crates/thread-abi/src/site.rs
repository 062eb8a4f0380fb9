//! Functions that know where they are called from.
//!
//! The exported function is two instructions: it puts its return address into the first register for arguments that the real
//! function does not use, and goes on there.

/// `name, register => inner`: `inner` gets the return address as one more argument, in this register.
macro_rules! with_site {
    ($($(#[$attribute:meta])* $name:ident, $register:literal => $inner:path;)*) => {$(
        $(#[$attribute])*
        #[unsafe(naked)]
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C-unwind" fn $name() {
            std::arch::naked_asm!(
                concat!("mov ", $register, ", qword ptr [rsp]"),
                "jmp {inner}",
                inner = sym $inner,
            )
        }
    )*};
}
pub(crate) use with_site;
