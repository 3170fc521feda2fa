"""Which role do the elements of known XML vocabularies play? DocBook, TEI, JATS (NLM), DITA.

Each is told by its root element. What describes the document (authors, dates, licences) is left out
of its text: it goes into the page's fields.
"""

from shoal.converters.data.xml_prose import Role, Vocabulary
from shoal.converters.xml import Element, attribute, local

_BOLD_WORDS = ("bold", "strong")


def _roles(**names: str) -> dict[str, Role]:
    return {name: Role[role] for role, listed in names.items() for name in listed.split()}


def _looks_bold(element: Element) -> bool:
    names = ("role", "rend", "rendition")
    look = " ".join(attribute(element, name) for name in names).lower()
    return any(word in look for word in _BOLD_WORDS)


def _is_numbered(element: Element) -> bool:
    kind = (
        attribute(element, "list-type") or attribute(element, "type") or attribute(element, "rend")
    )
    return kind.lower().startswith(("order", "number", "alpha", "roman"))


_DOCBOOK = Vocabulary(
    _roles(
        SECTION="""set book part chapter article section sect1 sect2 sect3 sect4 sect5 appendix
        preface refentry refsect1 refsect2 refsect3 refsection simplesect glossary
        bibliography topic colophon dedication acknowledgements""",
        TITLE="title refname",
        BLOCK="""para simpara formalpara subtitle info articleinfo bookinfo chapterinfo
        sectioninfo refnamediv refpurpose variablelist varlistentry glosslist glossentry
        abstract note warning tip important caution example informalexample figure
        informalfigure mediaobject textobject procedure sidebar qandaset qandaentry
        question answer legalnotice bridgehead biblioentry bibliomixed refsynopsisdiv
        cmdsynopsis highlights epigraph""",
        LIST="itemizedlist simplelist calloutlist",
        NUMBERED="orderedlist procedure",
        ITEM="listitem step member callout",
        TABLE="table informaltable",
        ROW="row tr",
        CELL="entry td th",
        PRE="programlisting screen literallayout synopsis",
        QUOTE="blockquote",
        NOTE="footnote annotation remark",
        TERM="term glossterm",
        DEFINITION="glossdef",
        CAPTION="caption",
        SKIP="""indexterm index toc author authorgroup editor othercredit copyright date pubdate
        edition keywordset subjectset revhistory refmeta imageobject videoobject
        releaseinfo productname publisher isbn issn biblioid titleabbrev confgroup org
        cover""",
    ),
    ("href", "url"),
    _looks_bold,
)
_TEI = Vocabulary(
    _roles(
        SECTION="div div1 div2 div3 div4 div5 div6 div7",
        TITLE="head",
        BLOCK="""text front body back group titlePage docTitle titlePart docAuthor p ab lg l sp
        speaker stage opener closer salute signed dateline byline trailer argument
        epigraph TEI TEI.2 teiCorpus""",
        LIST="list listBibl listPerson listPlace",
        ITEM="item bibl biblStruct person place",
        TABLE="table",
        ROW="row",
        CELL="cell",
        QUOTE="quote cit",
        NOTE="note",
        TERM="label",
        CAPTION="figDesc",
        PRE="eg egXML",
        SPACE="lb pb cb",
        SKIP="teiHeader facsimile sourceDoc fw abbr sic orig",
    ),
    ("target",),
    _looks_bold,
    _is_numbered,
)
_JATS = Vocabulary(
    _roles(
        SECTION="""article sec abstract trans-abstract ack app ref-list glossary notes boxed-text
        book book-part""",
        TITLE="article-title title",
        BLOCK="""front article-meta title-group subtitle body back p app-group fn-group ref
        mixed- citation element-citation nlm-citation citation def-list def-item disp-
        formula book- meta sub-article response verse-group verse-line speech statement
        supplementary- material kwd-group kwd""",
        LIST="list",
        ITEM="list-item",
        TABLE="table-wrap table",
        ROW="tr row",
        CELL="td th entry",
        QUOTE="disp-quote",
        NOTE="fn",
        TERM="term",
        DEFINITION="def",
        CAPTION="fig caption alt-text",
        PRE="code preformat",
        BOLD="bold",
        SPACE="break surname given-names year source volume fpage lpage name string-name",
        SKIP="""journal-meta contrib-group aff author-notes pub-date history permissions
        article-id article-categories counts custom-meta-group self-uri tex-math
        related-article issue elocation-id funding-group graphic object-id processing-
        meta label""",
    ),
    ("href",),
    is_numbered=_is_numbered,
)
_DITA = Vocabulary(
    _roles(
        SECTION="topic concept task reference glossentry dita section example bookmap map",
        TITLE="title glossterm booktitle mainbooktitle",
        BLOCK="""shortdesc abstract p body conbody taskbody refbody prereq context result postreq
        steps-informal info cmd stepresult stepxmp note lq fig dl dlentry refsyn
        properties topicref chapter topicmeta navtitle glossdef bodydiv sectiondiv
        substeps choices choice""",
        LIST="ul sl steps-unordered choices",
        NUMBERED="ol steps substeps",
        ITEM="li sli step substep choice",
        TABLE="table simpletable properties choicetable",
        ROW="row strow sthead property prophead chrow",
        CELL="entry stentry proptype propvalue propdesc choption chdesc",
        PRE="codeblock pre screen msgblock lines",
        QUOTE="lq",
        NOTE="fn draft-comment",
        TERM="dt",
        DEFINITION="dd",
        CAPTION="desc alt",
        BOLD="b",
        SKIP="prolog related-links indexterm titlealts",
    ),
    ("href",),
)
_BY_ROOT = {
    **dict.fromkeys(("TEI", "TEI.2", "teiCorpus"), _TEI),
    **dict.fromkeys(("topic", "concept", "task", "dita", "bookmap", "map", "glossentry"), _DITA),
    **dict.fromkeys(("book", "chapter", "section", "refentry", "set", "part"), _DOCBOOK),
    "sect1": _DOCBOOK,
}
_ARTICLE_PARTS = ("front", "article-meta", "journal-meta", "sec")


def vocabulary_of(root: Element) -> Vocabulary | None:
    name = local(root)
    if name in ("article", "book"):  # DocBook's and JATS's roots share the name
        is_jats = any(True for _ in root.iter(*(f"{{*}}{part}" for part in _ARTICLE_PARTS)))
        return _JATS if is_jats else _DOCBOOK
    if name == "reference":
        return _DITA if any(local(child) == "refbody" for child in root) else None
    found = _BY_ROOT.get(name)
    if found is _DITA and not any(local(child) == "title" for child in root.iter()):
        return None
    if found is _DOCBOOK and not any(local(child) in ("para", "simpara") for child in root.iter()):
        return None
    return found
