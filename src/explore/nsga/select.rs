//! Survival: feasible members by rank and room, then those that miss their constraints least.

use super::population::Population;
use super::rank::Ranker;
use super::thin::Thinner;

/// Scratch of [`Selector::survive`], kept between generations.
#[derive(Debug, Default)]
pub struct Selector {
    ranker: Ranker,
    thinner: Thinner,
    order: Vec<u32>,
    front: Vec<u32>,
    kept: Vec<u32>,
}

impl Selector {
    /// Ranks the members and writes the best `count` of them to `survivors`.
    pub fn survive(&mut self, members: &mut Population, count: usize, survivors: &mut Population) {
        self.order.clear();
        self.order.extend((0..members.len() as u32).filter(|member| members.violation[*member as usize] <= 0.0));
        self.ranker.rank(members, &mut self.order);
        self.kept.clear();
        for rank in 0..self.ranker.fronts() {
            if self.kept.len() >= count {
                break;
            }
            self.front.clear();
            self.front.extend_from_slice(self.ranker.front(rank));
            self.front.iter().for_each(|member| members.rank[*member as usize] = rank as u32);
            self.thinner.thin(members, &mut self.front, count - self.kept.len());
            self.kept.extend_from_slice(&self.front);
        }
        if self.kept.len() < count {
            self.infeasible(members, count);
        }
        members.pick_into(&self.kept, survivors);
    }

    /// Each ranks below the one before, so that tournaments move towards feasibility.
    fn infeasible(&mut self, members: &mut Population, count: usize) {
        let rank = self.ranker.fronts() as u32;
        self.order.clear();
        self.order.extend((0..members.len() as u32).filter(|member| members.violation[*member as usize] > 0.0));
        let violation = |member: &u32| members.violation[*member as usize];
        self.order.sort_unstable_by(|a, b| violation(a).total_cmp(&violation(b)).then(a.cmp(b)));
        for (rank, member) in (rank..).zip(self.order.iter().take(count - self.kept.len())) {
            (members.rank[*member as usize], members.room[*member as usize]) = (rank, 0.0);
        }
        self.kept.extend(self.order.iter().take(count - self.kept.len()));
    }
}
