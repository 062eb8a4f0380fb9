//! Who made an access of the host: where functions on top of its thread's stack return to.
//!
//! The handler of a fault copies the top of the stack, since that is gone later, and may not do more. What of it is the
//! return address of a call is found out when accesses are looked at: it points behind an instruction that calls. A
//! word that a function has left there may look like one, so that this is good for reports and for nothing else.

use super::space::is_device_address;

/// Words of a stack that are looked at: some calls of functions that were not inlined.
const WORDS: usize = 64;

/// Words among them that are kept until somebody looks whether they are return addresses.
const MOST_KEPT: usize = 16;

/// Callers that are told; deeper ones say nothing more about an access.
const MOST_CALLERS: usize = 8;

/// A stack is not larger than this, as a rule: what points so near is no code.
const STACK_BYTES: usize = 64 << 20;

/// Instructions that call, innermost first; zeros behind the last.
pub(super) type Callers = [usize; MOST_CALLERS];

/// Copies memory of this process, and says how much was there.
type CopyMemory = fn(usize, &mut [u8]) -> usize;

/// What may be addresses of code on top of a stack, innermost first; zeros behind the last.
#[derive(Clone, Copy)]
pub(super) struct StackTop([usize; MOST_KEPT]);

impl StackTop {
    /// Where nothing is known of it.
    pub(super) const UNKNOWN: StackTop = StackTop([0; MOST_KEPT]);

    /// Looks at the words from a place on.
    pub(super) fn at(pointer: usize, copy: CopyMemory) -> StackTop {
        const BYTES: usize = size_of::<usize>();
        let mut bytes = [0_u8; WORDS * BYTES];
        let copied = copy(pointer, &mut bytes).min(bytes.len());
        let (words, _) = bytes[..copied].as_chunks::<BYTES>();
        let words = words.iter().map(|word| usize::from_le_bytes(*word));
        let mut kept = [0; MOST_KEPT];
        kept.iter_mut()
            .zip(words.filter(|word| may_be_code(*word, pointer)))
            .for_each(|(kept, word)| *kept = word);
        StackTop(kept)
    }

    /// The instructions that called.
    pub(super) fn callers(&self, copy: CopyMemory) -> Callers {
        let mut callers = [0; MOST_CALLERS];
        let kept = self.0.iter().take_while(|word| **word != 0);
        let calls = kept.filter(|word| is_behind_call(**word, copy)).map(|word| word - 1);
        callers.iter_mut().zip(calls).for_each(|(caller, call)| *caller = call);
        callers
    }
}

fn may_be_code(word: usize, stack: usize) -> bool {
    const FIRST: usize = 1 << 16;
    const END: usize = 1 << 47;
    (FIRST..END).contains(&word)
        && !is_device_address(word as u64)
        && word.abs_diff(stack) > STACK_BYTES
}

/// Whether an instruction that calls is in front of an address.
fn is_behind_call(address: usize, copy: CopyMemory) -> bool {
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

    const CODE: usize = 0x40_0000;
    const STACK: usize = 0x7000_0000_0000;
    const BEHIND_CALLS: [usize; 3] = [CODE + 21, CODE + 27, CODE + 30];

    /// A process that has some instructions, and words on its stack.
    fn copy(from: usize, to: &mut [u8]) -> usize {
        let code = [
            &[0x90_u8; 16][..],
            &[0xe8, 1, 2, 3, 4],
            &[0xff, 0x15, 1, 2, 3, 4],
            &[0x41, 0xff, 0xd4],
            &[0xff, 0xe0, 0x90, 0x90],
        ]
        .concat();
        let [first, second, third] = BEHIND_CALLS;
        let words = [7, CODE + 16, first, usize::MAX, CODE + 19, STACK + 16, second, CODE + 32];
        let stack: Vec<u8> =
            words.into_iter().chain([third, 0]).flat_map(usize::to_le_bytes).collect();
        let (memory, at) = match from.checked_sub(STACK) {
            Some(at) => (&stack, at),
            None => (&code, from.saturating_sub(CODE)),
        };
        let found = memory.get(at..).unwrap_or_default();
        let copied = found.len().min(to.len());
        to[..copied].copy_from_slice(&found[..copied]);
        copied
    }

    #[test]
    fn what_is_behind_a_call_is_a_return_address_and_nothing_else_is() {
        let callers = StackTop::at(STACK, copy).callers(copy);
        let mut wanted = [0; MOST_CALLERS];
        wanted[..3].copy_from_slice(&BEHIND_CALLS.map(|address| address - 1));
        assert_eq!(callers, wanted);
        assert_eq!(StackTop::UNKNOWN.callers(copy), [0; MOST_CALLERS]);
    }

    #[test]
    fn a_stack_may_end_anywhere_and_need_not_be_there() {
        let last = StackTop::at(STACK + 64, copy);
        assert_eq!(last.0[..2], [BEHIND_CALLS[2], 0]);
        assert_eq!(StackTop::at(STACK + 77, copy).0, StackTop::UNKNOWN.0);
        assert_eq!(StackTop::at(STACK + 4096, copy).0, StackTop::UNKNOWN.0);
    }
}
