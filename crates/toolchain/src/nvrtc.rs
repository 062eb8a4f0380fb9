//! NVRTC, loaded at run time: CUDA source to PTX inside this process.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::Error;
use crate::toolkit::nvrtc_builtins;

type Program = *mut c_void;
type Status = c_int;

const SUCCESS: Status = 0;
const INVALID_OPTION: Status = 5;
const COMPILATION: Status = 6;

/// The functions of `nvrtc.h` that are used here, with the signatures given there.
#[derive(Debug)]
pub(crate) struct Nvrtc {
    path: PathBuf,
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status,
    error_text: unsafe extern "C" fn(Status) -> *const c_char,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    destroy: unsafe extern "C" fn(*mut Program) -> Status,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status,
    ptx_size: TextSize,
    ptx: TextCopy,
    log_size: TextSize,
    log: TextCopy,
}

type TextSize = unsafe extern "C" fn(Program, *mut usize) -> Status;
type TextCopy = unsafe extern "C" fn(Program, *mut c_char) -> Status;

/// What a compilation gave.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The PTX, or nothing if the source or an option has an error.
    pub(crate) ptx: Option<String>,
    /// Errors and warnings.
    pub(crate) log: String,
}

impl Nvrtc {
    /// Loads the library, for the rest of the process's life: NVRTC keeps state of its own, for which
    /// unloading was not made. Loading it again is cheap.
    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
        let unusable = |error: libloading::Error| Error::NvrtcUnusable {
            library: path.to_path_buf(),
            detail: error.to_string(),
        };
        // NVRTC opens its builtins by name alone, which finds this copy because it is loaded already.
        if let Some(builtins) = nvrtc_builtins(path) {
            open_forever(&builtins).map_err(unusable)?;
        }
        let library = open_forever(path).map_err(unusable)?;
        // SAFETY: the types are those of the declarations in nvrtc.h, which have been the same in all
        // versions that the search accepts.
        unsafe {
            Ok(Self {
                path: path.to_path_buf(),
                version: symbol(library, c"nvrtcVersion").map_err(unusable)?,
                error_text: symbol(library, c"nvrtcGetErrorString").map_err(unusable)?,
                create: symbol(library, c"nvrtcCreateProgram").map_err(unusable)?,
                destroy: symbol(library, c"nvrtcDestroyProgram").map_err(unusable)?,
                compile: symbol(library, c"nvrtcCompileProgram").map_err(unusable)?,
                ptx_size: symbol(library, c"nvrtcGetPTXSize").map_err(unusable)?,
                ptx: symbol(library, c"nvrtcGetPTX").map_err(unusable)?,
                log_size: symbol(library, c"nvrtcGetProgramLogSize").map_err(unusable)?,
                log: symbol(library, c"nvrtcGetProgramLog").map_err(unusable)?,
            })
        }
    }

    /// As in `13.0`.
    pub(crate) fn version(&self) -> Result<String, Error> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both pointers are to integers that live until the call returns.
        let status = unsafe { (self.version)(&mut major, &mut minor) };
        self.check("nvrtcVersion", status)?;
        Ok(format!("{major}.{minor}"))
    }

    /// Compiles a source. `name` goes into the PTX's `.file` lines and into messages.
    pub(crate) fn compile(
        &self,
        source: &CStr,
        name: &CStr,
        options: &[CString],
    ) -> Result<Outcome, Error> {
        let mut program = ptr::null_mut();
        // SAFETY: the strings end with zero and outlive the call, which copies them; there are no
        // headers, for which null is allowed.
        let status = unsafe {
            let (source, name) = (source.as_ptr(), name.as_ptr());
            (self.create)(&mut program, source, name, 0, ptr::null(), ptr::null())
        };
        self.check("nvrtcCreateProgram", status)?;
        let outcome = self.compile_created(program, options);
        // SAFETY: the program was created above and is not used again.
        unsafe { (self.destroy)(&mut program) };
        outcome
    }

    fn compile_created(&self, program: Program, options: &[CString]) -> Result<Outcome, Error> {
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).unwrap_or(c_int::MAX);
        // SAFETY: the program is alive, and `pointers` has `count` strings that outlive the call.
        let status = unsafe { (self.compile)(program, count, pointers.as_ptr()) };
        let log = self.text(program, self.log_size, self.log)?;
        if status == COMPILATION || status == INVALID_OPTION {
            return Ok(Outcome { ptx: None, log });
        }
        self.check("nvrtcCompileProgram", status)?;
        let ptx = self.text(program, self.ptx_size, self.ptx)?;
        Ok(Outcome { ptx: Some(ptx), log })
    }

    /// One of NVRTC's texts, without the zero at its end.
    fn text(&self, program: Program, size: TextSize, copy: TextCopy) -> Result<String, Error> {
        let mut length = 0;
        // SAFETY: the program is alive, and the pointer is to an integer.
        self.check("the size of a text", unsafe { size(program, &mut length) })?;
        let mut buffer = vec![0u8; length];
        // SAFETY: the buffer has exactly the size that NVRTC asked for.
        let status = unsafe { copy(program, buffer.as_mut_ptr().cast::<c_char>()) };
        self.check("a text", status)?;
        while buffer.last() == Some(&0) {
            buffer.pop();
        }
        Ok(String::from_utf8_lossy(&buffer).into_owned())
    }

    fn check(&self, call: &str, status: Status) -> Result<(), Error> {
        if status == SUCCESS {
            return Ok(());
        }
        // SAFETY: NVRTC returns a string that lives as long as the library, also for unknown numbers.
        let text = unsafe { CStr::from_ptr((self.error_text)(status)) }.to_string_lossy();
        Err(Error::NvrtcUnusable {
            library: self.path.clone(),
            detail: format!("{call} answered {status} ({text})"),
        })
    }
}

fn open_forever(path: &Path) -> Result<&'static Library, libloading::Error> {
    // SAFETY: the library is the toolkit's own NVRTC, whose initialisers need nothing from us.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    library.map(|library| &*Box::leak(Box::new(library)))
}

/// # Safety
/// `T` must be the type of the function with that name.
unsafe fn symbol<T: Copy>(library: &'static Library, name: &CStr) -> Result<T, libloading::Error> {
    // SAFETY: the caller vouches for the type; the library is never unloaded.
    let symbol = unsafe { library.get::<T>(name.to_bytes_with_nul()) };
    symbol.map(|symbol| *symbol)
}

/// A path as NVRTC takes it.
pub(crate) fn path_text(path: &Path) -> Result<CString, Error> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| Error::UnusableSource {
        path: path.to_path_buf(),
        detail: "its name contains a zero byte",
    })
}
