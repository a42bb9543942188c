"""Search by words beside a working set: an inverted index of a table's texts, with the scores of BM25.

`inverted_index` keeps which text holds which word; `search` asks it, for the words of a question and for words that a
label shares, begins with or nearly spells. Both know texts by their place in a table only.
"""
