"""The chain of entries.

`hashing` says what each hash covers, `signing` makes keys and signatures, `checkpoints` signs the state of a chain,
`verify` finds what was changed, `erasure` takes a value away and leaves a chain that verifies.
"""
