"""The conditions that are compared: the product and the baselines, over one memory built once."""
