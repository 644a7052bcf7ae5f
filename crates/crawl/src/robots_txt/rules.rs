//! The rules of a file, prepared so that a path is compared with few of them.

use super::pattern::{Pattern, comparable_path};

/// Rules as they are read.
#[derive(Debug, Default)]
pub(super) struct RuleList(Vec<(Pattern, Priority)>);

/// More octets win; allow wins at equal octets (RFC 9309, section 2.2.2). Zero is no rule.
type Priority = u32;

impl RuleList {
    /// Adds an `allow` line. One that names the index page of a folder allows the folder too.
    pub(super) fn allow(&mut self, path: &[u8]) {
        self.add(path, true);
        let folder = path.iter().rposition(|b| *b == b'/').map_or(0, |at| at + 1);
        if folder > 0 && path[folder..].starts_with(b"index.htm") {
            let mut index = path[..folder].to_vec();
            index.push(b'$');
            self.add(&index, true);
        }
    }

    /// Adds a `disallow` line.
    pub(super) fn disallow(&mut self, path: &[u8]) {
        self.add(path, false);
    }

    /// An empty path matches nothing (section 2.2.2).
    fn add(&mut self, path: &[u8], is_allowed: bool) {
        if path.is_empty() {
            return;
        }
        let pattern = Pattern::new(path);
        let octets = u32::try_from(pattern.octets()).unwrap_or(u32::MAX / 2);
        self.0.push((pattern, octets * 2 + u32::from(is_allowed)));
    }

    /// Sorts the rules for asking.
    pub(super) fn prepare(self) -> RuleSet {
        let mut list = self.0;
        list.sort_unstable_by(|(a, of_a), (b, of_b)| (a.prefix(), a, of_a).cmp(&(b.prefix(), b, of_b)));
        list.dedup();
        let mut rules: Vec<Rule> = Vec::with_capacity(list.len());
        for (pattern, priority) in list {
            let parent = nearest_prefix(&rules, pattern.prefix());
            rules.push(Rule { pattern, priority, parent });
        }
        RuleSet { rules }
    }
}

/// The last rule, going from parent to parent, whose prefix begins `prefix`.
fn nearest_prefix(rules: &[Rule], prefix: &[u8]) -> Option<u32> {
    let mut candidate = rules.len().checked_sub(1);
    while let Some(at) = candidate {
        if prefix.starts_with(rules[at].pattern.prefix()) {
            return u32::try_from(at).ok();
        }
        candidate = rules[at].parent.map(|parent| parent as usize);
    }
    None
}

#[derive(Debug, Clone)]
struct Rule {
    pattern: Pattern,
    priority: Priority,
    /// The rule before this one whose prefix begins this one's prefix.
    parent: Option<u32>,
}

/// Rules sorted by their prefix, the text before the first `*`.
///
/// Sorted, every prefix of a path also begins the last rule that is not after the path. So one binary search and the
/// way from parent to parent visit all rules whose prefix fits, and hardly any other.
#[derive(Debug, Clone, Default)]
pub(super) struct RuleSet {
    rules: Vec<Rule>,
}

impl RuleSet {
    /// Whether the strongest rule that matches allows the path; no rule allows it.
    pub(super) fn allow(&self, path_and_query: &str) -> bool {
        if self.rules.is_empty() {
            return true;
        }
        let path = comparable_path(path_and_query);
        let after = self.rules.partition_point(|rule| rule.pattern.prefix() <= &*path);
        let mut candidate = after.checked_sub(1);
        let mut strongest = 0;
        while let Some(rule) = candidate.map(|at| &self.rules[at]) {
            if rule.priority > strongest && rule.pattern.matches(&path) {
                strongest = rule.priority;
            }
            candidate = rule.parent.map(|parent| parent as usize);
        }
        strongest == 0 || strongest % 2 == 1
    }
}
