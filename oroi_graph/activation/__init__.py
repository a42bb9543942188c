"""Activation: what is lit, how it spreads and fades.

`kernel` is the dynamics on arrays, without a database or text. `surprise` says how little a turn fits what is lit.
`turn_end` closes a turn: decay, homeostasis, learning, the reply. Import these modules by name: the kernel loads numpy.
"""
