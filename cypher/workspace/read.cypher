// A memory's workspace as the graph knows it; no row if it has none.
MATCH (w:Workspace {memory: $memory})
RETURN w.folder AS folder, w.config AS config, w.shelf AS shelf, w.model AS model, w.print AS print, w.building AS building,
       w.building_print AS building_print, w.former AS former, w.synced_at AS synced_at, w.failure AS failure, w.fell AS fell, w.sessions AS sessions
