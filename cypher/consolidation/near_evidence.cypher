// What speaks against some pairs being one. $pairs: [{a, b}] of concept ids; one row a pair that still exists.
// $single: classes of relations that have one value at a time; $maybe_same: the class of the links between names.
//   cosine      of their vectors; null where one has none
//   apart       a judge or a person said so
//   together    one record mentions both, under different words
//   associated  a relation between them was stated
//   differing   both have a current value for a relation that has one, not the same
//   denied      a fact of the one is negated for the other
//   replaced    a correction put the one in the other's place
UNWIND $pairs AS pair
MATCH (a:Concept {memory: $memory, id: pair.a}), (b:Concept {memory: $memory, id: pair.b})
RETURN pair.a AS a, pair.b AS b,
  CASE WHEN a.embedding IS NULL OR b.embedding IS NULL THEN null
       ELSE 2 * vector.similarity.cosine(a.embedding, b.embedding) - 1 END AS cosine,
  EXISTS { MATCH (a)-[k:COMPARED]-(b) WHERE k.verdict = 'apart' } AS apart,
  EXISTS {
    MATCH (a)<-[s:MENTIONS]-(r)-[t:MENTIONS]->(b) WHERE toLower(s.surface) <> toLower(t.surface)
  } AS together,
  EXISTS { MATCH (a)-[x:ASSOCIATED]-(b) WHERE x.class <> $maybe_same } AS associated,
  EXISTS {
    MATCH (a)-[x:ASSOCIATED]->(t), (b)-[y:ASSOCIATED]->(u)
    WHERE x.class = y.class AND (x.class IN $single OR x.class STARTS WITH 'favourite ')
      AND x.superseded_turn IS NULL AND y.superseded_turn IS NULL
      AND NOT coalesce(x.negated, false) AND NOT coalesce(y.negated, false) AND t <> u
  } AS differing,
  EXISTS {
    MATCH (a)-[x:ASSOCIATED]-(t)-[y:ASSOCIATED]-(b)
    WHERE x.class = y.class AND x.superseded_turn IS NULL AND y.superseded_turn IS NULL
      AND coalesce(x.negated, false) <> coalesce(y.negated, false)
      AND (startNode(x) = a) = (startNode(y) = b)
  } AS denied,
  EXISTS {
    MATCH (a)<-[x:ASSOCIATED]-(s)-[y:ASSOCIATED]->(b) WHERE x.superseded_by = y.id OR y.superseded_by = x.id
  } AS replaced
