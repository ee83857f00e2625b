//! The record: what is written is what is read, and what is not whole is not read.

mod common;

use std::fs;

use nerarch_dse::explore::record::{Layout, RecordReader, RecordWriter, digest};
use nerarch_dse::explore::{Archive, Block, Digest, FrontPoint, Summary};
use nerarch_dse::ppa::Outcome;
use nerarch_dse::spec::sweep::Goal;
use proptest::prelude::*;

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every number comes back with its bits, NaN and infinities included.
    #[test]
    fn a_block_comes_back_as_it_was_packed(
        rows in proptest::collection::vec((any::<u64>(), 0_u8..4, any::<f64>(), ".{0,20}"), 0..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let (_, plan) = common::compile("gscore_tiles");
        let width = plan.workloads.len() * plan.metric_names.len();
        let kept: Vec<usize> = (0..width).step_by(3).collect();
        let layout = Layout::new(&plan, kept.clone(), 2);
        let mut block = Block::default();
        for (row, (index, outcome, value, reason)) in rows.iter().enumerate() {
            block.indices.push(*index);
            block.outcomes.push(match outcome {
                0 => Outcome::Feasible,
                1 => Outcome::Failed,
                _ => Outcome::Infeasible { constraint: usize::from(*outcome) % plan.constraints.len(), violation: *value },
            });
            if *outcome == 1 {
                block.reasons.push((row, reason.clone()));
            }
            block.metrics.extend((0..width).map(|at| value * at as f64));
            block.objectives.extend(plan.objectives.iter().map(|_| -value));
            block.parameters.extend([*value, f64::NAN]);
        }
        let mut payload = Vec::new();
        layout.pack(&block, &mut payload);
        let back = layout.unpack(&payload).expect("a block");
        prop_assert_eq!(&back.indices, &block.indices);
        prop_assert_eq!(format!("{:?}", back.outcomes), format!("{:?}", block.outcomes));
        prop_assert_eq!(&back.reasons, &block.reasons);
        prop_assert_eq!(bits(&back.objectives), bits(&block.objectives));
        prop_assert_eq!(bits(&back.parameters), bits(&block.parameters));
        for row in 0..rows.len() {
            for at in &kept {
                let at = row * width + at;
                prop_assert_eq!(back.metrics[at].to_bits(), block.metrics[at].to_bits());
            }
        }
        // Whatever the checksum would let through: no part of a payload is taken for a whole one, and none panics.
        let cut = cut.index(payload.len());
        prop_assert!(layout.unpack(&payload[..cut]).is_none());
        let mut changed = payload.clone();
        changed[cut] ^= 0x55;
        let _ = layout.unpack(&changed);
    }
}

/// What a digest says of its front is checked against what it counted: sums over blocks cannot overflow.
#[test]
fn a_digest_comes_back_and_one_that_contradicts_itself_does_not() {
    let (_, plan) = common::compile("gscore");
    let layout = Layout::new(&plan, Vec::new(), 0);
    let goals = [Goal::Minimise, Goal::Maximise];
    let digest = |feasible: u64, ties: u64| {
        let mut front = Archive::new(goals.to_vec());
        front.add(FrontPoint { index: 7, objectives: vec![0.1, -0.0], ties });
        front.add(FrontPoint { index: 9, objectives: vec![0.2, 5e-324], ties: 0 });
        let counts = Summary {
            points: 16,
            feasible,
            failed: 1,
            failures: vec![(3, "no value".into())],
            constraint_misses: vec![0; plan.constraints.len()],
            ..Summary::default()
        };
        let mut payload = Vec::new();
        digest::pack(&Digest { counts, front }, &mut payload);
        payload
    };
    let sound = digest(5, 3);
    let back = digest::unpack(&sound, &layout, &goals).expect("a digest");
    assert_eq!((back.counts.points, back.counts.feasible, back.counts.failed), (16, 5, 1));
    assert_eq!(back.counts.failures, [(3, "no value".to_owned())]);
    let front = back.front.into_front();
    assert_eq!(front.iter().map(|point| (point.index, point.ties)).collect::<Vec<_>>(), [(7, 3), (9, 0)]);
    assert_eq!(bits(&front[1].objectives), bits(&[0.2, 5e-324]));
    for wrong in [digest(4, 3), digest(17, 3), digest(5, u64::MAX)] {
        assert!(digest::unpack(&wrong, &layout, &goals).is_none());
    }
    for cut in 0..sound.len() {
        assert!(digest::unpack(&sound[..cut], &layout, &goals).is_none(), "cut at {cut}");
    }
}

#[test]
fn the_last_state_of_a_search_counts_and_comes_back_after_a_torn_one() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("record.bin");
    let mut writer = RecordWriter::create(&path, "identity").expect("record");
    writer.state(1, b"first").expect("state");
    writer.state(2, b"second, and longer").expect("state");
    let before = fs::metadata(&path).expect("file").len();
    writer.state(3, b"third").expect("state");
    drop(writer);
    assert_eq!(RecordReader::open(&path).expect("record").state(), Some((3, b"third".as_slice())));
    let whole = fs::read(&path).expect("file");
    fs::write(&path, &whole[..whole.len() - 3]).expect("write");
    let reader = RecordReader::open(&path).expect("record");
    assert_eq!((reader.header(), reader.state()), ("identity", Some((2, b"second, and longer".as_slice()))));
    assert_eq!(reader.damage().whole, before);
    // Going on cuts the torn entry off; otherwise everything behind it would be lost.
    let mut writer = RecordWriter::append(&path, reader.damage().whole).expect("record");
    writer.state(3, b"again").expect("state");
    let reader = RecordReader::open(&path).expect("record");
    assert_eq!((reader.state(), reader.damage().lost), (Some((3, b"again".as_slice())), 0));
}

#[test]
fn what_is_no_record_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("record.bin");
    let error = |bytes: &[u8]| {
        fs::write(&path, bytes).expect("write");
        RecordReader::open(&path).expect_err("no record").to_string()
    };
    assert!(error(b"a text file that is long enough").contains("no record"));
    assert!(error(b"nerarch\n\x02\0\0\0\0\0\0\0\0\0\0\0").contains("format 2"));
    assert!(error(b"nerarch\n\x01\0\0\0\xff\xff\xff\x00....").contains("cut off"));
    assert!(error(b"nerarch\n\x01\0\0\0\xff\xff\xff\xff....").contains("damaged"));
    assert!(!error(b"").is_empty());
}
