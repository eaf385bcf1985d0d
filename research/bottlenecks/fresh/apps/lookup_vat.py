"""VAT numbers of a few countries."""

import re

PATTERNS = {
    "NL": re.compile(r"NL\d{9}B\d{2}"),
    "DE": re.compile(r"DE\d{9}"),
    "BE": re.compile(r"BE0\d{9}"),
}


class InvalidVat(ValueError):
    pass


def normalize(raw):
    vat = re.sub(r"[\s.-]", "", raw).upper()
    pattern = PATTERNS.get(vat[:2])
    if pattern is None or not pattern.fullmatch(vat):
        raise InvalidVat(raw)
    return vat
