"""The evaluation that anyone can rerun (`oroi evaluate`): data sets, baselines, scores, statistics, reports.

`datasets` reads a file into cases with questions. `baselines` builds one memory a case, by the same code as the
product, and asks every condition (none, hybrid, hybrid-z, facts, rerank, pagerank, oroi) for a context and a ranking.
`scoring` scores each answer, `statistics` gives intervals and tests, `results` is the JSON and `report` the text for
people. `judging` lets a model answer from the contexts and grades its answers; every call is recorded and can be
replayed. `run` does all of it in order; `errors` has what it may find wrong with itself. `dates` measures how times of
questions are read, `windows` how dialogues are found by time and theme.

Nothing is imported here, because every part loads the whole product. Import from the modules: `run.evaluate`,
`results.Results`, `report.tables`, `report.Failures`.
"""
