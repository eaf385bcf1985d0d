"""Access control: who may call a route, decided by the bearer token of the request."""

from functools import wraps

from flask import current_app, g, request

from .config import Config
from .tokens import InvalidToken, create_validator


class TokenGuard:
    """Validates tokens the way that the configuration says."""

    def __init__(self, validator):
        self._validator = validator

    @classmethod
    def from_config(cls, config: Config) -> "TokenGuard":
        return cls(create_validator(config))

    def validate(self, token: str | None) -> dict:
        """Return the claims of a valid token; raises InvalidToken for any other."""
        if not token:
            raise InvalidToken("no token was sent")
        return self._validator.validate(token)


def get_token_guard() -> TokenGuard:
    """The guard of the running application."""
    return current_app.extensions["token_guard"]


def requires_auth(view):
    """Let only requests with a valid bearer token through to the view."""

    @wraps(view)
    def decorated(*args, **kwargs):
        g.claims = get_token_guard().validate(_bearer_token())
        return view(*args, **kwargs)

    return decorated


def _bearer_token() -> str | None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None
