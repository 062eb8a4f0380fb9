//! The limits that programs run under.

/// The stack that a program's first thread, and each further one, has by default.
const STACK: libc::rlim_t = 8 << 20;

/// Lets programs have as many threads as the system allows, with stacks of the usual size. They inherit the limits of this process.
pub fn raise_limits() {
    raise(libc::RLIMIT_NPROC, libc::RLIM_INFINITY);
    raise(libc::RLIMIT_STACK, STACK);
}

/// Raises a limit up to a value, as far as that is allowed; a higher one stays.
fn raise(resource: libc::__rlimit_resource_t, wanted: libc::rlim_t) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the place is written by the system only.
    let known = unsafe { libc::getrlimit(resource, &raw mut limit) } == 0;
    if known && limit.rlim_cur < wanted {
        limit.rlim_cur = wanted.min(limit.rlim_max);
        // SAFETY: the place is read by the system only. Where it refuses, programs fail and say so themselves.
        unsafe { libc::setrlimit(resource, &raw const limit) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_not_lower_than_before() {
        let soft = || {
            let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: as above.
            unsafe { libc::getrlimit(libc::RLIMIT_NPROC, &raw mut limit) };
            limit
        };
        let before = soft();
        raise_limits();
        assert!(soft().rlim_cur >= before.rlim_cur);
        assert_eq!(soft().rlim_cur, before.rlim_max);
    }
}
