"""Which words say nothing of what a text is about? They are no features of a simhash.

The commonest function words of English, German, French and Spanish, as shingles.py cuts words: in
lower case, without apostrophes (`don't` is `don` and `t`). Short on purpose. A word that is common
in one language and means something in English (`war`, `son`, `plus`) is not in it, and neither are
the textbook's "both" and "around", which its example counts.
"""

_ENGLISH = """
a am an and any are aren as at be because been being but by can cannot could couldn d did didn do
does doesn doing don for from had hadn has hasn have haven having he her here hers him his how i if
in into is isn it its itself just ll m may me might mine more most must my no nor not of on or our
ours re s shall she should shouldn so some such t than that the their theirs them then there these
they this those to too us ve very was wasn we were weren what when where which while who whom whose
why will with won would wouldn you your yours
"""
_GERMAN = """
aber als am auch auf aus bei bin bis da das dass dem den der des die doch du durch ein eine einem
einen einer eines er es für haben hat hatte ich ihr im ist kann mich mir mit nach nicht noch nur
oder sein seine sich sie sind so um und uns unter vom von vor waren wenn werden wie wir wird wurde
zu zum zur über
"""
_FRENCH = """
au aux avec c ce cette ces comme d dans de des donc du elle elles en est et il ils j je l la le les
leur leurs lui mais n ne nous ont ou où par pas pour qu que qui sa ses sont sur un une vous à été
être
"""
_SPANISH = """
al como con cuando de del desde el ella ellos en entre era es esta este está fue ha han hay la las
le lo los más muy no o para pero por porque que se ser sobre su sus también un una unos y ya
"""

STOP_WORDS = frozenset(f"{_ENGLISH} {_GERMAN} {_FRENCH} {_SPANISH}".split())
