import functools
import time


def retry(error, attempts, backoff):
    """Calls again after `backoff` seconds, twice as long each time."""

    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            for attempt in range(attempts):
                try:
                    return function(*args, **kwargs)
                except error:
                    if attempt == attempts - 1:
                        raise
                    time.sleep(backoff * 2**attempt)

        return wrapper

    return decorate
