//! The commonest short words of the languages in Latin and Cyrillic script.

use super::Language;

/// Each language with its common words. At most 32 languages, one bit each.
pub(super) const COMMON_WORDS: [(Language, &str); 26] = [
    (
        Language(*b"en"),
        "the of and to in is that for it with as was on are this be by from have not or an at you which can",
    ),
    (
        Language(*b"de"),
        "der die und das ist nicht ein eine den von mit zu sich auf für auch es im dem des werden wird als an wie",
    ),
    (
        Language(*b"fr"),
        "le la les des est et une dans pour que qui sur pas avec au du plus par sont ce aux de un il elle",
    ),
    (
        Language(*b"es"),
        "el los las que una por con para del es se su más como está pero fue son al de la en y un no lo",
    ),
    (
        Language(*b"it"),
        "il di che è per una del della con non sono gli dei nel alla più anche come si la le un da in lo",
    ),
    (
        Language(*b"pt"),
        "o os que não uma com para do da em dos são mais pelo ao foi como também das de se um no na é por",
    ),
    (
        Language(*b"nl"),
        "de het een van en is dat niet zijn voor met op aan ook worden door naar bij die te of wordt uit als",
    ),
    (Language(*b"sv"), "och att det som en är på för med av den inte till har om ett var kan sig från eller vid"),
    (Language(*b"da"), "og at det er en til på for af den med der ikke har som de et kan blev fra eller også ved"),
    (Language(*b"no"), "og det er en til på for av at som med ikke har den de et kan ble fra eller også ved ein"),
    (Language(*b"fi"), "ja on ei se että oli hän myös ovat tai kun mutta joka jos kuin voi sen jotka ole"),
    (Language(*b"pl"), "i w nie na się z do jest że to jak o przez dla są od po oraz który która także ale może"),
    (Language(*b"cs"), "a v se na je že s z do to pro jako by které nebo ale jsou byl který také jeho podle při"),
    (Language(*b"sk"), "a v sa na je že s z do to pre ako by ktoré alebo ale sú bol ktorý aj jeho podľa pri"),
    (Language(*b"hu"), "a az és hogy nem egy is ez van meg volt csak mint de azt lehet ki vagy amely ezt"),
    (Language(*b"ro"), "și de în la cu pe nu este o un care din că pentru mai sunt fi ale dar sau prin"),
    (Language(*b"tr"), "ve bir bu için ile da de olarak daha çok olan gibi ne en var olduğu sonra kadar her"),
    (
        Language(*b"id"),
        "yang dan di dengan untuk dari ini pada tidak dalam adalah itu akan oleh ke juga sebagai atau telah",
    ),
    (Language(*b"vi"), "là của và các có được cho không trong một những người với này để khi từ đã về"),
    (Language(*b"ca"), "el la els les que i una per amb del és no als dels més com de en un ha va aquest també"),
    (Language(*b"hr"), "i je u na se da za su od koji kao ne što iz ali bi o ili također prema može"),
    (Language(*b"lt"), "ir yra kad su iš į tai bei buvo kaip ne apie bet arba jo per šis nuo taip"),
    (Language(*b"ru"), "и в не на что с по как это для из от за он к но все его был также а о или которые может"),
    (Language(*b"uk"), "і в не на що з та як це для до від за він але про його був також у й або які може"),
    (Language(*b"bg"), "и в на не за се от да с по това е са като при които или може до след през"),
    (Language(*b"sr"), "и у је на се да за су од који као не што из али би о или може према"),
];
