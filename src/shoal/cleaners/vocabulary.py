"""Which words do pages use to name the parts of themselves?

Names of classes and ids are English on most of the web, whatever language the text is in, and so
are ARIA roles. A name is taken apart at hyphens, underscores, digits and humps of camelCase. The
words were chosen by reading pages and kept where they removed far more noise than content of the
WCXB development set; headings that open what follows an article are in the web's larger languages.
"""

import re
from enum import IntEnum
from itertools import pairwise

from shoal.cleaners.tokens import attributes


class TagRole(IntEnum):
    """What a start tag says about its element."""

    PLAIN = 0
    MAIN = 1
    HIDDEN = 2
    NOISE = 3
    """It surrounds content."""
    WEAK = 4
    """It surrounds content unless there is prose in it."""
    TALK = 5
    """Readers' comments: content of a forum, not of an article."""
    PLEA = 6
    """It asks the reader for something before it lets him read."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NOISE_WORDS = _set(
    """
    adbox adslot adsense adunit advert advertisement advertising advertorial affiliate
    alertbar bottombar breadcrumb breadcrumbs captcha cart citetools colophon consent cookie cookies
    copyright crumb crumbs disclaimer disqus donate
    footer ftr flyout gdpr hamburger infobar langswitch lightbox masthead megamenu minicart modal
    mobilemenu nav navbar navi navigation navbox newsletter newsletters noprint
    offcanvas onetrust outbrain overlay pager paginator pagenav paywall permalink
    popover popup popups print privacy promo promos promotion promotions promoted prevnext
    readnext recirc recirculation recommended recommendation recommendations related relatedposts
    relatedarticles searchbox searchform share sharebar sharing sharedaddy shoutbox
    sidebar sidebars sidenav sidepanel signin signup sitemap skiplink skyscraper social socials
    sociable sponsor sponsored sponsors sponsorship subnav subscribe switcher
    taboola tagcloud toolbar toolbox tooltip topbar topnav trending
    toast upsell upnext whatsapp wishlist yarpp zergnet editsection catlinks
    """
)
_NOISE_PAIRS = _set(
    """
    more-articles more-stories more-posts more-news more-from more-like also-like most-read
    most-popular popular-posts popular-articles recent-posts latest-posts latest-news
    latest-articles read-next see-also post-nav post-navigation follow-us
    author-box author-bio about-author comment-form comment-respond reply-form back-top to-top
    site-header global-header main-header header-top top-header header-main
    header-wrapper site-info sign-up sign-in log-in jump-to jump-links table-contents
    recently-viewed viewed-products similar-products you-may may-like
    email-signup quick-links screen-reader visually-hidden sr-only post-footer entry-footer
    article-footer product-recommendations complementary-products country-selector
    currency-selector language-selector locale-selector skip-link skip-to search-form search-box
    search-bar ad-slot ad-container ad-unit ad-wrapper ad-banner ad-box google-ad
    """
)
_WEAK_WORDS = _set(
    """
    ad ads adv announcement bookmarks button buttons btn dropdown drawer languages legal login logo
    menu menus meta notification notifications pagination plugin rail recommend recs register search
    shares subscription subscriptions tags taglist teasers utility widget widgets hatnote foot
    byline author date timestamp rating ratings filter filters sort
    """
)
"""Names of noise where there is hardly any prose."""
_PLEAS = _set("cookie cookies consent gdpr onetrust paywall")
_FOLDED = _set(
    """
    accordion accordions tab tabs tabpanel panel pane collapse collapsible collapsed faq faqs answer
    toggle details slide spoiler expandable expander
    """
)
"""Names of what opens at a click, and is content for all that."""
_TALK_WORDS = _set(
    "comment comments commentlist discussion responses reply replies respond guestbook"
)
_SLUG_HYPHENS = 3
"""An id of more words is a heading's text (`sharing-with-a-friend`), made to be linked to."""
_NEGATED = re.compile(r"\b(?:has|no|with|without|is|not|js|show|hide|enable|disable|when|if)-\S*")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[a-z]+")
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)

_NOISE_ROLES = _set(
    """
    navigation banner contentinfo search complementary menu menubar menuitem toolbar dialog
    alertdialog tooltip listbox combobox switch
    """
)
_WEAK_ROLES = frozenset({"button", "tablist", "status", "alert", "form"})

