//! Colours of the pictures: Okabe & Ito's palette, which colour-blind readers tell apart.

/// Colours for things without an order, in turn.
pub(super) const COLOURS: [&str; 7] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900"];

/// The colour of a family of operators, and the darker one of its backward pass. Black text is legible on the first, white
/// text on the second.
pub(super) fn of_category(category: &str) -> (&'static str, &'static str) {
    match category {
        "sampling" => ("#56b4e9", "#1f6f9f"),
        "encoding" => ("#2fb890", "#00684c"),
        "computation" => ("#e69f00", "#8f6300"),
        "blending" => ("#cc79a7", "#8a3f68"),
        _ => ("#aaaaaa", "#5c5c5c"),
    }
}
