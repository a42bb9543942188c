// Add to what models cost this memory. $calls, $input_tokens, $output_tokens: answers and tokens; $cost: US dollars.
MATCH (m:Memory {name: $memory})
SET m.model_calls = coalesce(m.model_calls, 0) + $calls,
    m.model_input_tokens = coalesce(m.model_input_tokens, 0) + $input_tokens,
    m.model_output_tokens = coalesce(m.model_output_tokens, 0) + $output_tokens,
    m.model_cost = coalesce(m.model_cost, 0.0) + $cost
