"""The route of a request, as its framework found it."""

import functools

from ..arrivals import call_back, put_around
from ..requests import CALLER, SHARED


# by module: the class whose method finds routes, and how to read one, below the path where the app is mounted
ROUTERS = {
    "werkzeug.routing.map": ("MapAdapter", "match", lambda self, _, at: self.script_name.rstrip("/") + at[0].rule),
    "django.core.handlers.base": ("BaseHandler", "resolve_request", lambda _, of, at: of[0].META["SCRIPT_NAME"] + "/" + at.route),
    "falcon.app": ("App", "_get_responder", lambda _, of, at: of[0].root_path + at[3]),
    "pyramid.urldispatch": ("RoutesMapper", "__call__", lambda _, of, at: of[0].script_name + at["route"].pattern),
}


def follow_router(kind, name, read, module):
    """Name requests by the routes that a method finds."""

    def follow_find(find):
        def find_followed(self, *args, **options):
            found, caller = find(self, *args, **options), CALLER.get()
            if caller is not None:
                caller.frames.take(caller, read, self, args, found)
            return found

        return find_followed

    put_around(getattr(module, kind, None), name, follow_find)


def follow_routers():
    """Follow the routers that are loaded already, and others when they are loaded."""
    call_back({name: functools.partial(follow_router, *router) for name, router in ROUTERS.items()}, SHARED)


def read_scope(scope, path):
    """Return the route that an ASGI framework left in the scope of a request; None: it has found none.

    Of an unknown one, the values of its parameters are replaced in the path.
    """
    route, values = scope.get("route"), scope.get("path_params") or {}
    prefix = scope.get("root_path", "")[len(scope.get("app_root_path", "")) :]
    if "path_template" in scope:  # Litestar; values of several segments begin with a slash
        template = scope["path_template"]
        for name in [name for name, value in values.items() if str(value).startswith("/")]:
            template = template.replace("{%s}" % name, "{%s:path}" % name)
        return template
    if route is not None:
        own = scope.get("fastapi", {}).get("effective_route_context") or route
        return prefix + (own.path if hasattr(own, "endpoint") else "/*")  # a mounted app without routes
    rest = path.partition("?")[0] + "/"
    for value in values.values():
        value = str(value).strip("/")
        rest = rest.replace("/%s/" % value, "/*/" if "/" in value else "/{}/", 1) if value else rest
    return rest[:-1] if values else None
