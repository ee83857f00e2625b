//! Members of a generation and their children, in flat arrays.

/// Members by column: digits and objectives member by member, objectives with less being better.
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    axes: usize,
    goals: usize,
    pub digits: Vec<u32>,
    pub objectives: Vec<f64>,
    /// 0 if feasible.
    pub violation: Vec<f64>,
    /// Front, from 0.
    pub rank: Vec<u32>,
    /// Room around it; more is better.
    pub room: Vec<f64>,
}

impl Population {
    /// No members, with room for `count`.
    pub fn new(axes: usize, goals: usize, count: usize) -> Self {
        Self {
            axes,
            goals,
            digits: Vec::with_capacity(axes * count),
            objectives: Vec::with_capacity(goals * count),
            violation: Vec::with_capacity(count),
            rank: Vec::with_capacity(count),
            room: Vec::with_capacity(count),
        }
    }

    pub fn len(&self) -> usize {
        self.violation.len()
    }

    pub fn is_empty(&self) -> bool {
        self.violation.is_empty()
    }

    pub fn digits_of(&self, member: usize) -> &[u32] {
        &self.digits[member * self.axes..(member + 1) * self.axes]
    }

    pub fn objectives_of(&self, member: usize) -> &[f64] {
        &self.objectives[member * self.goals..(member + 1) * self.goals]
    }

    pub fn goals(&self) -> usize {
        self.goals
    }

    /// Better in a tournament: lower rank, then more room.
    pub fn beats(&self, one: usize, other: usize) -> bool {
        self.rank[one] < self.rank[other] || (self.rank[one] == self.rank[other] && self.room[one] > self.room[other])
    }

    /// Adds a member without rank.
    pub fn push(&mut self, digits: &[u32], objectives: impl Iterator<Item = f64>, violation: f64) {
        self.digits.extend_from_slice(digits);
        self.objectives.extend(objectives);
        self.violation.push(violation);
        self.rank.push(0);
        self.room.push(0.0);
    }

    /// Makes `other` the members named, in that order.
    pub fn pick_into(&self, members: &[u32], other: &mut Self) {
        other.clear();
        for member in members {
            let member = *member as usize;
            other.digits.extend_from_slice(self.digits_of(member));
            other.objectives.extend_from_slice(self.objectives_of(member));
            other.violation.push(self.violation[member]);
            other.rank.push(self.rank[member]);
            other.room.push(self.room[member]);
        }
    }

    pub fn clear(&mut self) {
        self.digits.clear();
        self.objectives.clear();
        self.violation.clear();
        self.rank.clear();
        self.room.clear();
    }
}
