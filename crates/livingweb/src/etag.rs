//! Entity tags, which tell the version and in which run of which web it was.

use crate::world::PageNumber;

/// Which run of which web: tags of another one say nothing about this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run(u64);

impl Run {
    pub(crate) fn new(seed: u64, epoch: f64) -> Self {
        Self((seed ^ epoch.to_bits().rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16)
    }

    /// `"1a2b3c-17-5"`: version 5 of page 17.
    pub(crate) fn etag(self, number: PageNumber, version: u64) -> String {
        format!("\"{:x}-{}-{version}\"", self.0, number.0)
    }

    /// Page and version of a tag of this run.
    pub(crate) fn read(self, etag: &str) -> Option<(PageNumber, u64)> {
        let mut parts = etag.trim().trim_start_matches("W/").strip_prefix('"')?.strip_suffix('"')?.split('-');
        let (run, number, version) = (parts.next()?, parts.next()?, parts.next()?);
        let found = (PageNumber(number.parse().ok()?), version.parse().ok()?);
        (u64::from_str_radix(run, 16).ok()? == self.0
            && self.etag(found.0, found.1).ends_with(etag.trim_start_matches("W/")))
        .then_some(found)
    }
}

/// Whether a header `If-None-Match` has the tag.
pub(crate) fn matches(header: &str, etag: &str) -> bool {
    header.split(',').map(str::trim).any(|tag| tag == "*" || tag.trim_start_matches("W/") == etag)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_tag_is_read_in_its_own_run_only(seed: u64, page: u32, version: u64, epoch in 0.0..1e10_f64) {
            let run = Run::new(seed, epoch);
            let etag = run.etag(PageNumber(page), version);
            prop_assert_eq!(run.read(&etag), Some((PageNumber(page), version)));
            prop_assert_eq!(run.read(&format!("W/{etag}")), Some((PageNumber(page), version)));
            prop_assert_eq!(Run::new(seed ^ 1, epoch).read(&etag), None);
            let list = format!("\"x\", W/{etag}");
            prop_assert!(matches(&list, &etag) && matches("*", &etag));
            prop_assert!(!matches(&run.etag(PageNumber(page), version ^ 1), &etag));
        }

        #[test]
        fn no_text_panics(text in ".*", near in "(W/)?\"[0-9a-f]{0,20}-[0-9]{0,12}-[0-9]{0,22}\"?") {
            _ = Run::new(1, 0.0).read(&text);
            _ = Run::new(1, 0.0).read(&near);
        }
    }
}
