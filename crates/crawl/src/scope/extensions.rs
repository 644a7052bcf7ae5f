//! Files that are no pages, by their names.

/// Extensions, in lower case and sorted, of files without text that could be searched.
const NO_PAGES: &[&str] = &[
    "3gp", "7z", "aac", "ai", "aiff", "apk", "appimage", "avi", "avif", "bin", "bmp", "bz2", "cab", "class", "css",
    "cur", "dat", "deb", "dll", "dmg", "doc", "docx", "dwg", "ear", "eot", "eps", "exe", "flac", "flv", "gif", "glb",
    "gz", "heic", "heif", "ico", "img", "ipa", "iso", "jar", "jpeg", "jpg", "js", "jxl", "lz", "lz4", "lzma", "m4a",
    "m4v", "map", "mid", "midi", "mjs", "mkv", "mov", "mp2", "mp3", "mp4", "mpeg", "mpg", "msi", "msix", "obj", "odp",
    "ods", "odt", "oga", "ogg", "ogv", "opus", "otf", "parquet", "pkg", "png", "pps", "ppsx", "ppt", "pptx", "psd",
    "pyc", "rar", "rpm", "rtf", "so", "stl", "svg", "svgz", "swf", "tar", "tbz", "tgz", "tif", "tiff", "torrent",
    "ttf", "txz", "war", "wasm", "wav", "weba", "webm", "webp", "whl", "wma", "wmf", "wmv", "woff", "woff2", "xls",
    "xlsx", "xz", "z", "zip", "zst",
];

/// The same as numbers, in the same order: each link is looked up here.
const KEYS: [u64; NO_PAGES.len()] = {
    let mut keys = [0; NO_PAGES.len()];
    let mut number = 0;
    while number < keys.len() {
        let (name, mut bytes, mut at) = (NO_PAGES[number].as_bytes(), [0; 8], 0);
        while at < name.len() {
            bytes[at] = name[at];
            at += 1;
        }
        keys[number] = u64::from_be_bytes(bytes);
        number += 1;
    }
    keys
};

/// The extension of a path if it is one of no page.
pub(super) fn of_no_page(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() || extension.len() > 8 {
        return None;
    }
    let mut lower = [0; 8];
    lower[..extension.len()].copy_from_slice(extension.as_bytes());
    lower.make_ascii_lowercase();
    KEYS.binary_search(&u64::from_be_bytes(lower)).ok().map(|at| NO_PAGES[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_from_pages() {
        assert!(NO_PAGES.is_sorted() && KEYS.is_sorted());
        for (path, extension) in
            [("/a.png", "png"), ("/a/b.tar.GZ", "gz"), ("/x.woff2", "woff2"), ("/A.APPIMAGE", "appimage")]
        {
            assert_eq!(of_no_page(path), Some(extension), "{path}");
        }
        for path in [
            "/",
            "/a",
            "/a.html",
            "/a.pdf",
            "/a.md",
            "/a.txt",
            "/png",
            "/.png",
            "/a.png/",
            "/v1.2",
            "/node.js/x",
            "/a.",
        ] {
            assert_eq!(of_no_page(path), None, "{path}");
        }
    }
}
