//! Widths of the columns of text tables.

/// A column gets no wider: a longer cell sticks out of its own line and leaves the others alone. Names come from files and
/// may have any length, while `format!` pads up to 65,535 letters at most.
const MAX_WIDTH: usize = 80;

/// The width of a column that holds these cells, in letters.
pub fn column_width<'a>(cells: impl Iterator<Item = &'a str>) -> usize {
    cells.map(|cell| cell.chars().count()).max().unwrap_or(0).min(MAX_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_wide_as_its_longest_cell_up_to_a_limit() {
        assert_eq!(column_width(["a", "élan"].into_iter()), 4);
        assert_eq!(column_width(["x".repeat(100_000).as_str()].into_iter()), MAX_WIDTH);
        assert_eq!(column_width(std::iter::empty()), 0);
    }
}
