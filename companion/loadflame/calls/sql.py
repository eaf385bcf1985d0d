"""Statements without their values."""

import functools
import re

LITERAL = r"""'[^'\\]*(?:(?:''|\\[^'])[^'\\]*)*'(?![\w'])"""  # a backslash before a quote leaves it in doubt
PLAIN_LITERAL = r"""'[^']*(?:''[^']*)*'(?![\w'])"""  # but not where it is a character as any other
SCANNER = r"""
    (?P<comment>COMMENT|/\*(?:(?!/\*|\*/).)*\*/)
    |(?P<value>(?<![\w$])(?:[eExXbBnNrR]|[uU]&|_\w+\s?|(?i:date|time|timestamp|interval))?LITERAL
        |(?<![\w$])\$(?P<tag>[^\W\d]\w*|)\$.*?\$(?P=tag)\$(?!\w)
        |%\([^)]*\)[sbt]|%[sbt](?!\w)|(?<![\w$])\$\w+(?![\w$])|(?<![:\w]):\w+|\?\d*
        |(?<![\w$])\d[\w.]*(?:(?<=[eE])[+-]\d+)?)
    |(?P<name>`(?:[^`]|``)*`NAME)
    |(?P<cut>(?:['"`]|/\*|\$\w*\$CUT).*)
"""
ANSI = ("postgresql", "sqlite", "oracle", "mssql")  # what is in double quotes is a name
PLAIN = ("sqlite", "oracle", "mssql")
BRACKETS = ("sqlite", "mssql")
PLAIN_NAME = re.compile(r'["`\[][^\W\d][\w$]{0,62}["`\]]\Z')
SQL_TOKEN = re.compile(r'"[^"]*"|`[^`]*`|\[[^\]\[]*\]|[\w$?]+|[<>=!]+|\S')
CLAUSES = frozenset("SELECT FROM WHERE SET INTO CONFLICT USING VALUES BY ON HAVING LIMIT RETURNING UNION INTERSECT EXCEPT ;".split())
NAME_AFTER = frozenset("FROM JOIN INTO UPDATE TABLE INDEX VIEW AS REFERENCES COLLATE WITH RECURSIVE".split())
CONDITION_AFTER = frozenset("WHERE AND OR ON NOT HAVING WHEN (".split())
COMPARE = frozenset("= == <> != < > <= >= IS NOT LIKE GLOB IN BETWEEN (".split())
END_OF_ITEM = frozenset(", ) ; FROM AS ASC DESC NULLS LIMIT HAVING ORDER".split() + [""])
DOUBT = re.compile(r"""['"`$\[#=<>(]|--|/\*|\b(?:WHERE|VALUES|SET|ON|HAVING)\b""", re.IGNORECASE)
TUPLE = r"\([^()]*(?:\([^()]*(?:\([^()]*\)[^()]*)*\)[^()]*)*\)"
ITEM = r"(?:[-+]?\?[^(),]*(?:\([^()]*\)[^(),]*)?|\([^()]*\)|NULL)"
# lists of any length are one statement; of a statement that is too long, the last one has no end
FOLDED = [
    (re.compile(pattern.replace("LIST", "%s(?: ?, ?%s)*" % (ITEM, ITEM)), re.IGNORECASE), by)
    for pattern, by in (
        (r"(\b(?:IN|ANY|ALL) ?\() ?LIST(?: ?\)|[^()]*\Z)", r"\1?)"),
        (r"(\bARRAY ?\[) ?LIST ?\]", r"\1?]"),
        (r"(\bVALUES ?%s)(?: ?, ?%s)+(?: ?, ?\([^)]*\Z)?" % (TUPLE, TUPLE), r"\1"),
        (r"^(PRAGMA (?:\w+\.)?\w+ ?\()[^()]*\)", r"\1?)"),  # the table is a value here
        (r"(\bWHEN [^?]{0,200}\?[^?]{0,50}\?)(?: \1)+", r"\1"),
    )
]
# a value that is one in any system, and what distinguishes statements without them, at a tenth of the cost: what is
# between values and, from the first place in doubt on, the rest
SURE = (
    r"(?:(?:(?<![\w$])(?:[eExXbBnN]?'[^'\\]*(?:(?:''|\\(?!'))[^'\\]*)*'(?![\w'])|\$\d+(?![\w$]))"
    r"|\d[\w.]*(?:(?<=[eE])[+-]\d+)?|\?\d*|%s(?!\w)|%\(\w+\)s|(?<![:\w]):\w+)(?!\$))"
)
SHAPE = re.compile(
    r"""(?<=\b[iI][nN]\ \()SURE(?:,\ ?SURE)*|SURE|(?<=\))(?:,\ ?\(SURE(?:,\ ?SURE)*\))+|/\*[^*/]*\*(?=/)
    |((?:[^\W\d][\w$]*(?![\w$'])|"[^"]*"|`[^`]*`|-(?!-)|/(?!\*)|,(?!\ ?\()|\[(?![^][]*')|[^\w'"`\\\#$?%:/,[-])+|[,:%]|.+)
    """.replace("SURE", SURE),
    re.VERBOSE | re.DOTALL,
)
NUMBER = re.compile(r"\d(?<![\w$]\d)\d*(?![\w$])")
# outside of strings and names, each may begin something in which a quote is no end of a string
OPENINGS = ("`", "[", "#", "$", "--", "/*")


