//! Room around the members of a front, and which of them go where there are too many.

use super::population::Population;

/// Scratch of [`Thinner::thin`], kept between generations.
#[derive(Debug, Default)]
pub struct Thinner {
    order: Vec<u32>,
    /// Objective by objective, scaled to the front's spread.
    scaled: Vec<f64>,
    distances: Vec<f64>,
    /// For each member the squared distance to the nearest other one, and which that is.
    nearest: Vec<(f64, u32)>,
    is_end: Vec<bool>,
}

impl Thinner {
    /// Gives each member of `front` its room and leaves at most `count`.
    pub fn thin(&mut self, members: &mut Population, front: &mut Vec<u32>, count: usize) {
        if members.goals() > 2 {
            self.by_neighbours(members, front, count);
        } else {
            self.by_crowding(members, front, count);
        }
    }

    /// Crowding distance: the gaps to the neighbours in each objective, as shares of its spread.
    fn by_crowding(&mut self, members: &mut Population, front: &mut Vec<u32>, count: usize) {
        front.iter().for_each(|member| members.room[*member as usize] = 0.0);
        self.order.clear();
        self.order.extend_from_slice(front);
        for at in 0..members.goals() {
            let value = |member: u32| members.objectives_of(member as usize)[at];
            self.order.sort_unstable_by(|a, b| value(*a).total_cmp(&value(*b)).then(a.cmp(b)));
            let (Some(first), Some(last)) = (self.order.first(), self.order.last()) else { return };
            let spread = value(*last) - value(*first);
            let ends = [*first as usize, *last as usize];
            if spread > 0.0 {
                for window in self.order.windows(3) {
                    let gap =
                        members.objectives_of(window[2] as usize)[at] - members.objectives_of(window[0] as usize)[at];
                    members.room[window[1] as usize] += gap / spread;
                }
            }
            ends.iter().for_each(|end| members.room[*end] = f64::INFINITY);
        }
        if front.len() > count {
            let room = |member: u32| members.room[member as usize];
            front.sort_unstable_by(|a, b| room(*b).total_cmp(&room(*a)).then(a.cmp(b)));
            front.truncate(count);
        }
    }

    /// Removes the member with the nearest neighbour again and again (as the truncation of SPEA2, Zitzler et al., TIK 103,
    /// 2001), where only what is worse in the neighbour counts as distance (shift-based density, Li, Yang & Liu, IEEE
    /// Trans. Evol. Comput. 18, 2014): a member that is nearly dominated goes first. The ends of the front stay.
    fn by_neighbours(&mut self, members: &mut Population, front: &mut Vec<u32>, count: usize) {
        let (size, goals) = (front.len(), members.goals());
        self.scale(members, front);
        self.nearest.clear();
        for at in 0..size {
            let nearest = self.nearest_of(at, size, goals);
            self.nearest.push(nearest);
        }
        let mut left = size;
        // A member that has gone is moved infinitely far from all others.
        while left > count {
            let ends_stay = left > 2 * goals;
            let mut victim = (f64::INFINITY, usize::MAX);
            for (at, nearest) in self.nearest.iter().enumerate() {
                if nearest.0 < victim.0 && !(ends_stay && self.is_end[at]) {
                    victim = (nearest.0, at);
                }
            }
            let victim = match victim.1 {
                usize::MAX => (0..size).rev().find(|at| self.scaled[*at].is_finite()).unwrap_or(0),
                at => at,
            };
            (0..goals).for_each(|goal| self.scaled[goal * size + victim] = f64::INFINITY);
            self.nearest[victim] = (f64::INFINITY, victim as u32);
            left -= 1;
            for at in 0..size {
                if self.nearest[at].1 as usize == victim && at != victim {
                    self.nearest[at] = self.nearest_of(at, size, goals);
                }
            }
        }
        for (at, member) in front.iter().enumerate() {
            // Also with others that were kept all along: parents are drawn where there is room.
            members.room[*member as usize] = if self.is_end[at] { f64::INFINITY } else { self.nearest[at].0 };
        }
        let mut at = 0;
        front.retain(|_| {
            at += 1;
            self.scaled[at - 1].is_finite()
        });
    }

    fn scale(&mut self, members: &Population, front: &[u32]) {
        self.scaled.clear();
        self.is_end.clear();
        self.is_end.resize(front.len(), false);
        for goal in 0..members.goals() {
            let values = || front.iter().map(move |member| members.objectives_of(*member as usize)[goal]);
            let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
            let scale = if high > low { 1.0 / (high - low) } else { 0.0 };
            self.scaled.extend(values().map(|value| (value - low) * scale));
        }
        self.find_ends(front.len(), members.goals());
    }

    /// For each objective the best member, and the one that is best where this objective does not count (least worst of
    /// the others): the corners of the front.
    fn find_ends(&mut self, size: usize, goals: usize) {
        let scaled = &self.scaled;
        let value = |goal: usize, at: usize| scaled[goal * size + at];
        for goal in 0..goals {
            let others = |at: usize| (0..goals).filter(|o| *o != goal).map(|o| value(o, at)).fold(0.0, f64::max);
            let best = (0..size).min_by(|a, b| value(goal, *a).total_cmp(&value(goal, *b)));
            let corner = (0..size).min_by(|a, b| others(*a).total_cmp(&others(*b)));
            best.into_iter().chain(corner).for_each(|at| self.is_end[at] = true);
        }
    }

    /// The nearest other member that has not gone.
    fn nearest_of(&mut self, at: usize, size: usize, goals: usize) -> (f64, u32) {
        // Selected and not branched, so that several are computed at once.
        let further = |value: f64, own: f64| {
            let further = if value - own > 0.0 { value - own } else { 0.0 };
            further * further
        };
        let mut columns = self.scaled.chunks_exact(size).take(goals);
        self.distances.clear();
        if let (Some(x), Some(y), Some(z)) = (columns.next(), columns.next(), columns.next()) {
            let (own_x, own_y, own_z) = (x[at], y[at], z[at]);
            let all = x.iter().zip(y).zip(z);
            self.distances.extend(all.map(|((x, y), z)| further(*x, own_x) + further(*y, own_y) + further(*z, own_z)));
        }
        for column in columns {
            let own = column[at];
            self.distances.iter_mut().zip(column).for_each(|(distance, value)| *distance += further(*value, own));
        }
        self.distances[at] = f64::INFINITY;
        // In four lanes, which the processor compares at once.
        let mut lanes = [f64::INFINITY; 4];
        let (fours, rest) = self.distances.as_chunks::<4>();
        for four in fours {
            lanes
                .iter_mut()
                .zip(four)
                .for_each(|(lane, distance)| *lane = if distance < lane { *distance } else { *lane });
        }
        let least = lanes.iter().chain(rest).copied().fold(f64::INFINITY, f64::min);
        match self.distances.iter().position(|distance| *distance == least) {
            Some(other) if least < f64::INFINITY => (least, other as u32),
            _ => (f64::INFINITY, at as u32),
        }
    }
}
