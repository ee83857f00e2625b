//! Hostile pickles end in an error soon and cheaply. One test in a program of its own, so that nothing else allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use nerarch_dse::trace::read;
use trace_support::{files, traces};

mod trace_support;

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system allocator as it is; only numbers are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn hostile_pickles_end_in_an_error_within_a_second_and_a_few_mebibytes() {
    let Some(folder) = traces() else { return };
    let hostile = files(&folder.join("pickles"), |name| name.starts_with("hostile_"));
    assert!(hostile.len() >= 13);
    for path in hostile {
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let start = Instant::now();
        let result = read::from_path(&path);
        let (time, peak) = (start.elapsed(), PEAK.load(Ordering::Relaxed).saturating_sub(before));
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let error = result.expect_err(&name);
        eprintln!("{name}: {error} [{time:?}, {} KiB]", peak / 1024);
        assert!(time < Duration::from_secs(1), "{name} took {time:?}");
        assert!(peak < 8 << 20, "{name} took {peak} bytes");
    }
}
