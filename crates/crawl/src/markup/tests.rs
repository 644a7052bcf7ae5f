use proptest::prelude::*;

use super::*;

fn tokens(text: &str, syntax: Syntax) -> Vec<String> {
    let mut scanner = Scanner::new(text, syntax);
    let mut found = Vec::new();
    while let Some(token) = scanner.next() {
        found.push(match token {
            Token::Text(text) => text.to_owned(),
            Token::Literal(text) => format!("literal {text}"),
            Token::Open(name) => {
                let attributes: String =
                    scanner.attributes().iter().map(|(name, value)| format!(" {name}={value}")).collect();
                format!("<{name}{attributes}{}>", if scanner.self_closing() { "/" } else { "" })
            }
            Token::Close(name) => format!("</{name}>"),
        });
    }
    found
}

#[test]
fn tags_are_cut_as_browsers_cut_them() {
    for (text, expected) in [
        ("a<b>c</b>d", &["a", "<b>", "c", "</b>", "d"][..]),
        ("<A HREF = 'x>y' b c=d/e/>", &["<A HREF=x>y b= c=d/e/>"]),
        ("<a b=\"1\"c='2'd=3 b=4>", &["<a b=1 c=2 d=3 b=4>"]),
        ("<br/><br / >", &["<br/>", "<br>"]),
        ("<a =x y>", &["<a =x= y=>"]),
        ("<a b=>c", &["<a b=>", "c"]),
        ("1 < 2 <3 <- <", &["1 < 2 <3 <- <"]),
        ("a</>b</ c>d", &["a", "b", "d"]),
        ("a<!-->b<!--->c<!-- x --!>d<!-- - -- -->e", &["a", "b", "c", "d", "e"]),
        ("a<!doctype html>b<?php ?>c<!x>d", &["a", "b", "c", "d"]),
        ("<script>a<b></scripty></SCRIPT >c", &["<script>", "literal a<b></scripty>", "</SCRIPT>", "c"]),
        ("<title>a&amp;<b></title>c", &["<title>", "a&amp;<b>", "</title>", "c"]),
        ("<title>a<b>c", &["<title>", "a", "<b>", "c"]),
        ("<script>a", &["<script>", "literal a"]),
        ("x<a href='unclosed", &["x"]),
        ("é<b é='ü'>ß", &["é", "<b é=ü>", "ß"]),
    ] {
        assert_eq!(tokens(text, Syntax::Html), expected, "{text}");
    }
}

#[test]
fn xml_has_cdata_and_no_raw_text() {
    for (text, expected) in [
        ("<title>a<b/></title>", &["<title>", "a", "<b/>", "</title>"][..]),
        ("<a><![CDATA[<b>&amp;]]>c</a>", &["<a>", "literal <b>&amp;", "c", "</a>"]),
        ("<?xml a='>'?><!DOCTYPE x [<!ENTITY y '>'>]><x:y/>", &["<x:y/>"]),
        ("<![CDATA[open", &["literal open"]),
    ] {
        assert_eq!(tokens(text, Syntax::Xml), expected, "{text}");
    }
}

#[test]
fn the_end_inside_a_tag_is_noticed() {
    for (text, truncated) in [("<a>", false), ("<a", true), ("<a b='", true), ("<!-- ", true), ("text", false)] {
        let mut scanner = Scanner::new(text, Syntax::Xml);
        while scanner.next().is_some() {}
        assert_eq!(scanner.truncated(), truncated, "{text}");
    }
}

proptest! {
    #[test]
    fn a_byte_is_found_where_it_first_is(bytes in prop::collection::vec(prop::sample::select(b"<<=;\xbc\x00\x80ab".to_vec()), 0..20), before in 0..60_usize) {
        let bytes = [vec![b'.'; before], bytes].concat();
        for byte in [b'<', b'.', 0, 0x80, b'b'] {
            prop_assert_eq!(find(byte, &bytes), memchr(byte, &bytes));
        }
    }

    #[test]
    fn any_text_is_cut_without_loss_of_order(text in "[<>/!?'\"=a-c &;é\\[\\]-]{0,200}") {
        for syntax in [Syntax::Html, Syntax::Xml] {
            let mut scanner = Scanner::new(&text, syntax);
            let mut at = text.as_ptr() as usize;
            while let Some(token) = scanner.next() {
                let (Token::Text(piece) | Token::Literal(piece) | Token::Open(piece) | Token::Close(piece)) = token;
                prop_assert!(piece.as_ptr() as usize >= at);
                at = piece.as_ptr() as usize + piece.len();
            }
        }
    }

    #[test]
    fn text_without_marks_is_one_token(text in "[^<]{1,80}") {
        prop_assert_eq!(tokens(&text, Syntax::Html), [text]);
    }
}
