"""A fake of a cloud API, whose responses are XML made of templates."""

import os

from flask import Flask, Response
from jinja2 import DictLoader, Environment

INSTANCES = [
    {"id": f"i-{number:08x}", "type": "m1.small", "state": "running", "tags": {"Name": f"host {number}"}}
    for number in range(25)
]
TEMPLATES = {
    "DescribeInstances": """<DescribeInstancesResponse><reservationSet>
{% for instance in instances %}<item><instanceId>{{ instance.id }}</instanceId>
<instanceType>{{ instance.type }}</instanceType><state>{{ instance.state }}</state>
<tagSet>{% for key, value in instance.tags.items() %}<item><key>{{ key }}</key><value>{{ value }}</value></item>
{% endfor %}</tagSet>{% if instance.state == 'running' %}<dns>{{ instance.id }}.internal</dns>{% endif %}</item>
{% endfor %}</reservationSet></DescribeInstancesResponse>""",
    "DescribeTags": """<DescribeTagsResponse><tagSet>
{% for instance in instances %}{% for key, value in instance.tags.items() %}
<item><resourceId>{{ instance.id }}</resourceId><key>{{ key }}</key><value>{{ value }}</value></item>
{% endfor %}{% endfor %}</tagSet></DescribeTagsResponse>""",
}
KEPT = Environment(loader=DictLoader(TEMPLATES), autoescape=True) if os.environ.get("FIXED") == "1" else None
app = Flask(__name__)


class ApiResponse:
    """One action of the API."""

    def __init__(self, action):
        self.action = action

    def find_template(self):
        if KEPT:
            return KEPT.get_template(self.action)
        environment = Environment(loader=DictLoader(TEMPLATES), autoescape=True)  # CAUSE
        return environment.get_template(self.action)  # CAUSE

    def render(self, **values):
        return Response(self.find_template().render(**values), mimetype="text/xml")


@app.get("/<action>")
def call(action):
    return ApiResponse(action).render(instances=INSTANCES)
