"""Where does this room keep what it knows? In one family of the table, each kind behind its name.

    body text              exact.py       the first page of each body, and of each text
    mark near              near.py        shingles → groups, and the groups
    kin member             groups.py      pages → groups, and the pages of each
    lesson form            lessons.py     what URLs of a site have taught
    mirror mirrors         mirrors.py     sites that say the same
    far-…                  shard.py        the same as mark, near, kin and member for pages of other
                           sent_sketches.py        tablets; what was said of one's own to them
                           across.py
    gram grams             inverted.py    fingerprints → documents
    as its tables say      permuted.py    simhashes, in as many orders as are needed

A NUL follows the name, so no kind is the beginning of another.
"""

FAMILY = "print"
