use std::io::Write;

use flate2::{Compression, write::ZlibEncoder};
use proptest::prelude::*;

use super::super::{Extracted, extract};
use super::*;

fn pdf(bytes: impl AsRef<[u8]>) -> Result<Extracted, ExtractError> {
    extract(bytes.as_ref(), Some("application/pdf"), "https://a.org/x.pdf", &Limits::default())
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn stream(number: u32, entries: &str, data: &[u8]) -> Vec<u8> {
    let mut object = format!("{number} 0 obj\n<< {entries} /Length {} >>\nstream\n", data.len()).into_bytes();
    object.extend(data);
    object.extend(b"\nendstream\nendobj\n");
    object
}

/// A document of one page with this content and these further objects.
fn document(content: &[u8], more: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n\
        2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<</F1 5 0 R/F2 6 0 R>>/XObject<</X1 7 0 R>>>>>> endobj\n\
        3 0 obj <</Type/Page/Parent 2 0 R/Contents 4 0 R>> endobj\n\
        5 0 obj <</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>> endobj\n"
        .to_vec();
    bytes.extend(stream(4, "", content));
    more.iter().for_each(|object| bytes.extend(object));
    bytes.extend(
        b"8 0 obj <</Title (A \\(small\\) title) /CreationDate (D:20240305093000+01'00')>> endobj\n\
        trailer <</Root 1 0 R/Info 8 0 R>>\nstartxref\n0\n%%EOF",
    );
    bytes
}

fn text(content: &str) -> String {
    pdf(document(content.as_bytes(), &[])).unwrap().text
}

#[test]
fn a_page_with_its_facts() {
    let page = pdf(document(b"BT /F1 12 Tf 72 700 Td (Hello, caf\\351!) Tj ET", &[])).unwrap();
    assert_eq!(page.kind, Kind::Pdf);
    assert_eq!(page.text, "Hello, café!");
    assert_eq!(page.title.as_deref(), Some("A (small) title"));
    assert_eq!(page.published, Some(1_709_627_400));
    assert_eq!(page.words, 2);
}

#[test]
fn places_make_words_lines_and_paragraphs() {
    for (content, expected) in [
        ("BT /F1 10 Tf 0 90 Td [(Wor) 20 (ld) -300 (wide)] TJ ET", "World wide"),
        ("BT /F1 10 Tf 0 90 Td (one) Tj 0 -12 Td (two) Tj 0 -30 Td (three) Tj ET", "one two\nthree"),
        ("BT /F1 10 Tf 14 TL 0 90 Td (ex-) Tj T* (ample) Tj (A-) ' (B) ' ET", "example A- B"),
        ("BT /F1 10 Tf 1 0 0 1 0 90 Tm (left) Tj 1 0 0 1 200 90 Tm (right) Tj ET", "left right"),
        ("q 1 0 0 1 0 90 cm BT /F1 10 Tf (a) Tj ET Q q 1 0 0 1 0 60 cm BT /F1 10 Tf (b) Tj ET Q", "a\nb"),
        ("BT /F1 10 Tf 0 1 -1 0 50 50 Tm (up) Tj ( and) Tj ET", "up and"),
        ("BI /W 1 /H 1 ID \x01(not text) Tj EI BT /F1 9 Tf <48 69> Tj ET", "Hi"),
        ("/X1 Do", ""),
    ] {
        assert_eq!(text(content), expected, "{content}");
    }
}

#[test]
fn packed_content_forms_and_character_maps() {
    let map = b"1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0001> <0041> <0002> <00660066> endbfchar \
        1 beginbfrange <0010> <0012> <3042> endbfrange 1 beginbfrange <0020> <0021> [<0078> <D83DDE00>] endbfrange";
    let more = [
        b"6 0 obj <</Subtype/Type0/Encoding/Identity-H/ToUnicode 9 0 R/DescendantFonts[<</DW 1000/W[1 [500 600]]>>]>> endobj\n".to_vec(),
        stream(9, "/Filter/FlateDecode", &zlib(map)),
        stream(7, "/Subtype/Form/Filter[/ASCIIHexDecode/FlateDecode]", &hexadecimal(&zlib(b"BT /F1 9 Tf 0 50 Td (in a form) Tj ET"))),
    ];
    let content = b"BT /F2 9 Tf 0 90 Td <0001 0002 0010 0012 0020 0021> Tj ET /X1 Do";
    assert_eq!(pdf(document(content, &more)).unwrap().text, "Affあいx😀\nin a form");
}

fn hexadecimal(data: &[u8]) -> Vec<u8> {
    data.iter().flat_map(|byte| format!("{byte:02X} ").into_bytes()).chain(*b">").collect()
}

#[test]
fn encodings_of_simple_fonts() {
    let font = b"6 0 obj <</Subtype/Type1/Encoding<</BaseEncoding/MacRomanEncoding/Differences[1/ffi/Sigma 65/eacute.alt/uni20AC/f_l]>>>> endobj\n";
    let page = pdf(document(b"BT /F2 9 Tf (\\001\\002ABCD\\212) Tj ET", &[font.to_vec()])).unwrap();
    assert_eq!(page.text, "ffiΣé€flDä");
    let font = b"6 0 obj <</Subtype/Type0/Encoding/90ms-RKSJ-H>> endobj\n";
    let page = pdf(document(b"BT /F2 9 Tf <93FA967B> Tj ET", &[font.to_vec()])).unwrap();
    assert_eq!(page.text, "日本");
}

#[test]
fn packed_objects_and_the_newest_version_count() {
    let packed = b"3 0 10 40 <</Type/Page/Contents 4 0 R/Resources 10 0 R>> <</Font<<>>>>";
    let mut bytes = b"%PDF-1.5\n1 0 obj<</Pages 2 0 R>>endobj 2 0 obj<</Kids[3 0 R]>>endobj\n".to_vec();
    bytes.extend(stream(4, "", b"BT (old) Tj ET"));
    bytes.extend(stream(11, "/Type/ObjStm/N 2/First 10/Filter/FlateDecode", &zlib(packed)));
    bytes.extend(stream(4, "", b"BT (new) Tj ET"));
    bytes.extend(b"12 0 obj<</Type/XRef/Root 1 0 R>>endobj");
    assert_eq!(pdf(&bytes).unwrap().text, "new");
}

#[test]
fn damaged_documents_give_what_can_be_read() {
    let whole = document(b"BT /F1 12 Tf 0 90 Td (Still here) Tj ET", &[]);
    let damaged = String::from_utf8_lossy(&whole).replace("/Root 1 0 R", "").replace("/Length", "/Len");
    assert_eq!(pdf(damaged).unwrap().text, "Still here");
    assert_eq!(pdf("%PDF-1.4 nothing"), Err(ExtractError::Broken { reason: "no pages found" }));
    let encrypted = String::from_utf8_lossy(&whole).replace("/Info 8 0 R", "/Encrypt 8 0 R");
    assert_eq!(pdf(encrypted), Err(ExtractError::Encrypted));
    let limits = Limits { input_bytes: 100, ..Limits::default() };
    assert!(matches!(extract(&whole, None, "", &limits), Err(ExtractError::TooLarge { limit: 100, .. })));
}

#[test]
fn loops_and_bombs_end() {
    let start = std::time::Instant::now();
    let form = stream(7, "/Subtype/Form", "/X1 Do ".repeat(50).as_bytes());
    assert_eq!(pdf(document(b"/X1 Do", &[form])).unwrap().text, "");
    let bomb = stream(7, "/Subtype/Form/Filter[/FlateDecode/FlateDecode]", &zlib(&zlib(&vec![b'['; 60 << 20])));
    assert_eq!(pdf(document(b"/X1 Do /X1 Do", &[bomb])).unwrap().text, "");
    let kids = b"9 0 obj <</Kids[9 0 R 2 0 R]>> endobj 2 0 obj <</Kids[9 0 R 9 0 R 3 0 R]>> endobj\n".to_vec();
    assert_eq!(pdf(document(b"BT (x) Tj ET", &[kids])).unwrap().text, "x");
    let itself = b"4 0 obj 4 0 R endobj\n".to_vec();
    assert_eq!(pdf(document(b"", &[itself])).unwrap().text, "");
    for piece in ["<<", "[", "(", "<", "/", "1 0 obj", "1 0 obj <<>> stream ", "/ObjStm ", "1 0 R ", "/Root 1 0 R "] {
        let _ = pdf(["%PDF-1.4 ", &piece.repeat((1 << 20) / piece.len())].concat());
    }
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn filters_unpack() {
    let fuel = Fuel::new(1 << 20);
    let unpack = |filter: &[u8], data: &[u8]| filter::unpack(filter, data, &fuel);
    // The example of the PDF specification.
    let lzw = unpack(b"LZWDecode", &[0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01]).unwrap();
    assert_eq!(lzw, [45, 45, 45, 45, 45, 65, 45, 45, 45, 66]);
    assert_eq!(unpack(b"ASCII85Decode", b"87cURD]i,\"Ebo80~>").unwrap(), b"Hello World!");
    assert_eq!(unpack(b"ASCII85Decode", b"z@:B~>").unwrap(), b"\0\0\0\0ab");
    assert_eq!(unpack(b"RunLengthDecode", &[2, b'a', b'b', b'c', 254, b'x', 128, 9]).unwrap(), b"abcxxx");
    let packed = zlib(&[7; 5_000]);
    assert_eq!(unpack(b"FlateDecode", &packed).unwrap(), [7; 5_000]);
    assert!(
        unpack(b"FlateDecode", &packed[..packed.len() - 4]).unwrap().starts_with(&[7; 100]),
        "without its checksum"
    );
    assert_eq!(unpack(b"DCTDecode", b""), None);
}

fn sample() -> Vec<u8> {
    document(
        b"BT /F1 12 Tf 0 90 Td [(So) -400 (me)] TJ /F2 9 Tf <0001> Tj ET /X1 Do",
        &[
            b"6 0 obj <</Subtype/Type0/ToUnicode 9 0 R/DescendantFonts[<</W[1 9 500]>>]>> endobj\n".to_vec(),
            stream(9, "", b"1 beginbfrange <0001> <0009> <0041> endbfrange"),
            stream(7, "/Subtype/Form/Matrix[1 0 0 1 0 9]/Filter/FlateDecode", &zlib(b"BT (form) Tj ET")),
        ],
    )
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = pdf([b"%PDF-1.4 1 0 obj ", bytes.as_slice()].concat());
    }

    #[test]
    fn any_damage_is_survived(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
                              cut in any::<prop::sample::Index>()) {
        let mut bytes = sample();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let _ = pdf(&bytes);
        bytes.truncate(9 + cut.index(bytes.len() - 9));
        let _ = pdf(&bytes);
    }

    #[test]
    fn shown_text_reads_back(words in proptest::collection::vec("[A-Za-z0-9]{1,9}", 1..9)) {
        let shown = words.join(" ");
        let content = format!("BT /F1 9 Tf 0 90 Td ({shown}) Tj ET");
        prop_assert_eq!(text(&content), shown);
    }
}
