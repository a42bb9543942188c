"""The evaluation of time windows (`oroi evaluate windows`), after the protocol of Monteiro and Gomes Morais.

1,000 dialogues, each on a day of its own, are one memory; 51 questions name a dialogue's theme and its time, some of
them a wrong one. `dialogues` generates them, or re-dates the sessions of a LoCoMo file; `phrases` says times in three
languages; `themes` makes the text that stands for a dialogue's vector (all of it, or keywords by YAKE or RAKE);
`metrics` has f, g, ROUGE-L recall and BERTScore precision; `protocol` asks and scores; `report` is the JSON.
"""
