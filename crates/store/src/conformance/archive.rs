use super::{Fresh, Law, sample};
use crate::{Archive, Digest, HttpHead, Lengths, Position, Record, RefersTo, Timestamp, Truncated};

type Any = Box<dyn Archive>;

/// Every archive must pass this. It must begin another file after at most 100,000 bytes.
///
/// # Errors
/// If the back end fails.
///
/// # Panics
/// If a law does not hold.
pub fn archive(fresh: Fresh<'_, Any>) -> Law {
    records_come_back(fresh()())?;
    wrong_places_are_errors(fresh()())?;
    what_is_synced_stays(&mut fresh())?;
    files_have_an_end(fresh()())?;
    cut_back_to_any_batch(&mut fresh())?;
    Ok(())
}

/// Records of every kind that robots write.
fn records() -> Vec<Record> {
    let answer = Record { truncated: Some(Truncated::Length), ..sample::response(1, 1000) };
    let answer = Record { ip: "2001:db8::1".parse().ok(), ..answer };
    let (url, at) = (answer.url.clone(), Timestamp(1_700_000_999_001));
    let earlier = RefersTo { url: url.clone(), at: answer.at };
    let mut asked = HttpHead::request("GET", "/page/1");
    asked.push("Host", b"host1.example");
    vec![
        Record::request(&url, answer.at, asked, Vec::new()),
        Record::not_modified(&url, at, HttpHead::response(304, "Not Modified"), earlier.clone()),
        Record::same(&url, at, HttpHead::response(200, "OK"), Digest::of(&answer.body), earlier),
        sample::response(2, 0),
        answer,
    ]
}

/// As it is read: an answer with its digest.
fn as_read(record: &Record) -> Record {
    Record { payload: record.encode().payload(), ..record.clone() }
}

fn records_come_back(mut archive: Any) -> Law {
    let mut places = Vec::new();
    for record in records() {
        places.push((archive.append(&record.encode())?, as_read(&record)));
    }
    archive.sync()?;
    for (place, record) in &places {
        assert_eq!(archive.read(*place)?, *record);
    }
    let end = |place: &Position| place.offset + u64::from(place.length);
    assert!(places.windows(2).all(|two| two[1].0.offset == end(&two[0].0)), "one after the other");
    let last = places.last().map(|(place, _)| (place.file, end(place)));
    assert_eq!(archive.lengths().into_iter().next_back(), last);
    Ok(())
}

fn wrong_places_are_errors(mut archive: Any) -> Law {
    let place = archive.append(&sample::response(1, 500).encode())?;
    archive.append(&sample::response(2, 500).encode())?;
    archive.sync()?;
    for wrong in [
        Position { file: place.file + 1, ..place },
        Position { offset: place.offset + 1, ..place },
        Position { length: place.length - 1, ..place },
        Position { offset: u64::MAX, ..place },
        Position { length: u32::MAX, ..place },
    ] {
        assert!(archive.read(wrong).is_err(), "{wrong:?}");
    }
    Ok(())
}

fn what_is_synced_stays(open: &mut dyn FnMut() -> Any) -> Law {
    let mut archive = open();
    let first = archive.append(&sample::response(1, 500).encode())?;
    archive.sync()?;
    let lengths = archive.lengths();
    drop(archive);
    let mut archive = open();
    assert_eq!(archive.lengths(), lengths);
    let second = archive.append(&sample::response(2, 500).encode())?;
    archive.sync()?;
    assert!(second > first);
    assert_eq!(archive.read(first)?, as_read(&sample::response(1, 500)));
    assert_eq!(archive.read(second)?, as_read(&sample::response(2, 500)));
    Ok(())
}

fn files_have_an_end(mut archive: Any) -> Law {
    let mut places = Vec::new();
    for n in 0..30 {
        places.push(archive.append(&sample::response(n, 20_000).encode())?);
    }
    archive.sync()?;
    assert!(archive.lengths().len() >= 5);
    assert!(archive.lengths().values().all(|length| *length < 130_000));
    for (n, place) in (0..).zip(places) {
        assert_eq!(archive.read(place)?, as_read(&sample::response(n, 20_000)));
    }
    Ok(())
}

/// Cuts to the lengths after each batch, going back, and goes on from there.
fn cut_back_to_any_batch(open: &mut dyn FnMut() -> Any) -> Law {
    let mut archive = open();
    let mut batches: Vec<(Lengths, Position)> = Vec::new();
    for n in 0..12 {
        let place = archive.append(&sample::response(n, 20_000).encode())?;
        archive.sync()?;
        batches.push((archive.lengths(), place));
    }
    for kept in (0..12).rev() {
        archive.cut(&batches[kept].0)?;
        assert_eq!(archive.lengths(), batches[kept].0);
        archive.read(batches[kept].1)?;
        if let Some((_, lost)) = batches.get(kept + 1) {
            assert!(archive.read(*lost).is_err(), "{lost:?} is behind the end");
        }
        drop(archive);
        archive = open();
        assert_eq!(archive.lengths(), batches[kept].0);
    }
    let next = archive.append(&sample::response(50, 100).encode())?;
    archive.sync()?;
    assert_eq!(archive.read(next)?, as_read(&sample::response(50, 100)));
    archive.read(batches[0].1)?;
    Ok(())
}
