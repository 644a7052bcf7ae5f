use hashbrown::HashTable;

/// The keys of all known pages: five bytes per page beside the key itself.
#[derive(Debug, Default)]
pub(super) struct Known(HashTable<u32>);

impl Known {
    pub(super) fn find(&self, key: u64, key_of: impl Fn(u32) -> u64) -> Option<u32> {
        self.0.find(key, |page| key_of(*page) == key).copied()
    }

    pub(super) fn insert(&mut self, key: u64, page: u32, key_of: impl Fn(u32) -> u64) {
        self.0.insert_unique(key, page, |other| key_of(*other));
    }
}
