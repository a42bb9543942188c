"""The evaluation that anyone can rerun (`oroi evaluate`): data sets, baselines, statistics, results.

scenarios · locomo · musique     readers: a file → cases with questions
world                            one memory for each case, built by the product's own path, read by every condition
conditions                       none, hybrid, hybrid-z, facts, rerank, pagerank, oroi: question → context, ranking
scoring · statistics             what an answer is worth, and how sure that is
results · tables · failures      JSON for machines, tables for people, a report of what went wrong
models · recording               who extracts, answers and judges; every call recorded, replayed
answering · expected · answered  a model's answers, what is right, what they are worth
run                              all of it in order
"""
