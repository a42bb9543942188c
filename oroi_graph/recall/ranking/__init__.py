"""The order of the candidate records, and how likely each of them helps.

`features` says what a record's words, neighbours, speaker and time say for it, `ranker` orders the records by them in
two stages, and `relevance` turns the features of the best ones into probabilities. `answer_types` says whether a record
tells the name, number, time or place that is asked for, `succession` what its neighbours in the conversation say for
it. What is worked out from a record's text for all of them is kept (`kept_texts`).
"""
