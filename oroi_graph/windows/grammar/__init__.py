"""The grammar of times: words → terminals (`tokens`, `lexicon`) → parts (`chart`) → windows.

The rules are data (`lexicons/‹language›.toml`). Their actions (`calendar_times`, `relative`, `ago`, `ranges`) make two
kinds of values: times that come again (`recurring`, `holidays`) and settled ones (`meaning`). `expressions` puts it
together: the time expressions of a question, in order.
"""
