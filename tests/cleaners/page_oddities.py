"""Pages in each script, and with each oddity of markup: what of them is content?"""

from tests.cleaners.page_case import Expect, PageCase

SCRIPTS = (
    PageCase(
        "arabic",
        keeps=(
            "في إصلاح القاطرة قطعة قطعة",
            "فوق أحد عشر جسرا حجريا",
            "أنها ركبت القطار يوم زفافها",
        ),
        drops=("اقتصاد", "موسم الزيتون", "جميع الحقوق محفوظة"),
        headline="عودة القطار القديم إلى الوادي",
    ),
    PageCase(
        "hebrew",
        keeps=("אוספת את המים מן המזגנים", "אדמה רטובה כבדה הרבה יותר"),
        drops=("צור קשר", "החתול של המכולת", "תנאי שימוש"),
        headline="הגינה על הגג",
    ),
    PageCase(
        "chinese",
        keeps=("只想再听一听铜壶烧水的声音", "只有灶台是新砌的", "看上一场戏"),
        drops=("财经", "地铁五号线", "版权所有", "广告服务"),
        headline="老茶馆重新开张",
    ),
    PageCase(
        "japanese",
        keeps=("引き出しの中には当時の日誌", "聞こえるのは波と風の音だけです"),
        drops=("お問い合わせ", "朝市で食べたい", "無断転載", "サイトマップ"),
        headline="古い灯台に泊まる",
    ),
    PageCase(
        "korean",
        keeps=("눈을 감고도 책을 꺼내", "따뜻한 보리차를 무료로"),
        drops=("맛집", "버스 노선", "개인정보처리방침"),
        headline="골목 끝의 작은 책방",
    ),
    PageCase(
        "thai",
        keeps=("เสียงไม้พายกับเสียงทักทาย", "ใต้สะพานไม้"),
        drops=("ท่องเที่ยว", "วิธีทำขนมถ้วย", "สงวนลิขสิทธิ์"),
        headline="ตลาดน้ำยามเช้า",
    ),
    PageCase(
        "russian",
        keeps=(
            "собрали из лиственницы двое братьев-плотников",
            "очередь выстраивается ещё до открытия",
            "ещё тёплую булку",
        ),
        drops=("Объявления", "Мост через овраг", "Все права защищены"),
        headline="Мельница на Тихой снова работает",
    ),
    PageCase(
        "greek",
        keeps=("πριν ακόμη φανεί το κατάρτι", "εγχειρίδια και χάρτες"),
        drops=("Επικοινωνία", "Το φεστιβάλ του τυριού", "Όροι χρήσης"),
        headline="Το καράβι με τα βιβλία",
    ),
    PageCase(
        "hindi",
        keeps=("मंडी के भाव", "सुरक्षित रास्ते बताए"),
        drops=("संस्कृति", "सेब की फसल", "गोपनीयता नीति"),
        headline="गाँव का रेडियो",
    ),
)

