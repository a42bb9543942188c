// Write text that means nothing, so that transaction logs are rotated and freed blocks of the store are used again.
// $rows: how many nodes; $filler: the text of each.
UNWIND range(1, $rows) AS n
CREATE (:Filler {text: $filler + n})
RETURN count(*) AS written
