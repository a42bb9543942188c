// Whether an import is still the one that $token names.
RETURN EXISTS { MATCH (:Memory {name: $memory, importing: $token}) } AS ours
