"""Errors as JSON: always an object with a ``message``."""

from flask import Flask, jsonify
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError
from werkzeug.exceptions import HTTPException

from .tokens import InvalidToken, ProviderUnavailable


class NotFound(Exception):
    """Something that the request names does not exist."""


class BadRequest(Exception):
    """The request's body or query is malformed."""


class ScheduleConflict(Exception):
    """The office has no time for an appointment then."""


class NotConfigured(Exception):
    """The request needs a part of the installation that has no address in the settings."""


def init_app(app: Flask) -> None:
    """Register a handler for each kind of error."""
    app.register_error_handler(InvalidToken, _unauthorized)
    app.register_error_handler(ProviderUnavailable, _unavailable)
    app.register_error_handler(NotFound, lambda error: _answer(404, str(error)))
    app.register_error_handler(BadRequest, lambda error: _answer(400, str(error)))
    app.register_error_handler(ScheduleConflict, _conflict)
    app.register_error_handler(NotConfigured, _unavailable)
    app.register_error_handler(RedisConnectionError, _redis_unavailable)
    app.register_error_handler(RedisTimeoutError, _redis_unavailable)
    app.register_error_handler(HTTPException, lambda error: _answer(error.code, error.description))


def _unauthorized(error: InvalidToken):
    response = _answer(401, f"Unauthorized: {error}")
    response.headers["WWW-Authenticate"] = 'Bearer error="invalid_token"'
    return response


def _conflict(_error: ScheduleConflict):
    # to the letter as the public queue-management API says it, both spaces included
    message = "Cannot create appointment due to scheduling conflict.  Please pick another time."
    return jsonify(code="CONFLICT_APPOINTMENT", message=message), 400


def _unavailable(error: Exception):
    return _answer(503, str(error))


def _redis_unavailable(error: Exception):
    return _answer(503, f"Redis does not answer: {error}")


def _answer(status: int, message: str):
    response = jsonify(message=message)
    response.status_code = status
    return response
