//! Objects that the dynamic linker has loaded, and the functions that stand behind ours.
//!
//! Functions are looked up in the tables of the loaded objects, without a call of the C library: `dlsym` allocates, takes the
//! linker's lock, and cannot be used while clang's static runtime in the program still stands in front of it.

use std::ffi::{CStr, c_char};

use crate::elf;
use crate::system::complain;

/// An entry of the dynamic linker's list; the first fields are the same since ever.
#[repr(C)]
pub(crate) struct LinkMap {
    /// What is added to the addresses of the file.
    bias: usize,
    name: *const c_char,
    dynamic: *const DynamicEntry,
    next: *const LinkMap,
    previous: *const LinkMap,
}

#[repr(C)]
struct DebugState {
    version: i32,
    first: *const LinkMap,
}

#[repr(C)]
struct DynamicEntry {
    tag: usize,
    value: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: usize,
    size: usize,
}

unsafe extern "C" {
    #[link_name = "_r_debug"]
    static LINKER_STATE: DebugState;
    #[link_name = "_DYNAMIC"]
    static OWN_DYNAMIC: DynamicEntry;
}

const DT_STRTAB: usize = 5;
const DT_SYMTAB: usize = 6;
const DT_GNU_HASH: usize = 0x6fff_fef5;
const DT_VERSYM: usize = 0x6fff_fff0;
const TYPE_FUNCTION: u8 = 2;
const TYPE_INDIRECT_FUNCTION: u8 = 10;
/// A version that is not the default one.
const HIDDEN_VERSION: u16 = 0x8000;

/// The dynamic symbols of a loaded object.
#[derive(Clone, Copy)]
pub(crate) struct Symbols {
    bias: usize,
    strings: *const c_char,
    table: *const Symbol,
    hash: *const u32,
    versions: *const u16,
}

/// All loaded objects in the order in which symbols are searched; the first is the program.
fn objects() -> impl Iterator<Item = &'static LinkMap> {
    // SAFETY: the linker keeps the list for as long as the process lives; objects that are in it stay mapped while they are, and
    // we ask only for what was loaded with the program.
    let mut next = unsafe { LINKER_STATE.first };
    std::iter::from_fn(move || {
        // SAFETY: as above.
        let object = unsafe { next.as_ref() }?;
        next = object.next;
        Some(object)
    })
}

impl Symbols {
    fn of(object: &LinkMap) -> Option<Symbols> {
        let mut symbols = Symbols {
            bias: object.bias,
            strings: std::ptr::null(),
            table: std::ptr::null(),
            hash: std::ptr::null(),
            versions: std::ptr::null(),
        };
        let mut entry = object.dynamic;
        // The C library adds the bias to these entries, except for those of the kernel's own object.
        let address = |value: usize| if value < object.bias { value + object.bias } else { value };
        // SAFETY: the table ends with an entry of tag 0.
        while let Some(DynamicEntry { tag, value }) = unsafe { entry.as_ref() } {
            match *tag {
                0 => break,
                DT_STRTAB => symbols.strings = address(*value) as *const c_char,
                DT_SYMTAB => symbols.table = address(*value) as *const Symbol,
                DT_GNU_HASH => symbols.hash = address(*value) as *const u32,
                DT_VERSYM => symbols.versions = address(*value) as *const u16,
                _ => {}
            }
            // SAFETY: as above.
            entry = unsafe { entry.add(1) };
        }
        let complete =
            !symbols.strings.is_null() && !symbols.table.is_null() && !symbols.hash.is_null();
        complete.then_some(symbols)
    }

    /// The symbols of the program.
    pub(crate) fn of_program() -> Option<Symbols> {
        Symbols::of(objects().next()?)
    }

    /// Our own.
    pub(crate) fn own() -> Option<Symbols> {
        let own = &raw const OWN_DYNAMIC;
        Symbols::of(objects().find(|object| object.dynamic == own)?)
    }

    /// What is added to the addresses of the file.
    pub(crate) fn bias(&self) -> usize {
        self.bias
    }

    /// An address of the object.
    pub(crate) fn base(&self) -> usize {
        self.table as usize
    }

    /// The address of a function that is defined here.
    pub(crate) fn function(&self, name: &CStr) -> Option<usize> {
        let wanted = gnu_hash(name);
        // SAFETY: the layout of the hash table is that of every linker: four numbers, a filter, heads of chains, and chains.
        unsafe {
            let buckets = *self.hash;
            let first = *self.hash.add(1);
            let filter_words = *self.hash.add(2) as usize;
            let heads = self.hash.add(4 + 2 * filter_words);
            let chains = heads.add(buckets as usize);
            let mut index = *heads.add((wanted % buckets) as usize);
            if index < first {
                return None;
            }
            loop {
                let entry = *chains.add((index - first) as usize);
                if entry | 1 == wanted | 1 && self.is_default(index) {
                    let symbol = *self.table.add(index as usize);
                    if is_text(self.strings.add(symbol.name as usize), name) {
                        return self.address_of(symbol);
                    }
                }
                if entry & 1 != 0 {
                    return None;
                }
                index += 1;
            }
        }
    }

    unsafe fn is_default(&self, index: u32) -> bool {
        // SAFETY: there is a version for each symbol.
        self.versions.is_null()
            || unsafe { *self.versions.add(index as usize) } & HIDDEN_VERSION == 0
    }

    fn address_of(&self, symbol: Symbol) -> Option<usize> {
        if symbol.section == 0 {
            return None;
        }
        let address = self.bias + symbol.value;
        match symbol.info & 0xf {
            TYPE_INDIRECT_FUNCTION => {
                // SAFETY: such a symbol is of a function that gives the address, and the objects are relocated.
                let resolve: extern "C" fn() -> usize = unsafe { std::mem::transmute(address) };
                Some(resolve())
            }
            _ => Some(address),
        }
    }

