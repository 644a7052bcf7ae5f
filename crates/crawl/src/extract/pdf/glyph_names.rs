//! The characters that glyph names stand for: the names of the standard Latin fonts and those of common fonts for
//! mathematics, `uni0041` and `u1F600`. Part of the Adobe Glyph List.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Names with their text. Letters and digits of one character are their own names.
const NAMES: &str = "space=\u{20} exclam=! quotedbl=\" numbersign=# dollar=$ percent=% ampersand=& quotesingle=' quoteright=’ \
parenleft=( parenright=) asterisk=* plus=+ comma=, hyphen=- minus=− period=. slash=/ zero=0 one=1 two=2 three=3 four=4 five=5 \
six=6 seven=7 eight=8 nine=9 colon=: semicolon=; less=< equal== greater=> question=? at=@ bracketleft=[ backslash=\\ \
bracketright=] asciicircum=^ underscore=_ quoteleft=‘ grave=` braceleft={ bar=| braceright=} asciitilde=~ exclamdown=¡ cent=¢ \
sterling=£ currency=¤ yen=¥ brokenbar=¦ section=§ dieresis=¨ copyright=© ordfeminine=ª guillemotleft=« logicalnot=¬ \
registered=® macron=¯ degree=° plusminus=± twosuperior=² threesuperior=³ acute=´ mu=µ paragraph=¶ periodcentered=· cedilla=¸ \
onesuperior=¹ ordmasculine=º guillemotright=» onequarter=¼ onehalf=½ threequarters=¾ questiondown=¿ Agrave=À Aacute=Á \
Acircumflex=Â Atilde=Ã Adieresis=Ä Aring=Å AE=Æ Ccedilla=Ç Egrave=È Eacute=É Ecircumflex=Ê Edieresis=Ë Igrave=Ì Iacute=Í \
Icircumflex=Î Idieresis=Ï Eth=Ð Ntilde=Ñ Ograve=Ò Oacute=Ó Ocircumflex=Ô Otilde=Õ Odieresis=Ö multiply=× Oslash=Ø Ugrave=Ù \
Uacute=Ú Ucircumflex=Û Udieresis=Ü Yacute=Ý Thorn=Þ germandbls=ß agrave=à aacute=á acircumflex=â atilde=ã adieresis=ä aring=å \
ae=æ ccedilla=ç egrave=è eacute=é ecircumflex=ê edieresis=ë igrave=ì iacute=í icircumflex=î idieresis=ï eth=ð ntilde=ñ \
ograve=ò oacute=ó ocircumflex=ô otilde=õ odieresis=ö divide=÷ oslash=ø ugrave=ù uacute=ú ucircumflex=û udieresis=ü yacute=ý \
thorn=þ ydieresis=ÿ Amacron=Ā amacron=ā Abreve=Ă abreve=ă Aogonek=Ą aogonek=ą Cacute=Ć cacute=ć Ccaron=Č ccaron=č Dcaron=Ď \
dcaron=ď Dcroat=Đ dcroat=đ Emacron=Ē emacron=ē Eogonek=Ę eogonek=ę Ecaron=Ě ecaron=ě Gbreve=Ğ gbreve=ğ Idotaccent=İ dotlessi=ı \
Lslash=Ł lslash=ł Lcaron=Ľ lcaron=ľ Nacute=Ń nacute=ń Ncaron=Ň ncaron=ň Ohungarumlaut=Ő ohungarumlaut=ő OE=Œ oe=œ Racute=Ŕ \
racute=ŕ Rcaron=Ř rcaron=ř Sacute=Ś sacute=ś Scedilla=Ş scedilla=ş Scommaaccent=Ș scommaaccent=ș Scaron=Š scaron=š \
Tcommaaccent=Ț tcommaaccent=ț Tcaron=Ť tcaron=ť Umacron=Ū umacron=ū Uring=Ů uring=ů Uhungarumlaut=Ű uhungarumlaut=ű \
Ydieresis=Ÿ Zacute=Ź zacute=ź Zdotaccent=Ż zdotaccent=ż Zcaron=Ž zcaron=ž florin=ƒ circumflex=ˆ caron=ˇ breve=˘ dotaccent=˙ \
ring=˚ ogonek=˛ tilde=˜ hungarumlaut=˝ endash=– emdash=— quotesinglbase=‚ quotedblleft=“ quotedblright=” quotedblbase=„ \
dagger=† daggerdbl=‡ bullet=• ellipsis=… perthousand=‰ guilsinglleft=‹ guilsinglright=› fraction=⁄ Euro=€ trademark=™ \
ff=ff fi=fi fl=fl ffi=ffi ffl=ffl nbspace=\u{20} sfthyphen=- Alpha=Α Beta=Β Gamma=Γ Delta=Δ Epsilon=Ε Zeta=Ζ Eta=Η Theta=Θ \
Iota=Ι Kappa=Κ Lambda=Λ Mu=Μ Nu=Ν Xi=Ξ Omicron=Ο Pi=Π Rho=Ρ Sigma=Σ Tau=Τ Upsilon=Υ Phi=Φ Chi=Χ Psi=Ψ Omega=Ω alpha=α beta=β \
gamma=γ delta=δ epsilon=ε epsilon1=ε zeta=ζ eta=η theta=θ iota=ι kappa=κ lambda=λ nu=ν xi=ξ omicron=ο pi=π rho=ρ sigma=σ \
tau=τ upsilon=υ phi=φ phi1=φ chi=χ psi=ψ omega=ω arrowleft=← arrowup=↑ arrowright=→ arrowdown=↓ arrowdblright=⇒ partialdiff=∂ \
emptyset=∅ gradient=∇ element=∈ product=∏ summation=∑ radical=√ infinity=∞ integral=∫ approxequal=≈ notequal=≠ equivalence=≡ \
lessequal=≤ greaterequal=≥ lozenge=◊ asteriskmath=∗ visiblespace=\u{20} angbracketleft=⟨ angbracketright=⟩";

static TEXTS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let texts = NAMES.split_ascii_whitespace().filter_map(|entry| entry.split_once('='));
    texts.map(|(name, text)| (name, if text.is_empty() { " " } else { text })).collect()
});

/// Appends the text that a glyph's name stands for; false if nobody knows.
pub(super) fn append(name: &[u8], text: &mut String) -> bool {
    let Ok(name) = std::str::from_utf8(name) else { return false };
    // `a.alt` is a variant of `a`, `f_f_i` a ligature.
    let base = name.split('.').next().unwrap_or_default();
    let before = text.len();
    for part in base.split('_').take(8) {
        match TEXTS.get(part) {
            Some(known) => text.push_str(known),
            None if part.len() == 1 => text.push_str(part),
            None => text.extend(code_point(part)),
        }
    }
    text.len() > before
}

/// `uni0041`, `u1F600`.
fn code_point(name: &str) -> Option<char> {
    let digits = name.strip_prefix("uni").or_else(|| name.strip_prefix('u'))?;
    let valid = (4..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    valid.then(|| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)).flatten()
}
