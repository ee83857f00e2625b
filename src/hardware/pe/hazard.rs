//! Read-write hazards between commands.

use super::command::{Command, TensorId};

/// Commands in flight, by what they read and write.
///
/// A command may enter once no command in flight writes what it reads or writes, or reads what it writes. The last
/// part is needed too: a short command that overwrites the operand of a long one would finish first.
#[derive(Debug, Default)]
pub(super) struct HazardTracker {
    flight: Vec<Access>,
}

/// What a command reads and writes.
#[derive(Debug, Clone)]
pub(super) struct Access {
    command: u32,
    reads: Vec<TensorId>,
    writes: Vec<TensorId>,
}

impl Access {
    /// Of a command that takes up and changes one handle.
    pub fn to(command: u32, handle: TensorId) -> Self {
        Self { command, reads: vec![handle], writes: vec![handle] }
    }

    /// Of `command`, which is number `index` of its list.
    pub fn of(index: u32, command: &Command) -> Self {
        let mut access = Self { command: index, reads: Vec::new(), writes: Vec::new() };
        for operation in 0..command.operations() {
            let (reads, write) = command.access(operation);
            access.reads.extend(reads);
            access.writes.push(write);
        }
        for list in [&mut access.reads, &mut access.writes] {
            list.sort_unstable();
            list.dedup();
        }
        access
    }

    fn conflicts(&self, earlier: &Self) -> bool {
        let meets = |a: &[TensorId], b: &[TensorId]| a.iter().any(|id| b.binary_search(id).is_ok());
        meets(&self.reads, &earlier.writes)
            || meets(&self.writes, &earlier.writes)
            || meets(&self.writes, &earlier.reads)
    }
}

impl HazardTracker {
    /// True if `access` conflicts with nothing in flight.
    pub fn admits(&self, access: &Access) -> bool {
        !self.flight.iter().any(|earlier| access.conflicts(earlier))
    }

    /// Puts a command in flight.
    pub fn enter(&mut self, access: Access) {
        self.flight.push(access);
    }

    /// The command has completed.
    pub fn leave(&mut self, command: u32) {
        self.flight.retain(|access| access.command != command);
    }
}

/// Which earlier operations of its command each operation must wait for: those that write what it reads or writes, or
/// read what it writes.
pub(super) fn waits(command: &Command) -> Vec<Vec<u32>> {
    let accesses: Vec<_> = (0..command.operations()).map(|index| command.access(index)).collect();
    accesses
        .iter()
        .enumerate()
        .map(|(index, (reads, write))| {
            let conflicts = |(earlier_reads, earlier_write): &(Vec<TensorId>, TensorId)| {
                reads.contains(earlier_write) || write == earlier_write || earlier_reads.contains(write)
            };
            (0..index).filter(|&earlier| conflicts(&accesses[earlier])).map(|earlier| earlier as u32).collect()
        })
        .collect()
}
