// The last turn that somebody said. $speaker: as the records have it. No row if they said nothing.
MATCH (r:Record {memory: $memory, role: 'user', speaker: $speaker})
RETURN r.turn AS turn, coalesce(r.forgot, false) AS forgot
ORDER BY turn DESC LIMIT 1
