use super::{Lower, Lowerer, set_target};
use std::collections::HashMap;
use warpsan_ptx::Span;

/// Labels are seen in their own scope and inside of it.
#[derive(Default)]
pub(super) struct LabelScope<'s> {
    pub(super) labels: HashMap<&'s str, u32>,
    /// Jumps whose label has not been found yet.
    pub(super) jumps: Vec<(usize, &'s str, Span)>,
}

impl<'s> Lowerer<'_, 's> {
    /// Resolves the jumps to labels of the innermost scope; the others may go to an outer one.
    pub(super) fn close_labels(&mut self) -> Lower<()> {
        let Some(expansion) = self.expansions.last_mut() else { return Ok(()) };
        let Some(scope) = expansion.scopes.pop() else { return Ok(()) };
        for (at, label, span) in scope.jumps {
            match (scope.labels.get(label), expansion.scopes.last_mut()) {
                (Some(&to), _) => set_target(&mut self.code[at].op, to),
                (None, Some(outer)) => outer.jumps.push((at, label, span)),
                (None, None) => {
                    let what = format!("there is no label `{label}` in this function");
                    return self.invalid(&span, what);
                }
            }
        }
        Ok(())
    }

    pub(super) fn label(&mut self, name: &'s str) -> Lower<()> {
        let here = self.code.len() as u32;
        let scope = self.expansions.last_mut().and_then(|expansion| expansion.scopes.last_mut());
        let known = scope.and_then(|scope| scope.labels.insert(name, here));
        match known {
            None => Ok(()),
            Some(_) => {
                // The tree keeps no place for a label; its name is a slice of the text.
                let start = name.as_ptr().addr() - self.text.as_ptr().addr();
                self.invalid(&(start..start), format!("the label `{name}` is there twice"))
            }
        }
    }
}
