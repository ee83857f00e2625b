//! What a run leaves behind for its next attempt.

use std::sync::OnceLock;

use nerarch_dse::explore::record::{Identity, Layout, RecordReader, digest, format};
use nerarch_dse::ppa::Plan;
use nerarch_dse::spec::Study;
use nerarch_dse::spec::sweep::Goal;

/// The input is what stands behind a sound header. A checksum is no defence against a fuzzer, so the entry is also tried
/// with the right one.
pub fn record(input: &[u8]) {
    let memory = std::path::Path::new("/dev/shm");
    let file = match memory.is_dir() {
        true => tempfile::NamedTempFile::new_in(memory),
        false => tempfile::NamedTempFile::new(),
    };
    let file = file.expect("file");
    let split = input.len().min(20);
    for bytes in
        [input.to_vec(), [format::header("{}"), input.to_vec()].concat(), sealed(&input[..split], &input[split..])]
    {
        std::fs::write(file.path(), &bytes).expect("write");
        match RecordReader::open(file.path()) {
            Ok(reader) => {
                let damage = reader.damage();
                assert_eq!(damage.whole + damage.lost, bytes.len() as u64);
                for block in reader.blocks().take(100) {
                    let _ = reader.block(block, layout());
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let _ = layout().unpack(input);
    let goals = [Goal::Minimise, Goal::Maximise];
    if let Some(digest) = digest::unpack(input, layout(), &goals) {
        let mut own = Vec::new();
        digest::pack(&digest, &mut own);
        assert!(digest::unpack(&own, layout(), &goals).is_some(), "what was packed is unpacked");
    }
}

/// A header, and one entry with the number and payload of the input and everything else right.
fn sealed(number: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut bytes = format::header("{}");
    let mut wide = [0; 8];
    wide.iter_mut().zip(number).for_each(|(to, from)| *to = *from);
    let start = format::start_entry(&mut bytes, format::Kind::Block, u64::from_le_bytes(wide));
    bytes.extend(payload);
    format::finish_entry(&mut bytes, start).expect("a short payload");
    bytes
}

/// The input is `inputs.json` of a finished run.
pub fn inputs_json(input: &[u8]) {
    if let Ok(identity) = serde_json::from_slice::<Identity>(input) {
        let own = serde_json::to_string(&identity).expect("text");
        let again: Identity = serde_json::from_str(&own).expect("what was written is read");
        assert!(identity.changes(&again).is_empty());
        let _ = identity.blocks();
        let _ = identity.points_of(0..3);
    }
}

fn layout() -> &'static Layout {
    static LAYOUT: OnceLock<Layout> = OnceLock::new();
    LAYOUT.get_or_init(|| {
        let (study, _) = Study::load("gscore").expect("stock");
        let (plan, _) = Plan::compile(&study).expect("stock");
        Layout::new(&plan, vec![0, 1, 2], 1)
    })
}
