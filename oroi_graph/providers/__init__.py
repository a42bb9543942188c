"""Embedders and extractors behind two small protocols, and scripted fakes of each for users' tests."""