    /// All functions that are defined here, with names, addresses and sizes.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (&'static CStr, usize, usize)> {
        let this = *self;
        (0..this.count()).filter_map(move |index| {
            // SAFETY: the index is below the number of symbols, and names are in the table of strings.
            let (symbol, name) = unsafe {
                let symbol = *this.table.add(index as usize);
                (symbol, CStr::from_ptr(this.strings.add(symbol.name as usize)))
            };
            let is_function = symbol.section != 0 && symbol.info & 0xf == TYPE_FUNCTION;
            is_function.then_some((name, this.bias + symbol.value, symbol.size))
        })
    }

    /// How many symbols there are: one more than the last one of any chain.
    fn count(&self) -> u32 {
        // SAFETY: as in `function`.
        unsafe {
            let buckets = *self.hash;
            let first = *self.hash.add(1);
            let heads = self.hash.add(4 + 2 * *self.hash.add(2) as usize);
            let chains = heads.add(buckets as usize);
            let last = (0..buckets as usize).map(|bucket| *heads.add(bucket)).max().unwrap_or(0);
            if last < first {
                return first;
            }
            let mut index = last;
            while *chains.add((index - first) as usize) & 1 == 0 {
                index += 1;
            }
            index + 1
        }
    }
}

/// Compares byte by byte: what the compiler would call instead are functions that are being looked up.
///
/// # Safety
///
/// It is a text.
unsafe fn is_text(text: *const c_char, name: &CStr) -> bool {
    let mut at = text.cast::<u8>();
    let mut expected = name.as_ptr().cast::<u8>();
    loop {
        // SAFETY: neither is read beyond its end, which is a zero.
        let (one, other) = unsafe { (at.read_volatile(), expected.read_volatile()) };
        if one != other {
            return false;
        }
        if one == 0 {
            return true;
        }
        // SAFETY: as above.
        unsafe {
            at = at.add(1);
            expected = expected.add(1);
        }
    }
}

fn gnu_hash(name: &CStr) -> u32 {
    let mut hash = 5381_u32;
    let mut at = name.as_ptr().cast::<u8>();
    loop {
        // SAFETY: it is read up to the zero at its end.
        let byte = unsafe { at.read_volatile() };
        if byte == 0 {
            return hash;
        }
        hash = hash.wrapping_mul(33).wrapping_add(u32::from(byte));
        // SAFETY: as above.
        at = unsafe { at.add(1) };
    }
}

/// The function of this name in the objects behind ours; none if nobody has it. The program itself is not asked.
pub(crate) fn function_behind(name: &CStr) -> Option<usize> {
    let own = &raw const OWN_DYNAMIC;
    let after = objects().skip_while(|object| object.dynamic != own).skip(1);
    after.filter_map(Symbols::of).find_map(|symbols| symbols.function(name))
}

/// The addresses of a loaded object whose name ends so, to the end of its variables.
pub(crate) fn addresses_of(ending: &[u8]) -> Option<std::ops::Range<u64>> {
    let named = |object: &&'static LinkMap| {
        // SAFETY: names are texts.
        !object.name.is_null()
            && unsafe { CStr::from_ptr(object.name) }.to_bytes().ends_with(ending)
    };
    let object = objects().find(named)?;
    let start = object.bias as u64;
    // SAFETY: an object is mapped where the linker says.
    let addresses = unsafe { elf::addresses(start) };
    Some(start + addresses.start..start + addresses.end)
}

/// A function of the C library behind one of ours, looked up when it is first called.
pub(crate) struct Behind {
    name: &'static CStr,
    address: std::sync::atomic::AtomicUsize,
}

impl Behind {
    pub(crate) const fn new(name: &'static CStr) -> Behind {
        Behind { name, address: std::sync::atomic::AtomicUsize::new(0) }
    }

    /// Its address; 0 if there is none.
    #[inline]
    pub(crate) fn address(&self) -> usize {
        match self.address.load(std::sync::atomic::Ordering::Relaxed) {
            0 => self.look_up(),
            known => known,
        }
    }

    #[cold]
    fn look_up(&self) -> usize {
        let found = function_behind(self.name).unwrap_or(0);
        self.address.store(found, std::sync::atomic::Ordering::Relaxed);
        found
    }
}

/// Functions of the C library that stand behind ours.
macro_rules! behind {
    ($($(#[$attribute:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $(-> $result:ty)?;)*) => {$(
        $(#[$attribute])*
        #[inline]
        pub(crate) unsafe fn $name($($argument: $type),*) $(-> $result)? {
            static BEHIND: $crate::linker::Behind =
                $crate::linker::Behind::new(match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name has no zero in it"),
                });
            let address = BEHIND.address();
            if address == 0 {
                $crate::linker::is_missing(stringify!($name));
            }
            type Function = unsafe extern "C-unwind" fn($($type),*) $(-> $result)?;
            // SAFETY: the function of this name has this type.
            let function: Function = unsafe { std::mem::transmute::<usize, Function>(address) };
            // SAFETY: the caller's promise.
            unsafe { function($($argument),*) }
        }
    )*};
}
pub(crate) use behind;

/// Ends the process: a program called a function of ours that no library has.
#[cold]
pub(crate) fn is_missing(name: &str) -> ! {
    complain(&format!(
        "warpsan: the program calls {name}, which no library of it has; this C library is not supported\n"
    ));
    std::process::abort()
}
