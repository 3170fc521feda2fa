"""What do texts with markup say? Markdown, LaTeX, RTF, wikis, manuals."""
