use bumpalo::Bump;
use elsa::FrozenVec;

/// What the nodes of a tree lie in: pieces of memory of one size, so that little of it is ever empty.
#[derive(Default)]
pub struct Arena {
    pieces: FrozenVec<Box<Bump>>,
}

/// Bytes of a piece.
const PIECE: usize = 64 << 10;
/// Bytes that the allocator of a piece may need for itself and to align.
const MARGIN: usize = 64;

impl Arena {
    /// A piece with room for so many bytes: the newest, or a new one.
    fn piece(&self, bytes: usize) -> &Bump {
        let needed = bytes + MARGIN;
        match self.pieces.last() {
            Some(piece) if piece.chunk_capacity() >= needed => piece,
            newest => {
                // The first piece is small: so are many texts.
                let size = if newest.is_some() { PIECE } else { PIECE / 16 };
                self.pieces.push_get(Box::new(Bump::with_capacity(needed.max(size))))
            }
        }
    }

    /// Keeps a value.
    pub fn keep<T: Copy>(&self, value: T) -> &T {
        self.piece(size_of::<T>()).alloc(value)
    }

    /// Keeps a copy of a list.
    pub fn keep_list<T: Copy>(&self, items: &[T]) -> &[T] {
        if items.is_empty() {
            return &[];
        }
        self.piece(size_of_val(items)).alloc_slice_copy(items)
    }

    /// Keeps a copy of a text.
    pub fn keep_text(&self, text: &str) -> &str {
        self.piece(text.len()).alloc_str(text)
    }
}

impl std::fmt::Debug for Arena {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Arena").field("pieces", &self.pieces.len()).finish()
    }
}
