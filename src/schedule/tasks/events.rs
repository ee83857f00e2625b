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

    /// True if nothing runs.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
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

    /// Takes the task that ends first, of several the one with the lowest index, and when that is.
    #[inline]
    pub fn pop(&mut self) -> Option<(f64, u32)> {
        let last = self.heap.pop()?;
        let Some(&first) = self.heap.first() else { return Some((f64::from_bits(last.0), last.1)) };
        let heap = self.heap.as_mut_slice();
        let mut at = 0;
        loop {
            let mut child = 2 * at + 1;
            if child + 1 < heap.len() {
                child += usize::from(heap[child + 1] < heap[child]);
            } else if child >= heap.len() {
                break;
            }
            if last <= heap[child] {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = last;
        Some((f64::from_bits(first.0), first.1))
    }

    /// Takes a task that ends at a time, which is the earliest.
    #[inline]
    pub fn pop_at(&mut self, time: f64) -> Option<u32> {
        let at_that_time = self.heap.first()?.0 == time.to_bits();
        if at_that_time { self.pop().map(|(_, task)| task) } else { None }
    }
}
