"""Verb forms of English, Spanish and Portuguese: from a form to its lemma, tense and readable third person."""
