//! Who made an access of the host: where functions on top of its thread's stack return to.
//!
//! The handler of a fault copies the top of the stack, since that is gone later, and may not do more. What of it is the
//! return address of a call is found out when accesses are looked at: it points behind an instruction that calls. A
//! word that a function has left there may look like one, so that this is good for reports and for nothing else.

use super::space::is_device_address;

/// Words of a stack that are looked at: some calls of functions that were not inlined.
const WORDS: usize = 64;

/// Callers that are told; deeper ones say nothing more about an access.
const MOST_CALLERS: usize = 8;

/// A stack is not larger than this, as a rule: what points so near is no code.
const STACK_BYTES: usize = 64 << 20;

/// Instructions that call, innermost first; zeros behind the last.
pub(super) type Callers = [usize; MOST_CALLERS];

/// The top of a stack.
#[derive(Clone, Copy)]
pub(super) struct StackTop {
    pointer: usize,
    words: [usize; WORDS],
}

impl StackTop {
    /// Where nothing is known of it.
    pub(super) const UNKNOWN: StackTop = StackTop { pointer: 0, words: [0; WORDS] };

    /// Copies it. `copy` copies memory of this process and says how much was there.
    pub(super) fn at(pointer: usize, copy: fn(usize, &mut [u8]) -> usize) -> StackTop {
        let mut bytes = [0_u8; WORDS * size_of::<usize>()];
        let copied = copy(pointer, &mut bytes).min(bytes.len());
        let mut words = [0; WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes[..copied].chunks_exact(size_of::<usize>()))
        {
            *word = bytes.try_into().map_or(0, usize::from_le_bytes);
        }
        StackTop { pointer, words }
    }

    /// The instructions that called.
    pub(super) fn callers(&self, copy: fn(usize, &mut [u8]) -> usize) -> Callers {
        let mut callers = [0; MOST_CALLERS];
        let returns = self.words.iter().filter(|word| self.may_be_code(**word));
        let calls = returns.filter(|word| is_behind_call(**word, copy)).map(|word| word - 1);
        callers.iter_mut().zip(calls).for_each(|(caller, call)| *caller = call);
        callers
    }

    fn may_be_code(&self, word: usize) -> bool {
        const FIRST: usize = 1 << 16;
        const END: usize = 1 << 47;
        (FIRST..END).contains(&word)
            && !is_device_address(word as u64)
            && word.abs_diff(self.pointer) > STACK_BYTES
    }
}

/// Whether an instruction that calls is in front of an address.
fn is_behind_call(address: usize, copy: fn(usize, &mut [u8]) -> usize) -> bool {
    /// The longest call by a register and a distance.
    const LONGEST: usize = 7;
    const DIRECT: u8 = 0xe8;
    const INDIRECT: u8 = 0xff;
    let mut code = [0_u8; LONGEST];
    if copy(address - LONGEST, &mut code) < LONGEST {
        return false;
    }
    // What is called stands in the second byte of an indirect call, and 2 in its middle bits makes it a call.
    let is_indirect = |length: usize| matches!(code[LONGEST - length..], [INDIRECT, how, ..] if how >> 3 & 7 == 2);
    code[LONGEST - 5] == DIRECT || [2, 3, 6, 7].into_iter().any(is_indirect)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As if all memory were these bytes, from an address on.
    const CODE: usize = 0x40_0000;

    fn copy(from: usize, to: &mut [u8]) -> usize {
        let code = [
            &[0x90_u8; 16][..],
            &[0xe8, 1, 2, 3, 4],
            &[0xff, 0x15, 1, 2, 3, 4],
            &[0x41, 0xff, 0xd4],
            &[0xff, 0xe0, 0x90, 0x90],
        ]
        .concat();
        let Some(found) = from.checked_sub(CODE).and_then(|at| code.get(at..at + to.len())) else {
            return 0;
        };
        to.copy_from_slice(found);
        to.len()
    }

    #[test]
    fn what_is_behind_a_call_is_a_return_address_and_nothing_else_is() {
        let mut words = [0; WORDS];
        let behind = [CODE + 21, CODE + 27, CODE + 30];
        let others = [CODE + 16, CODE + 19, CODE + 32, CODE + 2, 7, usize::MAX, 0x7000_0000_0010];
        words[..3].copy_from_slice(&others[..3]);
        words[3..6].copy_from_slice(&behind);
        words[6..10].copy_from_slice(&others[3..]);
        let top = StackTop { pointer: 0x7000_0000_0000, words };
        let mut wanted = [0; MOST_CALLERS];
        wanted[..3].copy_from_slice(&behind.map(|address| address - 1));
        assert_eq!(top.callers(copy), wanted);
        assert_eq!(StackTop::UNKNOWN.callers(copy), [0; MOST_CALLERS]);
    }

    #[test]
    fn a_stack_that_ends_soon_has_fewer_words() {
        fn short(_: usize, to: &mut [u8]) -> usize {
            to[..11].copy_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2]);
            11
        }
        let top = StackTop::at(0x7000, short);
        assert_eq!((top.words[0], top.words[1]), (1, 0));
    }
}
