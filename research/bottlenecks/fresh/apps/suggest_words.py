"""The vocabulary: made of syllables here, from a file in production."""

from itertools import product

ONSETS = ("ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo", "wu")
MIDDLES = ("lan", "ren", "sit", "ton", "vus", "wam", "xel", "zin", "bor", "cam", "dal", "fos", "gil", "hup")
ENDS = ("der", "dok", "fer", "gat", "ham", "jes", "kin", "lop", "mur", "nit", "pra", "qua", "sol", "tev")

WORDS = ["".join(parts) for parts in product(ONSETS, MIDDLES, ENDS)]
