//! A PDF file: its objects by number, and its pages.
//!
//! The directory at the end of a file is often wrong and easily hostile, so it is not read: the objects are found where
//! they stand, and of several with the same number the last one counts, as after an update.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use memchr::memmem;

use super::filter::unpack;
use super::object::{Dict, Fuel, Object, Reader, is_space};

/// Objects, pages and packed groups of objects that are looked at.
const MAX_OBJECTS: usize = 1 << 20;
const MAX_PAGES: usize = 20_000;
const MAX_GROUPS: usize = 10_000;
/// References to references that are followed.
const MAX_HOPS: usize = 8;
/// Steps that it costs to look an object up.
const LOOKUP: usize = 100;

/// Where an object stands.
#[derive(Clone, Copy)]
struct Place {
    /// The group of packed objects it is in; `None` for the file itself.
    group: Option<usize>,
    at: usize,
    /// The place in the file that says which of two objects is newer.
    order: usize,
}

/// A PDF file.
pub(super) struct File<'a> {
    bytes: &'a [u8],
    pub(super) fuel: &'a Fuel,
    places: HashMap<u32, Place>,
    groups: Vec<Vec<u8>>,
}

/// A page: its own dictionary and the resources that it may have inherited.
pub(super) struct Page {
    pub(super) dict: Dict,
    pub(super) resources: Rc<Dict>,
}

impl<'a> File<'a> {
    pub(super) fn new(bytes: &'a [u8], fuel: &'a Fuel) -> Self {
        let mut file = Self { bytes, fuel, places: HashMap::new(), groups: Vec::new() };
        file.fuel.spend(bytes.len());
        file.find_objects();
        file.find_groups();
        file
    }

    /// Notes each `12 0 obj`.
    fn find_objects(&mut self) {
        for at in memmem::find_iter(self.bytes, b"obj") {
            if self.places.len() >= MAX_OBJECTS {
                return;
            }
            if let Some(number) = number_before(self.bytes, at) {
                self.places.insert(number, Place { group: None, at: at + 3, order: at });
            }
        }
    }

    /// Unpacks each group of packed objects and notes what is in it.
    fn find_groups(&mut self) {
        let mut starts: Vec<usize> = self.places.values().map(|place| place.at).collect();
        starts.sort_unstable();
        let mentions = memmem::find_iter(self.bytes, b"/ObjStm").take(MAX_GROUPS);
        let containers: HashSet<usize> = mentions
            .filter_map(|at| starts.partition_point(|start| *start <= at).checked_sub(1).map(|order| starts[order]))
            .collect();
        let mut containers: Vec<usize> = containers.into_iter().collect();
        containers.sort_unstable();
        for start in containers {
            let Some(Object::Dict(dict)) = self.read(self.bytes, start) else { continue };
            if dict.get("Type").and_then(Object::name) != Some(b"ObjStm") {
                continue;
            }
            if let Some(data) = self.data(&dict) {
                self.note_group(&dict, data, start);
            }
        }
    }

    fn note_group(&mut self, dict: &Dict, data: Vec<u8>, order: usize) {
        let whole = |key: &str| dict.get(key).and_then(Object::number).map_or(0, |number| number as usize);
        let (count, first) = (whole("N").min(MAX_OBJECTS), whole("First"));
        let mut numbers = Reader::new(&data, 0, self.fuel);
        let mut found = Vec::new();
        for _ in 0..count {
            let (Some(Object::Number(number)), Some(Object::Number(at))) = (numbers.next(), numbers.next()) else {
                break;
            };
            found.push((number as u32, first.saturating_add(at as usize)));
        }
        let group = Some(self.groups.len());
        for (number, at) in found {
            let known = self.places.get(&number);
            if known.is_none_or(|known| known.order < order) && self.places.len() < MAX_OBJECTS {
                self.places.insert(number, Place { group, at, order });
            }
        }
        self.groups.push(data);
    }

    /// The object at a place, with the place of its data if it is a stream.
    fn read(&self, bytes: &[u8], at: usize) -> Option<Object> {
        let mut reader = Reader::new(bytes, at, self.fuel);
        let mut object = reader.next()?;
        if let Object::Dict(dict) = &mut object {
            let length = dict.get("Length").and_then(Object::number).map(|length| length as usize);
            dict.data = reader.stream_data(length);
        }
        Some(object)
    }

    /// An indirect object.
    pub(super) fn object(&self, number: u32) -> Option<Object> {
        let place = self.places.get(&number)?;
        // Looking an object up costs more than the bytes it has.
        if !self.fuel.spend(LOOKUP) {
            return None;
        }
        match place.group {
            // Packed objects are never streams.
            Some(group) => Reader::new(self.groups.get(group)?, place.at, self.fuel).next(),
            None => self.read(self.bytes, place.at),
        }
    }

