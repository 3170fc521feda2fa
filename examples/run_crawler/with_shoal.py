"""The same crawl in three lines of Shoal: `python with_shoal.py SeedUrl Numpages`.

It goes into the collection ./corpus (or SHOAL_DIR); run again, it goes on where it stopped.
"""

import sys

import shoal

seed, pages = sys.argv[1], int(sys.argv[2])
shoal.crawl(seed, max_pages=pages, max_depth=5, delay=1, settings={"crawl.rules": "wikipedia"})
print(*(page.url for page in shoal.open().pages()), sep="\n")
