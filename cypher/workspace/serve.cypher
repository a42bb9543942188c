// Let the index that was built answer from now on. $shelf: its; $properties: of the workspace. No row if it is another.
MATCH (w:Workspace {memory: $memory, building: $shelf})
SET w.former = w.former + w.shelf, w.shelf = $shelf, w.print = w.building_print,
    w.building = null, w.building_print = null
SET w += $properties
RETURN w.shelf AS shelf
