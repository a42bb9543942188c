"""The chain of entries: what each hash and signature covers, checkpoints, verification, erasure."""
