"""Names of routes: exactly those that loadflame gives to the requests that it sends.

See lib/base/config/endpoint-names.js; test/companion/route-names.json tests both.
"""

import functools
import re

MAX_NAME = 200
# methods with a name of their own past that number; a client can make up any number of others
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

ID = re.compile(
    r"""(?!0\Z)\d+\Z                                       # a number; no counter begins at 0
    |[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z  # a UUID
    |(?=[^0-9]*[0-9])[0-9a-fA-F]{16,}\Z                      # a hash
    |(?=(?:.*[0-9]){2})(?=.*[A-Za-z])[A-Za-z0-9_-]{24,}\Z    # a token
    |eyJ[A-Za-z0-9_-]{5,}[A-Za-z0-9_.-]*\Z                   # a JSON Web Token
    |[^@]+(?:@|%40).+\Z|(?:\+|%2[Bb])[0-9]{6,}\Z             # an email address, a phone number
    """,
    re.ASCII | re.VERBOSE,
)
API_VERSION = re.compile(r"(?:api|rest|v|version)/\d\Z", re.IGNORECASE | re.ASCII)
# after these words, shorter segments are tokens, too
BEFORE_TOKEN = re.compile(
    "(?:(?:reset[-_]?|set[-_]?|change[-_]?|forgot[-_]?)?passwords?|(?:password[-_]?)?reset"
    "|(?:verify|confirm|activate)(?:[-_]?(?:account|email))?|verification|confirmation|activation|invites?"
    "|invitations?|unsubscribe|unlock|recover|recovery|magic|magic[-_]?link|tokens?)\\Z",
    re.IGNORECASE | re.ASCII,
)
TOKEN = re.compile(r"(?=.*[0-9])[A-Za-z0-9_.~-]{8,}\Z|[A-Za-z0-9_.~-]{20,}\Z", re.ASCII)
# parameters of a route: "<int:id>", "{name}", "{rest:path}", "*rest"; of a regular expression, its groups
PARAMETER = re.compile(r"<(?:(\w+)[^<>:]*:)?[^<>]*>|\{[^{}:]*(?::((?:[^{}]|\{[^{}]*\})*))?\}|(\*)\w*\Z")
GROUP = re.compile(r"\((?:\?P<\w+>|\?:)?([^()]*)\)[*+?]*")
# of a regular expression: a negated class, and a character that stands for itself, or for others
NO_TEXT = re.compile(r"\[\^[^\]]*\]|\\.")
MAX_TEMPLATE = 1000
# what a browser encodes in a path
ENCODED = re.compile(r'[\x00-\x20"<>^`{}\x7f-\xff]')


def name_route(method, target):
    """Name the endpoint of a request line, ids folded: "GET", "/users/7/?a=b" -> "GET /users/:id/"."""
    path = target.partition("?")[0].partition("#")[0]
    if not path.startswith("/"):  # "http://host/path", or "*"
        path = "/" + path.partition("://")[2].partition("/")[2]
    path = ENCODED.sub(lambda match: "%%%02X" % ord(match[0]), path.replace("\\", "/"))
    parts = path.split("/")
    if "/." in path or "/%2" in path:
        parts = remove_dots(parts)
    folded = [
        # short words are most of them, and no ids
        part if not part or len(part) < 20 and part.isalpha() and not part.startswith("eyJ") else fold_id(before, part)
        for before, part in zip([""] + parts, parts)
    ]
    return "%s %s" % (method, "/".join(folded)[:MAX_NAME])


def fold_id(before, part):
    """Return ":id" for a segment that is one, by itself or after such a segment; others as they are."""
    is_id = BEFORE_TOKEN.match(before) and TOKEN.match(part) or ID.match(part)
    return ":id" if is_id and not API_VERSION.match(before + "/" + part) else part


@functools.lru_cache(maxsize=500)
def name_template(template):
    """Name the path of a route that a framework found, its parameters as ids: "/posts/<slug>" -> "/posts/:id".

    A parameter that may hold several segments is "*".
    """
    path, groups = template[:MAX_TEMPLATE], 1
    if "^" in path or path.endswith(("$", "\\Z")) or "(?P<" in path:
        path = NO_TEXT.sub(lambda one: "\x00" if one[0] == "\\." else one[0][1:2].strip("^wdsZ"), path)
        while groups:  # the innermost first
            path, groups = GROUP.subn(lambda one: name_parameter(one[1]).replace("*", "\x01"), path)
        path = re.sub(r"[\^$?+]", "", path).replace("\x00", ".").replace("\x01", "*")
    path = PARAMETER.sub(lambda one: "*" if one[3] else name_parameter(one[1] or one[2] or ""), path)
    path = ENCODED.sub(lambda match: "%%%02X" % ord(match[0]), path.encode("utf-8", "replace").decode("latin-1"))
    return ("/" + path.lstrip("/"))[:MAX_NAME]


def name_parameter(kind):
    """Name a parameter by its converter, or its regular expression: whether it may hold a slash."""
    return "*" if kind == "path" or not {".", "/", "\x01"}.isdisjoint(NO_TEXT.sub("", kind)) else ":id"


def remove_dots(parts):
    """Resolve "." and ".." as in the address of a page, where "%2e" is a dot."""
    kept = []
    for index, part in enumerate(parts):
        plain = part.lower().replace("%2e", ".")
        if plain not in (".", ".."):
            kept.append(part)
            continue
        if plain == ".." and len(kept) > 1:
            kept.pop()
        if index == len(parts) - 1:
            kept.append("")
    return kept
