//! Query parameters that do not say which page is meant: they say where the reader came from, or who the reader is.

use memchr::memchr;

/// Names, in lower case and sorted, that advertising and mailing systems add to links.
const TRACKING: &[&str] = &[
    "__hsfp",
    "__hssc",
    "__hstc",
    "__s",
    "_branch_match_id",
    "_branch_referrer",
    "_ga",
    "_gl",
    "_hsenc",
    "_hsmi",
    "_ke",
    "_kx",
    "_openstat",
    "dclid",
    "epik",
    "fbclid",
    "gad_campaignid",
    "gad_source",
    "gbraid",
    "gclid",
    "gclsrc",
    "gdffi",
    "gdfms",
    "gdftrk",
    "guccounter",
    "guce_referrer",
    "guce_referrer_sig",
    "hsctatracking",
    "igsh",
    "igshid",
    "irclickid",
    "irgwc",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "mkt_tok",
    "ml_subscriber",
    "ml_subscriber_hash",
    "msclkid",
    "oly_anon_id",
    "oly_enc_id",
    "piwik_campaign",
    "piwik_keyword",
    "piwik_kwd",
    "rb_clickid",
    "s_cid",
    "sc_campaign",
    "scclid",
    "srsltid",
    "ttclid",
    "twclid",
    "vero_conv",
    "vero_id",
    "wbraid",
    "wickedid",
    "wt_mc",
    "xtor",
    "yclid",
    "ysclid",
    "zanpid",
];

/// Beginnings, in lower case, of such names.
const TRACKING_PREFIXES: &[&str] = &["utm_", "pk_", "mtm_", "hsa_", "aspsessionid"];

/// Names, in lower case and sorted, that always carry a session id.
const SESSION: &[&str] = &["cfid", "cftoken", "jsessionid", "phpsessid"];

/// Names, in lower case and sorted, that carry a session id when the value looks like one.
const SESSION_IF_RANDOM: &[&str] =
    &["oscsid", "s", "sessid", "session", "session_id", "sessionid", "sid", "xtcsid", "zenid"];

/// Longest name of the lists.
const MAX_NAME: usize = 24;

/// Whether the parameter has no say in which page is meant.
pub(super) fn is_noise(parameter: &str) -> bool {
    let end = memchr(b'=', parameter.as_bytes()).unwrap_or(parameter.len());
    let name = &parameter.as_bytes()[..end];
    if !may_be_listed(name) {
        return false;
    }
    let mut buffer = [0; MAX_NAME];
    let lower = &mut buffer[..end.min(MAX_NAME)];
    lower.copy_from_slice(&name[..end.min(MAX_NAME)]);
    lower.make_ascii_lowercase();
    if TRACKING_PREFIXES.iter().any(|prefix| lower.starts_with(prefix.as_bytes())) {
        return true;
    }
    let listed = |list: &[&str]| list.binary_search_by(|entry| entry.as_bytes().cmp(lower)).is_ok();
    if end > MAX_NAME {
        return false;
    }
    listed(TRACKING)
        || listed(SESSION)
        || (listed(SESSION_IF_RANDOM) && looks_random(&parameter[(end + 1).min(parameter.len())..]))
}

/// A quick look at first letter and length that spares most names the search.
fn may_be_listed(name: &[u8]) -> bool {
    /// By first letter: bit `n` is set when a name of `n` letters is listed.
    static LENGTHS: [u32; 128] = {
        let mut lengths = mark(mark(mark([0; 128], TRACKING, false), SESSION, false), SESSION_IF_RANDOM, false);
        lengths = mark(lengths, TRACKING_PREFIXES, true);
        lengths
    };
    let Some(first) = name.first().map(u8::to_ascii_lowercase) else { return false };
    let lengths = LENGTHS.get(usize::from(first)).copied().unwrap_or_default();
    lengths >> name.len().min(31) & 1 == 1
}

/// Marks the lengths of the names of a list, and all greater ones if they are beginnings of names.
const fn mark(mut lengths: [u32; 128], list: &[&str], and_longer: bool) -> [u32; 128] {
    let mut at = 0;
    while at < list.len() {
        let name = list[at].as_bytes();
        lengths[name[0] as usize] |= if and_longer { u32::MAX << name.len() } else { 1 << name.len() };
        at += 1;
    }
    lengths
}

/// Whether a value looks drawn at random: 32 or more hexadecimal digits, or 24 to 64 letters and digits well mixed.
fn looks_random(value: &str) -> bool {
    let bytes = value.as_bytes();
    if !(24..=64).contains(&bytes.len()) || !bytes.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    if bytes.len() >= 32 && bytes.iter().all(u8::is_ascii_hexdigit) {
        return true;
    }
    let changes = bytes.windows(2).filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    changes >= 6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_lower_case_and_fit() {
        for list in [TRACKING, SESSION, SESSION_IF_RANDOM] {
            assert!(list.is_sorted());
            assert!(list.iter().all(|name| name.len() <= MAX_NAME && *name == name.to_lowercase()));
        }
    }

    #[test]
    fn noise_is_recognised_and_content_is_not() {
        let noise = [
            "utm_source=x",
            "UTM_Medium=y",
            "utm_a_very_long_name_made_up_by_someone=1",
            "gclid=1",
            "fbclid",
            "msclkid=",
            "mc_cid=1",
            "PHPSESSID=abc",
            "jsessionid=1",
            "sid=0123456789abcdef0123456789abcdef",
            "s=0123456789ABCDEF0123456789abcdef",
            "session=l1t3py55t21z5v55vlm25s55",
            "ASPSESSIONIDQQTTBABC=KJH",
        ];
        let content = [
            "",
            "=",
            "id=1",
            "sid=7",
            "s=search+words",
            "session=keynote",
            "q=utm_source",
            "utm=1",
            "page=2",
            "sid=",
            "session=thelongestkeynoteoftheyear",
            "gclidx=1",
            "a_name_that_is_longer_than_the_list=1",
        ];
        assert!(noise.iter().all(|p| is_noise(p)), "{:?}", noise.iter().find(|p| !is_noise(p)));
        assert!(!content.iter().any(|p| is_noise(p)), "{:?}", content.iter().find(|p| is_noise(p)));
    }
}
