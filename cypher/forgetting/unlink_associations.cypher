// Drop every reference to associations that go: from the records that state them, from what they superseded (which
// stays superseded: nothing comes back because something else was forgotten), from merges. $gone: ids.
CALL () {
  MATCH (r:Record)
  WHERE r.memory = $memory AND any(id IN r.associations + coalesce(r.gist_facts, []) WHERE id IN $gone)
  SET r.associations = [id IN r.associations WHERE NOT id IN $gone],
      r.gist_facts = [id IN r.gist_facts WHERE NOT id IN $gone]
  RETURN count(r) AS records
}
CALL () {
  MATCH (c:Concept)-[a:ASSOCIATED]->()
  WHERE c.memory = $memory AND a.superseded_by IN $gone
  OPTIONAL MATCH (c)-[b:ASSOCIATED]->()
  WHERE b.id = a.superseded_by
  WITH a, head(collect(b.superseded_by)) AS later
  SET a.superseded_by = CASE WHEN later IN $gone THEN null ELSE later END
  RETURN count(a) AS superseded
}
CALL () {
  MATCH (c:Merged)-[w:WAS_ASSOCIATED]-()
  WHERE c.memory = $memory AND (w.id IN $gone OR w.host IN $gone)
  WITH DISTINCT w
  DELETE w
  RETURN count(*) AS shadows
}
CALL () {
  MATCH (c:Merged)-[w:WAS_ASSOCIATED]-()
  WHERE c.memory = $memory AND (w.superseded_by IN $gone OR any(id IN coalesce(w.superseding, []) WHERE id IN $gone))
  SET w.superseded_by = CASE WHEN w.superseded_by IN $gone THEN null ELSE w.superseded_by END,
      w.superseding = [id IN w.superseding WHERE NOT id IN $gone]
  RETURN count(w) AS kept
}
CALL () {
  MATCH (c:Merged)<-[w:WAS_MENTIONED]-()
  WHERE c.memory = $memory AND any(id IN coalesce(w.associations, []) WHERE id IN $gone)
  SET w.associations = [id IN w.associations WHERE NOT id IN $gone]
  RETURN count(w) AS mentions
}
CALL () {
  MATCH (c:Merged)-[l:MERGED_INTO]->()
  WHERE c.memory = $memory AND any(id IN coalesce(l.touched, []) WHERE id IN $gone)
  SET l.touched = [id IN l.touched WHERE NOT id IN $gone]
  RETURN count(l) AS merges
}
RETURN records, superseded, shadows, kept, mentions, merges
