"""What can go wrong when a token is judged."""


class InvalidToken(Exception):
    """The token is missing, malformed, expired or not meant for this API."""


class ProviderUnavailable(Exception):
    """The identity provider could not be asked."""
