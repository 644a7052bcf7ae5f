use super::*;

fn detect(text: &str, declared: Option<&str>) -> String {
    of(text, declared).map_or(String::new(), |language| language.as_str().to_owned())
}

/// Article 1 of the Universal Declaration of Human Rights, and its like.
const SAMPLES: [(&str, &str); 22] = [
    (
        "en",
        "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood.",
    ),
    (
        "de",
        "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
    ),
    (
        "fr",
        "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.",
    ),
    (
        "es",
        "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
    ),
    (
        "it",
        "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono dotati di ragione e di coscienza e devono agire gli uni verso gli altri in spirito di fratellanza.",
    ),
    (
        "pt",
        "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. Dotados de razão e de consciência, devem agir uns para com os outros em espírito de fraternidade. Não é mais uma pergunta do dia.",
    ),
    (
        "nl",
        "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Zij zijn begiftigd met verstand en geweten, en behoren zich jegens elkander in een geest van broederschap te gedragen.",
    ),
    (
        "sv",
        "Alla människor är födda fria och lika i värde och rättigheter. De är utrustade med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.",
    ),
    (
        "da",
        "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd, som det også blev sagt af andre.",
    ),
    (
        "fi",
        "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä, se on selvä kun on.",
    ),
    (
        "pl",
        "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Są oni obdarzeni rozumem i sumieniem i powinni postępować wobec innych w duchu braterstwa, to jest jak się należy.",
    ),
    (
        "cs",
        "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím a mají spolu jednat v duchu bratrství, ale to je také jejich věc, které se nebojí.",
    ),
    (
        "tr",
        "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile hareket etmelidirler. Bu çok önemli bir ilke olarak da bilinir.",
    ),
    (
        "vi",
        "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền. Mọi người đều được tạo hóa ban cho lý trí và lương tâm và cần phải đối xử với nhau trong tình bằng hữu.",
    ),
    (
        "ru",
        "Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и совестью и должны поступать в отношении друг друга в духе братства.",
    ),
    (
        "uk",
        "Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства.",
    ),
    ("el", "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα."),
    ("ar", "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق. وقد وهبوا عقلا وضميرا."),
    (
        "fa",
        "تمام افراد بشر آزاد به دنیا می‌آیند و از لحاظ حیثیت و حقوق با هم برابرند. همه دارای عقل و وجدان می‌باشند و باید نسبت به یکدیگر با روح برادری رفتار کنند. گفته‌اند",
    ),
    ("zh", "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。"),
    ("ja", "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。"),
    ("ko", "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다."),
];

#[test]
fn languages_are_told_apart() {
    for (language, text) in SAMPLES {
        assert_eq!(detect(text, None), language);
    }
}

#[test]
fn a_declared_language_is_checked() {
    for (language, text) in SAMPLES {
        assert_eq!(detect(text, Some(language)), language);
        let wrong = if language == "en" { "ja" } else { "en-US" };
        assert_eq!(detect(text, Some(wrong)), language, "declared {wrong}");
    }
    assert_eq!(detect("Saluton", Some("EO")), "eo", "too short to judge");
    assert_eq!(detect("12 34", None), "");
    assert_eq!(
        detect(
            "Alle mennesker er født frie og lige i verdighet og med rettigheter, de er utstyrt med fornuft",
            Some("nb-NO")
        ),
        "no"
    );
}

#[test]
fn a_language_without_words_of_ours_is_believed() {
    let esperanto = "Ĉiuj homoj estas denaske liberaj kaj egalaj laŭ digno kaj rajtoj. Ili posedas racion kaj konsciencon, \
                     kaj devus konduti unu al alia en spirito de frateco.";
    assert_eq!(detect(esperanto, Some("eo")), "eo");
}

#[test]
fn tags_are_read() {
    for (tag, language) in
        [("en", "en"), ("pt-BR", "pt"), ("zh_Hans", "zh"), ("nn", "no"), ("iw", "he"), (" DE ", "de")]
    {
        assert_eq!(tag_language(tag).unwrap().as_str(), language);
    }
    for tag in ["", "x", "eng", "12", "日本"] {
        assert_eq!(tag_language(tag), None, "{tag}");
    }
}

#[test]
fn a_register_of_names_is_in_the_language_it_says() {
    let register = "Index A B C D E F G H I J K L M N O P Q R S T U V W X Y Z O_APPEND in module os o_creat obj memoryview \
                    attribute object a v s z k o u oct built in function octal literals offset traceback ok curses panel";
    assert_eq!(detect(register, Some("en")), "en");
}
