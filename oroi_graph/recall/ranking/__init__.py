"""The order of the candidate records, and how likely each of them helps.

`features` says what a record's words, neighbours, speaker and time say for it; `ranker` orders the records by them in
two stages. Then `relevance` gives the best ones a probability, with decision `trees`: by their features, by whether
they tell the name, number, time or place that is asked for (`answer_types`), by what their speakers stressed
(`stressed`), and by what they have in common and where they stand in the conversation (`links`); a small network that
reads the words of the best ones against the question's has its say, too (`attention`, of `layers`). What a later one
replaces passes its probability on (`supersession`). `essence` is what of a text was to be
remembered. `kept_texts` keeps what was worked out from a text, since many questions reach the same records.
"""
