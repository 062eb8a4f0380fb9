//! The forms of operands that the rows write as text.

/// Whether an instruction reads or writes an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// It reads it; also the registers of an address, whatever happens to the memory there.
    Read,
    /// It writes it.
    Written,
    /// It reads it and writes it.
    ReadWritten,
}

/// How an operand is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shape {
    /// A register, number, name, vector in braces or pair.
    Value,
    /// An address in brackets.
    Address,
    /// A list in parentheses.
    List,
}

/// One operand of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormItem {
    /// The name that the manual gives the operand, or one like it.
    pub name: &'static str,
    /// Whether it is read or written.
    pub direction: Direction,
    /// How it is written.
    pub shape: Shape,
    /// Whether it may be left out.
    pub optional: bool,
}

/// One way to write the operands of an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Form {
    /// The operands, in order.
    pub items: Vec<FormItem>,
    /// Whether any further operands may follow.
    pub any_further: bool,
}

impl Form {
    /// Reads one form of [`super::Row::operands`].
    pub(super) fn parse(text: &'static str) -> Form {
        let mut form = Form { items: Vec::new(), any_further: false };
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            if item == "*" {
                form.any_further = true;
            } else {
                form.items.push(FormItem::parse(item));
            }
        }
        form
    }

    /// The items for operands of these shapes, one for each, or nothing when the form does not
    /// fit them. Of several ways to leave out optional items, the first ones present win.
    pub fn assign(&self, shapes: &[Shape]) -> Option<Vec<FormItem>> {
        let mut assigned = Vec::with_capacity(shapes.len());
        self.assign_from(0, shapes, &mut assigned).then_some(assigned)
    }

    fn assign_from(&self, item: usize, shapes: &[Shape], assigned: &mut Vec<FormItem>) -> bool {
        let Some(first) = self.items.get(item) else {
            if shapes.is_empty() || self.any_further {
                assigned.extend(shapes.iter().map(|&shape| FormItem::further(shape)));
                return true;
            }
            return false;
        };
        if let Some((shape, others)) = shapes.split_first()
            && *shape == first.shape
        {
            assigned.push(*first);
            if self.assign_from(item + 1, others, assigned) {
                return true;
            }
            assigned.pop();
        }
        first.optional && self.assign_from(item + 1, shapes, assigned)
    }
}

impl FormItem {
    fn parse(text: &'static str) -> FormItem {
        let (text, optional) = match text.strip_suffix('?') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let (text, direction) = match text.as_bytes().first() {
            Some(b'=') => (&text[1..], Direction::Written),
            Some(b'+') => (&text[1..], Direction::ReadWritten),
            _ => (text, Direction::Read),
        };
        let (name, shape) = match text.as_bytes().first() {
            Some(b'[') => (text.trim_matches(['[', ']']), Shape::Address),
            Some(b'(') => (text.trim_matches(['(', ')']), Shape::List),
            _ => (text, Shape::Value),
        };
        FormItem { name, direction, shape, optional }
    }

    fn further(shape: Shape) -> FormItem {
        FormItem { name: "", direction: Direction::Read, shape, optional: true }
    }
}
