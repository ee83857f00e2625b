//! Power of a DRAM channel that moves nothing, from the supply currents of data sheets.
//!
//! Rows stay open between the bursts of a busy channel, so a channel stands by with `I_3N` on every rail; a refresh of
//! all banks draws `I_5` for `t_RFC` of every `t_REFI`:
//! `P = devices * sum over rails of V * (I_3N + (I_5 - I_3N) * t_RFC / t_REFI)`.
//! The range reaches down to precharged standby, `I_2N`. Power-down, self-refresh and the controller are not in it.

use serde::Deserialize;

use super::{DramError, DramPart};

const TEXT: &str = include_str!("../data/dram_standby.csv");

/// Standby and refresh of one channel, and what bursts draw beyond them.
#[derive(Debug, Clone, PartialEq)]
pub struct Standby {
    /// mW of one channel with open rows, refresh included.
    pub mw_per_channel: f64,
    /// From all banks precharged to the most that any source has, mW.
    pub range: (f64, f64),
    /// pJ per bit that back-to-back reads and writes draw beyond standby, by the same currents; activations, and where the
    /// source has no rail for them the pins, come on top.
    pub burst_pj_per_bit: (f64, f64),
    /// Whose currents.
    pub source: String,
}

#[derive(Debug, Deserialize)]
struct Rail {
    part: String,
    #[serde(rename = "use")]
    role: String,
    devices: f64,
    volts: f64,
    idd2n: f64,
    idd3n: f64,
    idd4r: f64,
    idd4w: f64,
    idd5: f64,
    rfc: f64,
    refi: f64,
    source: String,
}

impl Rail {
    /// mW at a standby current.
    fn standby_mw(&self, standby: f64) -> f64 {
        self.devices * self.volts * (standby + (self.idd5 - standby) * self.rfc / self.refi)
    }
}

impl DramPart {
    /// What a channel of this part draws while it moves nothing.
    ///
    /// # Errors
    /// A built-in table that does not parse.
    pub fn standby(&self) -> Result<Standby, DramError> {
        let rails: Vec<Rail> = csv::ReaderBuilder::new()
            .comment(Some(b'#'))
            .from_reader(TEXT.as_bytes())
            .deserialize()
            .collect::<Result<_, csv::Error>>()
            .map_err(|error| DramError::BrokenTable(error.to_string()))?;
        let of = |role: &str| -> Vec<&Rail> {
            rails.iter().filter(|rail| rail.part == self.name && rail.role == role).collect()
        };
        let (own, other) = (of("own"), of("other"));
        let source = own.first().ok_or_else(|| DramError::BrokenTable(self.name.to_owned()))?.source.clone();
        let open = |rails: &[&Rail]| rails.iter().map(|rail| rail.standby_mw(rail.idd3n)).sum::<f64>();
        let closed = |rails: &[&Rail]| rails.iter().map(|rail| rail.standby_mw(rail.idd2n)).sum::<f64>();
        let (low, high) = match other.is_empty() {
            true => (closed(&own), open(&own)),
            false => (closed(&own).min(closed(&other)), open(&own).max(open(&other))),
        };
        // mW over GB/s are pJ per byte.
        let burst = |current: fn(&Rail) -> f64| {
            let mw: f64 = own.iter().map(|rail| rail.devices * rail.volts * (current(rail) - rail.idd3n)).sum();
            mw / self.channel_gb_per_s / 8.0
        };
        Ok(Standby {
            mw_per_channel: open(&own),
            range: (low, high),
            burst_pj_per_bit: (burst(|rail| rail.idd4r), burst(|rail| rail.idd4w)),
            source,
        })
    }
}
