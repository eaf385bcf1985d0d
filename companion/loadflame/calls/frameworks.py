"""What frames of frameworks and ORMs show: the relation that is loaded, or the code for which they work."""

import functools
import inspect
import re

from ..frames import MAX_ROUTES
from ..routes import MAX_NAME


def relation_of_loader(loader):
    """Name the relation, or the deferred column, that SQLAlchemy loads."""
    return "%s.%s" % (loader.parent.class_.__name__, loader.key)


def relation_of_descriptor(descriptor):
    """Name the relation of Django that an attribute of an object loads."""
    field = getattr(descriptor, "field", None)
    return name_reverse(descriptor.related) if field is None else "%s.%s" % (field.model.__name__, field.name)


def name_reverse(related):
    """Name a relation of Django by the model that has no column for it."""
    return "%s.%s" % (related.model.__name__, related.get_accessor_name())


def relation_of_queryset(queryset):
    """Name the relation of Django that a manager of an object loads."""
    for field in queryset._known_related_objects:
        return name_reverse(field.remote_field)
    owner = type(queryset._hints["instance"])
    joined = {one.table_name for one in queryset.query.alias_map.values()}
    [many] = [one for one in owner._meta.get_fields() if one.many_to_many and table_between(one) in joined]
    return "%s.%s" % (owner.__name__, many.name if hasattr(many, "attname") else many.get_accessor_name())


def table_between(many):
    """Return the table that holds the pairs of a many-to-many relation, from either side."""
    return (getattr(many, "through", None) or many.remote_field.through)._meta.db_table


def read_relation(telling):
    """Name the relation that frames load, the innermost first; None: none of them loads one."""
    if any([read is None for read, _ in telling]):
        return None
    for read, frame in telling:
        try:
            return read(frame.f_locals["self"])[:MAX_NAME]
        except Exception:
            pass  # not by this relation, or a version that keeps it elsewhere
    return None


def place_of_class(frame):
    """Return the place of a class of the app that leaves the work to its base: it has no line that asks for anything."""
    return find_class(type(frame.f_locals["self"]))


@functools.lru_cache(maxsize=MAX_ROUTES)
def find_class(owner):
    """Return the file and name of a class, without a line; None: it has no source, as a class that a decorator makes.

    To find that out parses the whole module, which must not happen for each statement.
    """
    try:
        return inspect.getsourcelines(owner) and (inspect.getsourcefile(owner), None, owner.__qualname__)
    except (OSError, TypeError):
        return None


def place_of_endpoint(frame):
    """Return the place of FastAPI's endpoint, whose response is made."""
    return find_function(frame.f_locals["dependant"].call)


def place_of_view(frame):
    """Return the place of Django's view, whose response may be rendered after it returned."""
    view = frame.f_locals["callback"]
    owner = getattr(view, "view_class", None) or getattr(view, "cls", None)  # Django's, REST framework's
    return owner and find_class(owner) or find_function(view)


def find_function(function):
    """Return the file, line and name of a function below its decorators."""
    code = inspect.unwrap(function).__code__
    return code.co_filename, code.co_firstlineno, getattr(code, "co_qualname", code.co_name)


QUERYSET = dict.fromkeys(("_fetch_all", "count", "exists", "aggregate", "iterator"), relation_of_queryset)
# what functions in files of libraries show: a place for which they work, or a relation (None: it is loaded for many)
TELLING = (
    ("/sqlalchemy/orm/strategies.py", False, dict.fromkeys(("_emit_lazyload", "_load_for_state"), relation_of_loader)),
    ("/django/db/models/query_utils.py", False, {"__get__": relation_of_descriptor}),
    ("/django/db/models/fields/related_descriptors.py", False, {"__get__": relation_of_descriptor}),
    ("/django/db/models/query.py", False, dict(QUERYSET, prefetch_related_objects=None)),
    ("/rest_framework/serializers.py", True, {"to_representation": place_of_class}),
    ("/fastapi/routing.py", True, {"app": place_of_endpoint}),
    ("/django/core/handlers/base.py", True, dict.fromkeys(("_get_response", "_get_response_async"), place_of_view)),
)
VIEWS = (place_of_endpoint, place_of_view)  # around them is only middleware
PACKAGE = re.compile(r"[/\\](?:site|dist)-packages[/\\](\w+)")
# servers, frameworks, ORMs, drivers and what watches them: no package of these is an application
NO_APP = frozenset(
    "gunicorn uvicorn hypercorn granian waitress cheroot werkzeug gevent eventlet greenlet anyio asgiref a2wsgi "
    "django rest_framework ninja flask fastapi starlette aiohttp tornado falcon sanic litestar quart bottle pyramid "
    "jinja2 click pydantic marshmallow graphene graphql strawberry celery rq socketio engineio flask_socketio "
    "sqlalchemy flask_sqlalchemy sqlmodel peewee pony tortoise databases ormar alembic "
    "psycopg psycopg2 psycopg_pool asyncpg aiosqlite aiomysql pymysql MySQLdb mysql pg8000 pymssql pyodbc oracledb "
    "redis pymongo motor mongoengine requests urllib3 httpx httpcore botocore "
    "sentry_sdk opentelemetry ddtrace newrelic elasticapm wrapt whitenoise debug_toolbar psycogreen".split()
)
