"""The remedy that switches off what observes the app, to measure what it costs."""

import contextlib
import os

from .remedy import Remedy

# documented switches of agents, read when they are loaded
SWITCHES = {
    "opentelemetry.trace": ("OTEL_SDK_DISABLED", "true"),
    "ddtrace": ("DD_TRACE_ENABLED", "false"),
    "newrelic": ("NEW_RELIC_ENABLED", "false"),
    "elasticapm": ("ELASTIC_APM_ENABLED", "false"),
    "scout_apm": ("SCOUT_MONITOR", "false"),
}


class Observability(Remedy):
    """Sets the switch of each agent, and leaves Sentry out, which starts only where an app calls it."""

    cause = "observability-off"
    places = dict({name: "of_agent" for name in SWITCHES}, sentry_sdk="of_sentry")

    def start(self):
        """Set the switches before an agent reads them."""
        os.environ.update(SWITCHES.values())
        super().start()

    def of_agent(self, module):
        """Count an agent that is loaded with its switch set."""
        self.replaced.append("%s with %s=%s" % ((module.__name__,) + SWITCHES[module.__name__]))
        self.act()

    def of_sentry(self, sentry_sdk):
        """Leave out its start."""

        def init(*args, **options):
            self.act()
            return contextlib.nullcontext()

        self.replace(sentry_sdk, "init", init)
