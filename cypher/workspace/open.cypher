// A memory's workspace as the graph knows it, made if there is none. No row if the memory takes no writes now.
// $token: any text; $shelf: of the index, if there is none yet; $model: of its vectors; $print: all that it is made with.
MATCH (m:Memory {name: $memory})
SET m.lock = $token
WITH m WHERE m.deleting IS NULL AND m.reembedding IS NULL AND m.importing IS NULL
MERGE (w:Workspace {memory: $memory})
SET w.model = CASE WHEN w.shelf IS NULL THEN $model ELSE w.model END,
    w.shelf = coalesce(w.shelf, $shelf), w.print = coalesce(w.print, $print), w.former = coalesce(w.former, [])
RETURN w.folder AS folder, w.config AS config, w.shelf AS shelf, w.model AS model, w.print AS print, w.building AS building,
       w.building_print AS building_print, w.former AS former, w.synced_at AS synced_at, w.failure AS failure, w.fell AS fell