LAST_HEADINGS = re.compile(
    r"""\W*(?:(?:you\s(?:may|might|could|will)\s(?:also\s)?(?:like|enjoy|be\sinterested)
    |(?:related|recommended|similar|more|other|popular|latest|recent|trending|featured|keep|further)
      \s(?:articles?|posts?|stor(?:y|ies)|news|content|reading|from|in|on|products?|items?|topics?
      |questions|videos?|links?|pages?|threads)
    |recommended\sfor\syou|people\salso|customers\s(?:also|who)|read\s(?:more|next|also)|see\salso
    |up\snext|more\slike\sthis|leave\sa\s(?:reply|comment)|share\sthis|about\sthe\sauthor
    |follow\sus|sign\sup|subscribe|newsletter|recently\sviewed|frequently\sbought|tags?:?$
    |comments?(?:\s\(?\d+\)?)?$|\d+\s(?:comments?|responses|thoughts)|post\snavigation|related$
    |(?:das\sk(?:ö|oe)nnte\s)|mehr\szum\sthema|(?:ä|ae)hnliche\s(?:artikel|beitr)|weitere\sartikel
    |lesen\ssie\sauch|kommentare?$|(?:à|a)\slire\saussi|articles?\s(?:similaires|li(?:é|e)s)
    |sur\sle\sm(?:ê|e)me|laisser\sun\scommentaire|commentaires?$|art(?:í|i)culos\srelacionados
    |tambi(?:é|e)n\ste|noticias\srelacionadas|comentarios?$|deja\s(?:un|una)
    |leia\s(?:tamb(?:é|e)m|mais)|veja\stamb|artigos\srelacionados|coment(?:á|a)rios?$
    |leggi\sanche|articoli\scorrelati|potrebbe\sinteressarti|commenti$|lees\sook|lees\smeer
    |gerelateerde|читайте\sтакже|похожие|комментарии|по\sтеме|zobacz\s(?:też|także)|czytaj\s
    |komentarze|関連記事|おすすめ|コメント|相关(?:文章|阅读|推荐)|推荐阅读|评论|관련\s?기사|댓글
    |ilgili\shaberler|yorumlar|مقالات\sذات|اقرأ\sأيضا|التعليقات|مطالب\sمرتبط))""",
    re.VERBOSE | re.IGNORECASE,
)
"""How a heading begins that ends an article."""

FORUM_MARKS = (
    "discussionforumposting",
    'content="discourse',
    'id="phpbb"',
    "vbulletin_",
    'id="xf"',
    "xenforo",
    'id="bbpress-forums"',
    "forums.front.topic",
)
"""What the lower-case source of a forum has: schema.org's type, or its software's own names."""


def tag_role(tag: str) -> TagRole:
    """What the attributes of a start tag, given as its source, say about the element."""
    found = attributes(tag)
    role = found.get("role", "").lower()
    identity = found.get("id", "")
    if identity.count("-") >= _SLUG_HYPHENS:
        identity = ""
    words = _words(f"{found.get('class', '')} {identity}")
    if words & _PLEAS:
        return TagRole.PLEA
    if (
        "hidden" in found
        or found.get("aria-hidden") == "true"
        or _INVISIBLE.search(found.get("style", ""))
    ):
        return TagRole.PLAIN if words & _FOLDED or role == "tabpanel" else TagRole.HIDDEN
    if role in _NOISE_ROLES or words & _NOISE_WORDS or words & _NOISE_PAIRS:
        return TagRole.NOISE
    if words & _TALK_WORDS:
        return TagRole.TALK
    if words & _WEAK_WORDS or role in _WEAK_ROLES:
        return TagRole.WEAK
    return TagRole.MAIN if role == "main" else TagRole.PLAIN


def _words(named: str) -> set[str]:
    """The words of classes and ids, and each two that follow each other in one name."""
    words: set[str] = set()
    for name in _NEGATED.sub(" ", _HUMP.sub("-", named).lower()).split():
        parts = _WORD.findall(name)
        words.update(parts)
        words.update(f"{one}-{next_}" for one, next_ in pairwise(parts))
    return words