MARKUP = (
    PageCase(
        "no_closing_tags",
        keeps=(
            "A wall without mortar stands because of its weight",
            "Filling the middle",
            "bulges after three winters",
            "Never turn a stone over more than three times",
        ),
        drops=("Hedges", "Gates"),
    ),
    PageCase(
        "unclosed_divs",
        keeps=(
            "close the tear with a herringbone stitch",
            "tears again like a stamp",
            "glue it to the leeward face",
            "after every strong wind",
        ),
        drops=("Covers",),
    ),
    PageCase(
        "uppercase_tags",
        keeps=(
            "a paper drum that turns once in a week",
            "a sharp kink is left on the paper",
            "will outlive its owner",
        ),
        drops=("Guestbook", "visitor number"),
        headline="How to Read a Barograph",
    ),
    PageCase(
        "one_layout_table",
        keeps=(
            "salt was carried from the pans at Senn",
            "a penny for pulling out a cart that was stuck",
            "the line of the salt road can be followed today",
        ),
        drops=("Amber road", "Members", "004711", "Webmaster"),
    ),
    PageCase(
        "nested_tables",
        keeps=(
            "Geese need grass more than anything else",
            "they are cleaner and pair earlier",
            "the evening of the fox",
            "before you buy goslings at a market",
        ),
        drops=("Breeds", "Hatching", "Sign the guestbook"),
    ),
    PageCase(
        "frameset_noframes",
        keeps=("We repair wall clocks", "An estimate is free", "between nine and one"),
    ),
    PageCase("frameset_only", expect=Expect.EMPTY),
    PageCase("empty_body", expect=Expect.EMPTY),
    PageCase(
        "no_body_tags",
        keeps=("a wasp has left on oak leaves", "turn black before your eyes", "contracts were"),
    ),
    PageCase(
        "double_body",
        keeps=("Only sound fruit keeps", "makes potatoes sprout", "already in flower again"),
        drops=("Cider press", "Visit the orchard"),
    ),
    PageCase(
        "plain_text",
        keeps=("Fog until noon", "a crack in the third ring", "a small owl sat on the gallery"),
    ),
    PageCase("js_shell", expect=Expect.EMPTY),
    PageCase("js_notice", expect=Expect.EMPTY),
    PageCase("iframe_only", expect=Expect.EMPTY),
    PageCase(
        "noscript_content",
        keeps=(
            "were covered with rust by October",
            "run a bar of warm wax over the base",
            "lean the skis against a wall that sweats",
        ),
        drops=("Guidelines", "Terms of service", "topic"),
        headline="Best way to store skis over summer?",
    ),
    PageCase(
        "template_hidden",
        keeps=(
            "A plane that tears the wood",
            "Lay the back on a coarse stone",
            "cuts end grain of pine without crushing it",
        ),
        drops=("Template heading", "Placeholder", "Hidden paragraph", "Concealed offer", "Joints"),
    ),
    PageCase(
        "duplicate_mobile_desktop",
        keeps=("that burned three thousand litres", "replaced seven of eleven", "wood fibre"),
        drops=("Insulate", "Newsletter"),
        once=("Everybody told us that a heat pump could not work here",),
    ),
    PageCase(
        "interview_dl",
        keeps=(
            "How long does it take to make a bell?",
            "three months on the mould",
            "Downwards, a little",
            "how the water answers",
        ),
        drops=("Letters", "Subscribe"),
        headline="You hear a bad casting before you see it",
    ),
    PageCase(
        "div_only",
        keeps=(
            "Walking with a donkey",
            "no argument will make it four",
            "a load that leans will rub the back sore",
            "quite loudly and rather early",
        ),
        drops=("Book now", "Imprint"),
    ),
    PageCase(
        "br_paragraphs",
        keeps=(
            "fished for fifty years without a radio",
            "clear air before noon meant rain before night",
            "trusted the cat more than the barometer",
            "right on two hundred and nine",
        ),
        drops=("Guestbook", "Page made with"),
    ),
    PageCase(
        "text_in_body",
        keeps=(
            "A rope is a quarrel that has come to rest",
            "it rots from the inside",
            "recognised one another in the street by their gait",
        ),
    ),
    PageCase(
        "xhtml_cdata",
        keeps=(
            "every second field is painted black",
            "subtract two metres and eleven centimetres",
            "a float may stick and paint may not",
        ),
        drops=("Script menu", "float: left", "Gauges", "]]"),
    ),
    PageCase(
        "custom_elements",
        keeps=(
            "Fresh logs of beech or oak",
            "Drill holes a hand's breadth apart",
            "makes excellent compost",
        ),
        drops=("Forum", "Imprint"),
        headline="Growing mushrooms on logs",
    ),
    PageCase(
        "shadow_dom",
        keeps=(
            "ripen cheese in a refrigerator",
            "Turn it every day and rub it with salt water",
            "wait for another ten days",
        ),
        drops=("Butter", "Terms", ":host"),
    ),
    PageCase(
        "svg_text",
        keeps=(
            "A lock is a box with a door at either end",
            "Section through a lock chamber",
            "the lock is tightest just when it has to be",
        ),
        drops=("CANAL SCHOOL", "Weirs", "School visits"),
    ),
    PageCase(
        "mathml",
        keeps=(
            "forms a curve that is called a catenary",
            "is the ratio of the horizontal pull",
            "can be replaced by a parabola",
            "every rope breaks before",
        ),
        drops=("Statics", "About this notebook"),
    ),
    PageCase(
        "unclosed_comment",
        keeps=("flowers only at its end", "with soft bast", "five or six"),
        drops=("Commented imprint", "Shrubs"),
    ),
    PageCase(
        "unclosed_script",
        keeps=("becomes bare at the foot", "twisted hazel", "twenty metres in a day"),
        drops=("broken script", "unfinished", "Billhooks"),
    ),
    PageCase(
        "unclosed_quote",
        keeps=("not the fly that is cast but the line", "Most beginners do not wait", "slowly,"),
        drops=("Licences",),
    ),
)
