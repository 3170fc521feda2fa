"""What of tantivy is used? The names that this room takes, in the one place that imports it.

tantivy keeps immutable segments and one file that names them, which is replaced at once: a kill at
any moment leaves the commit before. It panics on a few odd arguments (a phrase of one word, a limit
of 0) instead of raising, so whoever calls it looks first; `PanicException` is no `Exception`.
"""

from tantivy import DocAddress as DocAddress
from tantivy import Document as Document
from tantivy import FieldType as FieldType
from tantivy import Filter as Filter
from tantivy import Index as Index
from tantivy import IndexWriter as NativeWriter
from tantivy import Occur as Occur
from tantivy import Query as NativeQuery
from tantivy import Schema as Schema
from tantivy import SchemaBuilder as SchemaBuilder
from tantivy import Searcher as Searcher
from tantivy import SearchResult as SearchResult
from tantivy import TextAnalyzer as TextAnalyzer
from tantivy import TextAnalyzerBuilder as TextAnalyzerBuilder
from tantivy import Tokenizer as Tokenizer

__all__ = ["NativeQuery", "NativeWriter"]
