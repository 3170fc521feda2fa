"""What do data files and source code say? Tables, JSON, calendars, subtitles."""