def outline_of(raw):
    """Return a statement without its numbers and the text of its strings; None where a string may be something else.

    It costs a quarter of the shape. Statements with the same outline are the same without their values.
    """
    parts = raw.split("'")
    if len(parts) % 2 == 0 or "\\" in raw:
        return None
    outline, names = "'".join(parts[::2]), ()
    if '"' in outline:
        if any([part.count('"') % 2 for part in parts[::2]]):
            return None
        outline, *names = '"'.join(outline.split('"')[::2]), *outline.split('"')[1::2]
    if any([opening in outline for opening in OPENINGS]):
        return None
    return '"'.join([NUMBER.sub("0", outline), *names])


@functools.lru_cache(maxsize=None)
def scanner_of(system):
    """Make the scanner for a system's SQL; where systems differ, one that is unknown leaves it in doubt."""
    is_mysql, is_ansi, has_brackets = system in ("mysql", "mariadb"), system in ANSI, system in BRACKETS
    parts = {
        "COMMENT": r"--[^\n\r]*(?:\r?\n|\Z)" if is_ansi else r"--(?=\s|\Z)[^\n]*" + (r"|\#[^\n]*" if is_mysql else ""),
        "CUT": "" if is_mysql else r"|--" + (r"|\[" if has_brackets else "" if is_ansi else r"|\#"),
        "NAME": (r'|"(?:[^"]|"")*"' if is_ansi else "") + (r"|\[[^\]\[]*\]" if has_brackets else ""),
        "LITERAL": PLAIN_LITERAL if system in PLAIN else LITERAL if is_ansi else "(?:%s|%s)" % (LITERAL, LITERAL.replace("'", '"')),
    }
    pattern = re.sub("|".join(parts), lambda match: parts[match[0]], SCANNER)
    return re.compile(pattern, re.VERBOSE | re.DOTALL)


def normalise(raw, system):
    """Return a statement without values, comments and the length of its lists; where it is in doubt, its beginning."""
    kinds = set()

    def replace(match):
        kind = match.lastgroup
        kinds.add(kind)
        if kind == "name" and (system == "postgresql" or may_be_name(match)):
            return match[0]
        return " " if kind == "comment" else "?"

    text = scanner_of(system).sub(replace, raw)
    if "cut" in kinds:
        return (normalise(raw[: DOUBT.search(raw).start()], system) + " ...").strip()
    text = " ".join(text.split())
    if system != "postgresql":
        text = drop_quoted(text)
    for pattern, folded in FOLDED:
        text = pattern.sub(folded, text)
    return text


def may_be_name(match):
    """Return whether something in quotes may be a name."""
    text, (start, end) = match.string, match.span()
    is_part = text[start - 1 : start] == "." or text[end : end + 1] == "."
    return is_part or match[0][0] == "`" or PLAIN_NAME.match(match[0]) is not None


def drop_quoted(text):
    """Keep what is in double quotes only where a name is expected: SQLite takes one that it does not know for a value."""
    found = list(SQL_TOKEN.finditer(text))
    words, kept = [one[0].upper() for one in found] + [""] * 5, set()
    stack, clause, listed, is_between = [], "", [], False  # of these parentheses; items of a SELECT before its FROM
    for at, word in enumerate(words[: len(found)]):
        before, after = words[at - 1], words[at + 1]
        if word == "(":
            stack.append((clause, listed, is_between))
            is_of_names = clause in ("INTO", "CONFLICT", "USING")
            clause = "NAMES" if is_of_names else before if before in CONDITION_AFTER else ""
            listed, is_between = [], False
        elif word == ")" and stack:
            clause, listed, is_between = stack.pop()
        elif word in CLAUSES and before != ".":
            if word == "FROM" and before == "DISTINCT":  # IS DISTINCT FROM
                words[at] = "="
                continue
            kept.update(listed if word == "FROM" else ())
            clause, listed, is_between = word, [], False
        elif word == "BETWEEN":
            is_between = True
        elif word == "AND" and is_between:
            words[at], is_between = "BETWEEN", False
        elif word[0] != '"':
            continue
        elif "." in (before, after) or before in NAME_AFTER:
            kept.add(at)
        elif before in CONDITION_AFTER and after in COMPARE and clause not in ("NAMES", ""):
            value = at + 2
            while words[value] in COMPARE:
                value += 1
            if words[value][:1] in ("?", '"') or words[value] == "NULL":
                kept.add(at)
        elif before in (clause, ",", "(", "DISTINCT"):
            if clause == "SELECT" and after in END_OF_ITEM:
                listed.append(at)
            elif clause in ("NAMES", "FROM") or clause == "SET" and after == "=":
                kept.add(at)
            elif clause in ("BY", "RETURNING") and after in END_OF_ITEM:
                kept.add(at)
    made = [one[0] if at in kept or one[0][0] != '"' else "?" for at, one in enumerate(found)]
    gaps = [text[one.end() : after.start()] for one, after in zip(found, found[1:])] + [""]
    return "".join([part for pair in zip(made, gaps) for part in pair])
