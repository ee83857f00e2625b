//! Patterns for names: `*` stands for anything.

/// A pattern for a dotted name. It matches the whole name or its last parts: `MLP.forward` is `mlp.MLP.forward` too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern(String);

impl Pattern {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether it matches `name` or its last parts.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let parts = name.match_indices('.').map(|(dot, _)| dot + 1);
        std::iter::once(0).chain(parts).any(|start| name.get(start..).is_some_and(|tail| self.matches_all(tail)))
    }

    /// Whether it matches the whole of `text`.
    pub(crate) fn matches_all(&self, text: &str) -> bool {
        let mut pieces = self.0.split('*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = text.strip_prefix(first) else { return false };
        let mut last = None;
        for piece in pieces {
            if let Some(middle) = last.replace(piece) {
                match rest.find(middle) {
                    Some(at) => rest = rest.get(at + middle.len()..).unwrap_or_default(),
                    None => return false,
                }
            }
        }
        last.map_or(rest.is_empty(), |last: &str| rest.ends_with(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_the_last_parts_of_a_name() {
        assert!(Pattern::new("MLP.forward").matches("nerfstudio.field_components.mlp.MLP.forward"));
        assert!(!Pattern::new("MLP.forward").matches("nerfstudio.mlp.TinyMLP.forward"));
        assert!(!Pattern::new("MLP.forward").matches("nerfstudio.mlp.MLP.forward_more"));
    }

    #[test]
    fn a_star_stands_for_anything() {
        assert!(Pattern::new("*Model.get_outputs").matches("nerfstudio.models.vanilla_nerf.NeRFModel.get_outputs"));
        assert!(Pattern::new("data_*").matches_all("data_concat"));
        assert!(Pattern::new("*_to_*").matches_all("density_to_weights"));
        assert!(!Pattern::new("a*b").matches_all("ab-c"));
        assert!(!Pattern::new("ab*ba").matches_all("aba"));
    }
}
