"""Numbers from outside."""

from ..errors import BadRequest


def parse_whole_number(name: str, value: object, least: int, most: int) -> int:
    """A number, or the text of one, between two others; raises BadRequest."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise BadRequest(f"{name} is no whole number from {least} to {most}.")
    return value
