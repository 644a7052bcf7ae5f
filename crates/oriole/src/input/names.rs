//! Many names in one piece of memory.

use hashbrown::HashTable;
use rapidhash::v3::rapidhash_v3;

/// A list of names: one text and where each name ends in it.
#[derive(Clone, Debug, Default)]
pub struct Names {
    text: String,
    ends: Vec<u64>,
}

impl Names {
    /// Adds a name at the end.
    pub fn push(&mut self, name: &str) {
        self.text.push_str(name);
        self.ends.push(self.text.len() as u64);
    }

    /// Number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no names.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name at a position.
    ///
    /// # Panics
    /// If there are not that many names.
    #[must_use]
    pub fn get(&self, position: usize) -> &str {
        let start = if position == 0 { 0 } else { self.ends[position - 1] as usize };
        &self.text[start..self.ends[position] as usize]
    }

    /// All names in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|position| self.get(position))
    }
}

/// A hash of a name, the same on every machine and in every run.
pub(super) fn hash(name: &str) -> u64 {
    rapidhash_v3(name.as_bytes())
}

/// Gives equal names the same number, counting from 0.
#[derive(Debug, Default)]
pub struct Interner {
    names: Names,
    numbers: HashTable<u32>,
    last: u32,
}

impl Interner {
    /// The number of a name, a new one if it has not been seen before.
    pub fn number(&mut self, name: &str) -> u32 {
        // Rows of one host often follow one another.
        if (self.last as usize) < self.names.len() && self.names.get(self.last as usize) == name {
            return self.last;
        }
        let Self { names, numbers, .. } = self;
        let same = |&number: &u32| names.get(number as usize) == name;
        let rehash = |&number: &u32| hash(names.get(number as usize));
        let known = numbers.entry(hash(name), same, rehash);
        self.last = match known {
            hashbrown::hash_table::Entry::Occupied(entry) => *entry.get(),
            hashbrown::hash_table::Entry::Vacant(entry) => {
                let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
                entry.insert(number);
                self.names.push(name);
                number
            }
        };
        self.last
    }

    /// The number of a name that has been seen before.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u32> {
        self.numbers.find(hash(name), |&number| self.names.get(number as usize) == name).copied()
    }

    /// The names by number.
    #[must_use]
    pub fn into_names(self) -> Names {
        self.names
    }
}
