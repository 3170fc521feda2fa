"""What can be said of a compound file whose text we cannot read? Its properties, and what is in it.

For Microsoft Project (.mpp) and the many other programs that keep their data in such a file: title
and author stand there in the same way for all, and so do embedded files.
"""

from shoal.converters.context import Context, Converted
from shoal.converters.ole.ole import Compound
from shoal.converters.ole.properties import objects, properties
from shoal.converters.writer import Writer


def convert(body: bytes, context: Context) -> list[Converted]:
    compound = Compound(body, context.limits)
    about = properties(compound)
    writer = Writer(context.limits)
    for text in (about.title, about.subject, about.comments):
        writer.paragraph(text)
    page = writer.page(about.title)
    about.fill(page)
    encrypted = "encrypted" if "EncryptedPackage" in compound else ""
    documents = [Converted(page, problem=encrypted or compound.problem)]
    for each in objects(compound):
        documents += context.inside(each.data, each.name)
    return documents
