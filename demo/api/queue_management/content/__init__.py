"""Content of a repository, found the way a package server does and given as a redirect."""

from flask import Flask, current_app

from ..config import Config
from ..redis_client import connect_redis
from .cache import NoCache, RedisCache


def init_app(app: Flask, config: Config) -> None:
    """Give the application its cache: Redis, or none."""
    url = config.CONTENT_CACHE_URL
    app.extensions["content_cache"] = RedisCache(connect_redis(url)) if url else NoCache()


def get_content_cache() -> RedisCache | NoCache:
    """The cache of the running application."""
    return current_app.extensions["content_cache"]
