//! The state of the tree as bytes, from which a search goes on without bounding its boxes again.

use super::branching::Branching;
use super::region::Region;
use super::tree::{Tree, Waiting};

/// Appends numbers, little-endian.
#[derive(Default)]
pub(super) struct Output(pub Vec<u8>);

impl Output {
    pub fn number(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn real(&mut self, value: f64) {
        self.number(value.to_bits());
    }

    pub fn digit(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }
}

/// Takes numbers; `None` at the end.
pub(super) struct Input<'a>(pub &'a [u8]);

impl Input<'_> {
    pub fn number(&mut self) -> Option<u64> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*bytes))
    }

    pub fn real(&mut self) -> Option<f64> {
        self.number().map(f64::from_bits)
    }

    pub fn digit(&mut self) -> Option<u32> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*bytes))
    }
}

impl Tree<'_> {
    /// Everything that the next round depends on and that is not the evaluated points.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut output = Output::default();
        let certificate = &self.certificate;
        for number in [self.arrived, self.settled, certificate.boxes, certificate.covered, certificate.excluded] {
            output.number(number);
        }
        self.spread.iter().for_each(|spread| output.real(*spread));
        self.branching.write(&mut output);
        output.number(self.waiting.len() as u64);
        for waiting in &self.waiting {
            output.number(waiting.number);
            waiting.region.low().iter().chain(waiting.region.high()).for_each(|digit| output.digit(*digit));
            waiting.region.bound.iter().for_each(|bound| output.real(*bound));
        }
        output.0
    }

    /// Takes over a state; `None` if it is not one of this tree's.
    pub(super) fn take(&mut self, bytes: &[u8], sizes: &[u64]) -> Option<()> {
        let mut input = Input(bytes);
        self.arrived = input.number()?;
        self.settled = input.number()?;
        self.certificate.boxes = input.number()?;
        self.certificate.covered = input.number()?;
        self.certificate.excluded = input.number()?;
        for spread in &mut self.spread {
            *spread = input.real()?;
        }
        self.branching = Branching::read(sizes.len(), &mut input)?;
        for _ in 0..input.number()? {
            let number = input.number()?;
            let digits = (0..2 * sizes.len()).map(|_| input.digit()).collect::<Option<Box<[u32]>>>()?;
            let bound = (0..self.spread.len()).map(|_| input.real()).collect::<Option<Box<[f64]>>>()?;
            let region = Region::of(digits, bound, sizes)?;
            self.waiting.push(Waiting { key: self.key(&region), number, region });
        }
        input.0.is_empty().then_some(())
    }
}
