//! Stacks as numbers: a tree of calls, which grows only.
//!
//! A node is a call and its caller's node, so that a whole stack is 32 bits, in the record of an access, of an allocation or of a
//! thread's start. Equal stacks have equal numbers.
//!
//! Nodes are never moved or removed. Finding one takes no lock; adding one is a compare-and-swap on the head of a chain.

use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

use crate::system;

/// A list of calls. [`Context::EMPTY`] is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub(crate) struct Context(u32);

impl Context {
    pub(crate) const EMPTY: Context = Context(0);

    pub(crate) fn from_number(number: u32) -> Context {
        Context(number)
    }

    pub(crate) fn number(self) -> u32 {
        self.0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The list with one more element. Where there is no more room it is the same list.
    #[inline]
    pub(crate) fn with(self, element: u64) -> Context {
        TREE.child(self, element)
    }

    /// The last element, and the list without it.
    pub(crate) fn split(self) -> Option<(u64, Context)> {
        let node = TREE.node(self)?;
        Some((node.element.load(Ordering::Relaxed), Context(node.parent.load(Ordering::Relaxed))))
    }

    /// All elements, the last one first.
    pub(crate) fn elements(self) -> impl Iterator<Item = u64> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let (element, parent) = rest.split()?;
            rest = parent;
            Some(element)
        })
    }
}

struct Node {
    element: AtomicU64,
    parent: AtomicU32,
    /// The next node of the chain.
    next: AtomicU32,
}

struct Tree {
    chains: [AtomicU32; CHAINS],
    blocks: [AtomicPtr<Node>; BLOCKS],
    /// Nodes that were given out. Number 0 is no node.
    count: AtomicU32,
}

const CHAINS: usize = 1 << 18;
const BLOCK: u32 = 1 << 14;
/// 16 million nodes: 256 MiB, which no program but one that recurses without a pattern comes near.
const BLOCKS: usize = 1 << 10;

static TREE: Tree = Tree {
    chains: [const { AtomicU32::new(0) }; CHAINS],
    blocks: [const { AtomicPtr::new(std::ptr::null_mut()) }; BLOCKS],
    count: AtomicU32::new(1),
};

impl Tree {
    fn node(&self, context: Context) -> Option<&Node> {
        if context.is_empty() {
            return None;
        }
        let block = self.blocks.get((context.0 / BLOCK) as usize)?.load(Ordering::Acquire);
        // SAFETY: blocks have so many nodes and stay; null is none.
        unsafe { block.add((context.0 % BLOCK) as usize).as_ref().filter(|_| !block.is_null()) }
    }

    fn child(&self, parent: Context, element: u64) -> Context {
        let mixed =
            (element ^ u64::from(parent.0).rotate_left(40)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let chain = &self.chains[(mixed >> 46) as usize];
        let head = chain.load(Ordering::Acquire);
        match self.find(head, 0, parent, element) {
            Some(found) => found,
            None => self.add(chain, head, parent, element),
        }
    }

    /// Looks through a chain from `from` until `until`.
    fn find(&self, from: u32, until: u32, parent: Context, element: u64) -> Option<Context> {
        let mut number = from;
        while number != until {
            let node = self.node(Context(number))?;
            if node.element.load(Ordering::Relaxed) == element
                && node.parent.load(Ordering::Relaxed) == parent.0
            {
                return Some(Context(number));
            }
            number = node.next.load(Ordering::Relaxed);
        }
        None
    }

    #[cold]
    fn add(&self, chain: &AtomicU32, mut head: u32, parent: Context, element: u64) -> Context {
        let Some(new) = self.fresh() else { return parent };
        let Some(node) = self.node(new) else { return parent };
        node.element.store(element, Ordering::Relaxed);
        node.parent.store(parent.0, Ordering::Relaxed);
        loop {
            node.next.store(head, Ordering::Relaxed);
            match chain.compare_exchange(head, new.0, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return new,
                Err(other) => {
                    // The number that was taken stays unused.
                    if let Some(found) = self.find(other, head, parent, element) {
                        return found;
                    }
                    head = other;
                }
            }
        }
    }

    fn fresh(&self) -> Option<Context> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let Some(block) = self.blocks.get((number / BLOCK) as usize) else {
            self.count.fetch_sub(1, Ordering::Relaxed);
            return None;
        };
        if block.load(Ordering::Acquire).is_null() {
            let bytes = BLOCK as usize * size_of::<Node>();
            let memory = system::map(bytes)?;
            let put = block.compare_exchange(
                std::ptr::null_mut(),
                memory.cast(),
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            if put.is_err() {
                // SAFETY: it was mapped just now, and nobody else knows it.
                unsafe { system::unmap(memory, bytes) };
            }
        }
        Some(Context(number))
    }
}
