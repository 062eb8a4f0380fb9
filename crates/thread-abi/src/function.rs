//! Functions of the C library that access memory for the program.

/// Which function makes an access. [`LibraryFunction::NONE`]: the program itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LibraryFunction(u16);

macro_rules! functions {
    ($($constant:ident = $name:literal),* $(,)?) => {
        #[allow(clippy::upper_case_acronyms, non_camel_case_types)]
        #[repr(u16)]
        enum Number { NONE, $($constant),* }

        impl LibraryFunction {
            pub(crate) const NONE: LibraryFunction = LibraryFunction(Number::NONE as u16);
            $(pub(crate) const $constant: LibraryFunction = LibraryFunction(Number::$constant as u16);)*
        }

        const NAMES: &[&str] = &["", $($name),*];
    };
}

functions! {
    MEMCPY = "memcpy", MEMMOVE = "memmove", MEMSET = "memset", MEMCMP = "memcmp", MEMCHR = "memchr", BZERO = "bzero",
    STRLEN = "strlen", STRCPY = "strcpy", STRCAT = "strcat", STRCMP = "strcmp", STRCHR = "strchr", STRSTR = "strstr",
    STRDUP = "strdup", FREE = "free", REALLOC = "realloc", READ = "read", WRITE = "write", RECV = "recv", SEND = "send",
    FREAD = "fread", FWRITE = "fwrite", FGETS = "fgets", FPUTS = "fputs",
    DELETE = "operator delete", MEMPCPY = "mempcpy", CALLOC = "calloc",
    CLOCK_GETTIME = "clock_gettime", GETTIMEOFDAY = "gettimeofday", TIME = "time", GETRUSAGE = "getrusage", STAT = "stat",
    LOCALTIME_R = "localtime_r", STRFTIME = "strftime", GETCWD = "getcwd", REALPATH = "realpath", READLINK = "readlink",
    GETHOSTNAME = "gethostname", GETRANDOM = "getrandom", GETSOCKNAME = "getsockname", GETSOCKOPT = "getsockopt",
    INET_NTOP = "inet_ntop", INET_PTON = "inet_pton", UNAME = "uname",
    SPRINTF = "sprintf", SNPRINTF = "snprintf",
}

impl LibraryFunction {
    pub(crate) fn from_number(number: u16) -> LibraryFunction {
        LibraryFunction(number)
    }

    pub(crate) fn number(self) -> u16 {
        self.0
    }

    /// Its name; none for the program itself.
    pub(crate) fn name(self) -> Option<&'static str> {
        NAMES.get(usize::from(self.0)).copied().filter(|name| !name.is_empty())
    }
}
