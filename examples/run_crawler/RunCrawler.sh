#!/bin/sh
# RunCrawler.sh SeedUrl Numpages: crawls into the current directory; see README.txt.
exec python3 "$(dirname -- "$0")/run_crawler.py" "$@"
