// No statement seeks associations by date or by slot any more: questions about a time and new facts find them in the
// working set. Each write of an association kept both indexes up to date.
DROP INDEX association_when IF EXISTS;
DROP INDEX association_slot IF EXISTS;
