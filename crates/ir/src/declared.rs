use crate::Name;

/// A declaration of registers or predicates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The name, or what the names of a family begin with.
    pub(crate) name: Box<str>,
    /// Members of a family, counted from 0; none for a single name.
    pub(crate) members: Option<u32>,
    /// The first of them.
    pub(crate) first: Name,
    /// How many registers each member has: those of vectors have several.
    pub(crate) each: u32,
    /// Whether it stands in the outermost braces of the function, so that its names are known everywhere in it.
    pub(crate) is_outermost: bool,
}

impl Declared {
    /// The place of a name among the members.
    pub(crate) fn member(&self, text: &str) -> Option<u32> {
        let Some(members) = self.members else { return (text == &*self.name).then_some(0) };
        let number: u32 = text.strip_prefix(&*self.name)?.parse().ok()?;
        (number < members).then_some(number)
    }

    /// Whether a register or predicate is one of these.
    pub(crate) fn covers(&self, name: Name) -> Option<u32> {
        let (first, number) = match (self.first, name) {
            (Name::Register(first), Name::Register(number))
            | (Name::Predicate(first), Name::Predicate(number)) => (first, number),
            _ => return None,
        };
        let count = u64::from(self.members.unwrap_or(1)) * u64::from(self.each);
        let place = number.checked_sub(first)?;
        (u64::from(place) < count).then_some(place)
    }
}
