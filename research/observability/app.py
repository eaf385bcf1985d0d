"""A light endpoint. With OTHER, Sentry and OpenTelemetry trace each request, and send what they record there."""

import os
import urllib.request

from flask import Flask, jsonify

OTHER = os.environ.get("OTHER")
app = Flask(__name__)
ITEMS = {n: {"id": n, "name": f"item {n}", "price": n / 3} for n in range(100)}


@app.get("/items/<int:item>")
def show(item):
    return jsonify(ITEMS[item])


def trace():
    import sentry_sdk
    from opentelemetry import trace as traces
    from opentelemetry.instrumentation.flask import FlaskInstrumentor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

    class Exporter(SpanExporter):
        def export(self, spans):
            body = "\n".join(span.to_json(indent=None) for span in spans).encode()
            urllib.request.urlopen(f"{OTHER}/spans", body).read()
            return SpanExportResult.SUCCESS

    sentry_sdk.init(dsn=OTHER.replace("//", "//key@") + "/1", traces_sample_rate=1.0)
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(Exporter()))
    traces.set_tracer_provider(provider)
    FlaskInstrumentor().instrument_app(app)


if OTHER:
    trace()