    /// The object itself, whatever refers to it.
    pub(super) fn resolve(&self, object: &Object) -> Option<Object> {
        let mut object = object.clone();
        for _ in 0..MAX_HOPS {
            let Object::Reference(number) = object else { return Some(object) };
            object = self.object(number)?;
        }
        None
    }

    /// An entry of a dictionary.
    pub(super) fn get(&self, dict: &Dict, key: &str) -> Option<Object> {
        self.resolve(dict.get(key)?)
    }

    /// An entry that is itself a dictionary.
    pub(super) fn get_dict(&self, dict: &Dict, key: &str) -> Option<Dict> {
        match self.get(dict, key)? {
            Object::Dict(dict) => Some(dict),
            _ => None,
        }
    }

    /// The unpacked data of a stream.
    pub(super) fn data(&self, stream: &Dict) -> Option<Vec<u8>> {
        let mut data = self.bytes.get(stream.data.clone()?)?.to_vec();
        let filters = match stream.get("Filter").or_else(|| stream.get("F")).and_then(|filter| self.resolve(filter)) {
            None => Vec::new(),
            Some(Object::Array(filters)) => filters,
            Some(filter) => vec![filter],
        };
        for filter in filters.iter().take(MAX_HOPS) {
            let filter = self.resolve(filter)?;
            data = unpack(filter.name()?, &data, self.fuel)?;
        }
        Some(data)
    }

    /// The newest value of a key of the file's trailers: a reference or dictionary.
    pub(super) fn trailer(&self, key: &str) -> Option<Object> {
        memmem::rfind_iter(self.bytes, key).take(16).find_map(|at| {
            let object = Reader::new(self.bytes, at + key.len(), self.fuel).next()?;
            matches!(object, Object::Reference(_) | Object::Dict(_)).then_some(object)
        })
    }

    /// All pages in order; if the tree of pages is broken, in the order in which they stand in the file.
    pub(super) fn pages(&self) -> Vec<Page> {
        let root = self.trailer("/Root").and_then(|root| self.resolve(&root));
        let tree = root.as_ref().and_then(Object::dict).and_then(|root| root.get("Pages").cloned());
        let pages = tree.map_or_else(Vec::new, |tree| self.tree_pages(tree));
        if pages.is_empty() { self.stray_pages() } else { pages }
    }

    fn tree_pages(&self, root: Object) -> Vec<Page> {
        let mut pages = Vec::new();
        let mut seen = HashSet::new();
        let mut waiting = vec![(root, Rc::new(Dict::default()))];
        while let Some((node, inherited)) = waiting.pop() {
            if pages.len() >= MAX_PAGES || node.reference().is_some_and(|number| !seen.insert(number)) {
                continue;
            }
            let Some(Object::Dict(dict)) = self.resolve(&node) else { continue };
            let resources = self.get_dict(&dict, "Resources").map_or(inherited, Rc::new);
            match self.get(&dict, "Kids") {
                Some(Object::Array(kids)) => {
                    waiting.extend(kids.into_iter().rev().map(|kid| (kid, Rc::clone(&resources))));
                }
                _ => pages.push(Page { dict, resources }),
            }
        }
        pages
    }

    fn stray_pages(&self) -> Vec<Page> {
        let mut numbers: Vec<(usize, u32)> = self.places.iter().map(|(number, place)| (place.order, *number)).collect();
        numbers.sort_unstable();
        let page = |number: u32| {
            let Object::Dict(dict) = self.object(number)? else { return None };
            let is_page = dict.get("Type").and_then(Object::name) == Some(b"Page");
            let resources = Rc::new(self.get_dict(&dict, "Resources").unwrap_or_default());
            is_page.then_some(Page { dict, resources })
        };
        numbers.into_iter().filter_map(|(_, number)| page(number)).take(MAX_PAGES).collect()
    }
}

/// The number of the object whose `obj` stands at a place: `12 0 obj`.
fn number_before(bytes: &[u8], at: usize) -> Option<u32> {
    let before = &bytes[at.saturating_sub(24)..at];
    let (before, _) = strip_digits(before)?;
    let (_, number) = strip_digits(before)?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

/// What stands before a number and the white space behind it, and the number.
fn strip_digits(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().rposition(|byte| !is_space(*byte))? + 1;
    let start = bytes[..end].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |place| place + 1);
    (start < end).then_some((&bytes[..start], &bytes[start..end]))
}
