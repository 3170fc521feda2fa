"""Where is it kept? Table, cells, the WARC archive, pages."""
