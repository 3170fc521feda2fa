"""Which words of a question say nothing of what is looked for?

They are indexed (phrases need them), and in a query they count for little beside other words. The
commonest function words of the languages that have a stemmer, in the normal form of analysis.py, as
it cuts them (`don't` is `don` and `t`). Short on purpose: a word that is missing here costs
little, for it is common and so weighs little anyway; a word too many could not be found.
"""

_LISTS = {
    "ar": """
        في من على إلى عن مع هذا هذه ذلك التي الذي ما لا أن إن كان كانت هو هي هل قد و أو ثم كل
        بعد قبل
    """,
    "da": """
        og i at det en et den til er som på de med han af for ikke der var mig sig men har om vi
        min havde ham hun nu over da fra du ud sin dem os op man hans hvor eller hvad skal selv
        her alle vil
    """,
    "de": """
        aber als am an auch auf aus bei bin bis da das dass dem den der des die dies diese
        dieser dieses doch du durch ein eine einem einen einer eines er es für haben hat hatte
        ich ihr im in ist kann man mit nach nicht noch nur ob oder sein seine sich sie sind so
        um und uns unter vom von vor war was wenn werden wie wir wird wo wurde zu zum zur über
    """,
    "el": """
        και το να του η της με που την από για είναι ο οι τα στο στη στην των τον τη ένα μια ως
        θα αν δεν σε αυτό τι πως
    """,
    "en": """
        off one out over under up via
        a about across after again all almost along already also although always am among an and
        another any anybody anyone anything anywhere are around as at be became because become
        becomes been before behind being between both but by came can cannot could d did do does
        doing don done during each either else enough etc even ever every everyone everything
        everywhere for from further gave get give given had has have having he her here hers
        herself him himself his how however i if in indeed instead into is it its itself just
        less ll m many may me might more most mostly much must my myself neither never no nobody
        none nor not nothing now nowhere of often on once only onto or other others otherwise
        our ours ourselves per perhaps quite rather re really s same seem seemed seeming seems
        several shall she should since so some somebody someone something sometimes somewhere
        still such t than that the their theirs them themselves then there therefore these they
        this those though through throughout thus to together too toward towards until upon us
        ve very was we were what whatever when whenever where whereas wherever whether which
        while who whoever whom whose why will with within without would yet you your yours
        yourself
    """,
    "es": """
        a al como con cual cuando de del desde donde el ella ellos en entre era es esta este
        esto está fue ha han hay la las le les lo los mas me mi muy más no nos o para pero por
        porque que qué quien se ser si sin sobre son su sus también un una unos y ya
    """,
    "fi": """
        ja on ei se että oli en hän mutta ne kun kuin myös ovat tai niin jos joka mikä mitä tämä
        sen sitä siitä olla minä sinä me te he vain
    """,
    "fr": """
        a au aux avec c ce ces cette comme d dans de des donc du elle elles en est et eu il ils
        j je l la le les leur leurs lui m mais me n ne nous on ont ou où par pas pour qu que
        quel quelle qui s sa se ses si son sont sur t un une vous y à été être
    """,
    "hu": """
        a az és hogy nem is egy ez azt meg de csak el már volt mint van ha vagy mi ki ezt még
        aki ami kell lesz
    """,
    "it": """
        a ad ai al alla alle anche che chi ci come con cosa d da dal dalla dei del della delle
        di dove e ed era gli ha ho i il in io l la le lo ma mi nel nella nelle nei non o per
        perché più quale quando questa questo se si sono su sul sulla tra un una uno è
    """,
    "nb": """
        og i jeg det at en et den til er som på de med han av for ikke der var meg seg men har
        om vi min hadde ham hun nå over da fra du ut sin dem oss opp man hans hvor eller hva
        skal selv her alle vil ble kan
    """,
    "nl": """
        aan al als bij dan dat de der deze die dit doch door een en er ge geen had heb hebben
        heeft het hij hoe ik in is ja je kan maar me meer men met mijn na naar niet nog nu of om
        onder ook op over te tot u uit van veel voor waar was wat we wel werd wie wij wordt ze
        zich zij zijn zo zonder
    """,
    "pt": """
        a ao aos as até com como da das de do dos e ela ele em entre era essa esse esta este eu
        foi há isso já lhe mais mas me mesmo muito na nas nem no nos num não o os ou para pela
        pelo por qual quando que quem se sem ser seu sua são também te tem um uma você à é
    """,
    "ro": """
        a ai al ale am are au ca care ce cel cu cum că de din după e ea ei el este eu fi fost la
        lui mai ne nu o pe pentru prin sa sau se si sunt să un una unde și în între
    """,
    "ru": """
        а без более бы был была были было быть в вам вас во вот все всё вы где да для до его ее
        если есть еще же за здесь и из или им их к как ко когда кто ли мне мы на над не нет ни
        но о об он она они оно от по под при с со так то того тоже только том ты у уже чем что
        чтобы эта эти это этот я
    """,
    "sv": """
        och det att i en jag hon som han på den med var sig för så till är men ett om hade de av
        icke mig du då sin nu har inte hans honom skulle hennes där min man ej vid kunde något
        från ut när efter upp vi dem vara vad över än kan hur eller
    """,
    "ta": """
        ஒரு என்று மற்றும் இந்த இது என்ற கொண்டு என்பது பல ஆகும் அல்லது அவர் நான் உள்ள அந்த இவர்
        என முதல் என்ன
    """,
    "tr": """
        acaba ama bir biz bu bunu da daha de değil diye en gibi hem her için ile ise ki kim mi
        mu mı ne neden nasıl o olan olarak sen siz ve veya ya çok şu
    """,
}
_LISTS |= {"no": _LISTS["nb"], "nn": _LISTS["nb"]}

STOP_WORDS = {language: frozenset(words.casefold().split()) for language, words in _LISTS.items()}
