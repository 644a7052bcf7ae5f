//! Pages of a site that probably change alike.

/// The section of a site that a path, with its query, belongs to: the first folder, or `/`; a query makes another section.
///
/// ```
/// use crawl::frontier::section;
/// assert_eq!(section("/news/2026/11/15.html"), "/news/");
/// assert_eq!(section("/about.html"), "/");
/// assert_eq!(section("/forum/thread.php?id=7"), "/forum/?");
/// ```
#[must_use]
pub fn section(path_and_query: &str) -> String {
    let (path, query) = path_and_query.split_once('?').map_or((path_and_query, ""), |(path, _)| (path, "?"));
    let folder = path.get(1..).and_then(|rest| rest.find('/')).map_or("/", |end| &path[..end + 2]);
    format!("{folder}{query}")
}

#[cfg(test)]
mod tests {
    use super::section;
    use proptest::prelude::*;

    #[test]
    fn the_first_folder_and_whether_there_is_a_query() {
        for (path, expected) in
            [("", "/"), ("/", "/"), ("/?q", "/?"), ("//", "//"), ("/a", "/"), ("/a/", "/a/"), ("/a/b/c?d/e", "/a/?")]
        {
            assert_eq!(section(path), expected, "{path}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_one(path in ".*") {
            prop_assert!(section(&path).starts_with('/') || path.starts_with(|first| first != '/'));
        }
    }
}
