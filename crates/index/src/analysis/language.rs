use frostem::Algorithm;

/// Languages with a stemmer, by their code of ISO 639-1.
const STEMMED: [(&str, Algorithm); 34] = [
    ("ar", Algorithm::Arabic),
    ("ca", Algorithm::Catalan),
    ("cs", Algorithm::Czech),
    ("da", Algorithm::Danish),
    ("de", Algorithm::German),
    ("el", Algorithm::Greek),
    ("en", Algorithm::English),
    ("es", Algorithm::Spanish),
    ("et", Algorithm::Estonian),
    ("eu", Algorithm::Basque),
    ("fa", Algorithm::Persian),
    ("fi", Algorithm::Finnish),
    ("fr", Algorithm::French),
    ("ga", Algorithm::Irish),
    ("hi", Algorithm::Hindi),
    ("hu", Algorithm::Hungarian),
    ("hy", Algorithm::Armenian),
    ("id", Algorithm::Indonesian),
    ("it", Algorithm::Italian),
    ("lt", Algorithm::Lithuanian),
    ("nb", Algorithm::Norwegian),
    ("ne", Algorithm::Nepali),
    ("nl", Algorithm::Dutch),
    ("nn", Algorithm::Norwegian),
    ("no", Algorithm::Norwegian),
    ("pl", Algorithm::Polish),
    ("pt", Algorithm::Portuguese),
    ("ro", Algorithm::Romanian),
    ("ru", Algorithm::Russian),
    ("sr", Algorithm::Serbian),
    ("sv", Algorithm::Swedish),
    ("ta", Algorithm::Tamil),
    ("tr", Algorithm::Turkish),
    ("uk", Algorithm::Ukrainian),
];

/// How words are stemmed: a place in [`STEMMED`] plus one, or zero for not at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Language(pub(super) u8);

impl Language {
    /// No stemming: language unknown, or one without stemmer.
    pub(crate) const NONE: Self = Self(0);

    /// The stemmer for a language code.
    pub(crate) fn from_code(code: &str) -> Self {
        let place = STEMMED.iter().position(|(known, _)| *known == code);
        place.map_or(Self::NONE, |place| Self(place as u8 + 1))
    }

    pub(super) fn algorithm(self) -> Option<Algorithm> {
        STEMMED.get(usize::from(self.0).checked_sub(1)?).map(|(_, algorithm)| *algorithm)
    }

    /// Every language with a stemmer.
    #[cfg(test)]
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..=STEMMED.len() as u8).map(Self)
    }
}

/// A language code as documents and queries may give it: `de`, `DE`, `de-AT`. Nothing if it is none.
pub(crate) fn clean_code(code: &str) -> Option<String> {
    let main = code.split(['-', '_']).next()?;
    let plausible = (2..=3).contains(&main.len()) && main.bytes().all(|byte| byte.is_ascii_alphabetic());
    plausible.then(|| main.to_ascii_lowercase())
}
