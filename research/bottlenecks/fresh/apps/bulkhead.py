"""Limits how many calls of a coroutine function run at the same time."""

import asyncio
import functools


def bulkhead(limit: int):
    permits = asyncio.Semaphore(limit)

    def decorate(function):
        @functools.wraps(function)
        async def wrapper(*args, **kwargs):
            async with permits:
                return await function(*args, **kwargs)

        return wrapper

    return decorate
