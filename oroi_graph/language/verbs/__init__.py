"""Verb forms of English, Spanish and Portuguese: from a form to its lemma, tense and readable third person.

`forms` is the door and asks the tables of `english` or the conjugation of `romance`; `verb_form` is what they answer.
"""
