"""Settings, read from the environment."""

import os
import re
from dataclasses import dataclass

AUTH_MODES = ("introspect", "decode", "cached")
TASK_HANDOUTS = ("queue", "manager", "locks")
_PROVIDER = ("OIDC_ISSUER", "OIDC_CLIENT_SECRET")


class ConfigError(ValueError):
    """A setting is missing or malformed."""


@dataclass(frozen=True)
class Config:
    """What the application needs to know about its surroundings."""

    AUTH_MODE: str
    DATABASE_URL: str
    DATABASE_POOL_SIZE: int
    SLOW_QUERY_MS: int
    CONTENT_CACHE_URL: str
    CONTENT_ORIGINS: tuple[str, ...]
    TASK_QUEUE_URL: str
    TASK_HANDOUT: str
    TASK_WORKERS: int
    SMTP_SERVER: str
    OIDC_ISSUER: str
    OIDC_AUDIENCE: str
    OIDC_CLIENT_ID: str
    OIDC_CLIENT_SECRET: str

    @classmethod
    def from_env(cls) -> "Config":
        """Read and check all settings; raises ConfigError naming the one that is wrong."""
        # a study without tokens needs no identity provider, but half of one is a mistake
        has_provider = any(os.environ.get(name) for name in _PROVIDER)
        issuer, secret = (_required(name) if has_provider else "" for name in _PROVIDER)
        return cls(
            AUTH_MODE=_one_of("DEMO_AUTH", AUTH_MODES, "cached"),
            DATABASE_URL=database_url(),
            DATABASE_POOL_SIZE=_number("DATABASE_POOL_SIZE", _number("GUNICORN_THREADS", 32)),
            SLOW_QUERY_MS=_number("DEMO_SLOW_QUERY_MS", 0, least=0),
            CONTENT_CACHE_URL=os.environ.get("CONTENT_CACHE_URL", ""),
            CONTENT_ORIGINS=_list("CONTENT_ORIGINS"),
            TASK_QUEUE_URL=os.environ.get("TASK_QUEUE_URL", ""),
            TASK_HANDOUT=_one_of("TASK_HANDOUT", TASK_HANDOUTS, "queue"),
            TASK_WORKERS=_number("TASK_WORKERS", 1),
            SMTP_SERVER=_address("SMTP_SERVER"),
            OIDC_ISSUER=issuer.rstrip("/"),
            OIDC_AUDIENCE=os.environ.get("OIDC_AUDIENCE", "urn:demo:queue-management-api"),
            OIDC_CLIENT_ID=os.environ.get("OIDC_CLIENT_ID", "queue-management-api"),
            OIDC_CLIENT_SECRET=secret,
        )


def database_url() -> str:
    """Where the data lives; a SQLite file in the working directory by default."""
    return os.environ.get("DATABASE_URL") or "sqlite:///queue-management.sqlite"


def _required(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        raise ConfigError(f"{name} is not set")
    return value


def _one_of(name: str, allowed: tuple[str, ...], default: str) -> str:
    value = os.environ.get(name) or default
    if value not in allowed:
        raise ConfigError(f"{name}={value} is unknown; allowed are {', '.join(allowed)}")
    return value


def _address(name: str) -> str:
    value = os.environ.get(name, "")
    if value and not re.fullmatch(r"[^\s:/]+:\d{1,5}", value):
        raise ConfigError(f"{name}={value} is no host:port")
    return value


def _list(name: str) -> tuple[str, ...]:
    return tuple(item.strip() for item in os.environ.get(name, "").split(",") if item.strip())


def _number(name: str, default: int, least: int = 1) -> int:
    value = os.environ.get(name) or str(default)
    if not value.isdecimal() or int(value) < least:
        raise ConfigError(f"{name}={value} is no whole number of at least {least}")
    return int(value)
