mod check;
mod crash;

use std::fs;

use super::{DataFolder, OpenError};
use crate::archive::Repair;
use crate::conformance::sample;
use crate::{Archive, Batch, Catalogue, Timestamp, Wish};

#[test]
fn one_writer_and_readers() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(DataFolder::read(folder.path()), Err(OpenError::Absent(_))));
    assert!(!DataFolder::is_in_use(folder.path()));
    let mut writer = DataFolder::open(folder.path()).unwrap();
    assert!(writer.recover(None).unwrap().is_clean());
    assert!(DataFolder::is_in_use(folder.path()));
    let second = DataFolder::open(folder.path()).err().unwrap();
    assert!(matches!(&second, OpenError::InUse(path) if path == folder.path()), "{second}");
    assert!(second.to_string().contains(folder.path().to_str().unwrap()));
    let place = writer.archive.append(&sample::response(1, 100).encode()).unwrap();
    writer.archive.sync().unwrap();
    writer.catalogue.apply(&Batch { archive: writer.archive.lengths(), ..sample::batch(1, 0..2, &[]) }).unwrap();
    let mut reader = DataFolder::read(folder.path()).unwrap();
    assert_eq!(reader.archive.read(place).unwrap().url, sample::new_page(1).url);
    assert_eq!(reader.archive.copy(place).unwrap(), sample::response(1, 100).encode().bytes());
    assert!(reader.archive.copy(crate::Position { offset: place.offset + 1, ..place }).is_err());
    assert_eq!(reader.catalogue.counts().unwrap().pages(), 2);
    reader.catalogue.post(Timestamp(1), Wish::Add, &["https://a.example/"]).unwrap();
    assert!(reader.archive.append(&sample::response(1, 1).encode()).is_err());
    assert!(reader.check(true).unwrap().findings.iter().all(|(_, repaired)| !repaired), "readers repair nothing");
    drop(writer);
    assert!(!DataFolder::is_in_use(folder.path()));
    DataFolder::open(folder.path()).unwrap();
}

/// If the catalogue is lost, the archive is not.
#[test]
fn records_that_no_catalogue_knows_are_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..2 {
        let mut writer = DataFolder::open(folder.path()).unwrap();
        let recovery = writer.recover(None).unwrap();
        let aside = matches!(recovery.archive[..], [Repair::SetAside { file: 1, .. }]);
        assert_eq!(aside, round == 1, "{recovery}");
        writer.archive.append(&sample::response(1, 100).encode()).unwrap();
        writer.archive.sync().unwrap();
        writer.catalogue.apply(&Batch { archive: writer.archive.lengths(), ..sample::batch(1, 0..2, &[]) }).unwrap();
        drop(writer);
        for name in ["oriole.db", "oriole.db-wal", "oriole.db-shm"] {
            let _ = fs::remove_file(folder.path().join(name));
        }
    }
    assert!(folder.path().join("archive/oriole-000001.warc.gz.orphan").is_file());
}
