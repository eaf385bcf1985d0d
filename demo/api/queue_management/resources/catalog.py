"""Work that computes: a catalog that is compiled from a template for each request."""

from hashlib import sha256

from flask import Blueprint, Response, render_template_string, request

from .whole_number import parse_whole_number

blueprint = Blueprint("catalog", __name__)

_MOST_RESOURCES = 100_000
_CATALOG = """
{%- for n in numbers %}
{%- set mode = "0644" if n % 3 else "0755" %}
file { "/etc/app/{{ "%05d" % n }}.conf":
  ensure  => {{ "present" if n % 7 else "absent" }},
  mode    => "{{ mode }}",
  content => "{{ [n, n * 31, n * 997] | join(":") | e }}",
}
{%- endfor %}
"""


@blueprint.get("/catalog")
def compile_catalog():
    """A catalog of ``resources`` (100) files: what it costs is CPU, in proportion to them."""
    count = parse_whole_number("resources", request.args.get("resources", 100), 1, _MOST_RESOURCES)
    catalog = render_template_string(_CATALOG, numbers=range(count))
    return Response(sha256(catalog.encode()).hexdigest(), mimetype="text/plain")
