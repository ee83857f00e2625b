//! Ends of running tasks, earliest first.

/// An end: time, and the task that ends. Times are not negative, so their bits compare as they do.
type Event = (u64, u32);

/// A binary heap; as large as there are instances at work.
#[derive(Debug, Clone, Default)]
pub(super) struct Events {
    heap: Vec<Event>,
}

impl Events {
    /// Forgets everything and keeps room for `most` events.
    pub fn reset(&mut self, most: usize) {
        self.heap.clear();
        self.heap.reserve(most);
    }

    /// The earliest end.
    #[inline]
    pub fn next_time(&self) -> Option<f64> {
        self.heap.first().map(|event| f64::from_bits(event.0))
    }

    /// Notes that a task ends at a time.
    #[inline]
    pub fn push(&mut self, time: f64, task: u32) {
        let event = (time.to_bits(), task);
        let mut at = self.heap.len();
        self.heap.push(event);
        while at > 0 {
            let parent = (at - 1) / 2;
            if self.heap[parent] <= event {
                break;
            }
            self.heap[at] = self.heap[parent];
            at = parent;
        }
        self.heap[at] = event;
    }

    /// Takes the task that ends first; of several the one with the lowest index.
    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        let last = self.heap.pop()?;
        let Some(&(_, task)) = self.heap.first() else { return Some(last.1) };
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.heap[child + 1] < self.heap[child] {
                child += 1;
            }
            if last <= self.heap[child] {
                break;
            }
            self.heap[at] = self.heap[child];
            at = child;
        }
        self.heap[at] = last;
        Some(task)
    }
}
