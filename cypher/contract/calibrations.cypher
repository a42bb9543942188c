// The thresholds that processes found for embedding models that ship none. $model: a name. Rows of model, pairs (what they
// were found from), probe (the model's vector of a fixed text), languages, and equivalent and compatible of each of these.
MATCH (c:Calibration {model: $model})
RETURN c.model AS model, c.pairs AS pairs, c.probe AS probe, c.languages AS languages, c.equivalent AS equivalent,
       c.compatible AS compatible
