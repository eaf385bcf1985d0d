"""Features of entities for a model that predicts: a store returns protobuf, clients get JSON."""

import os

from fastapi import FastAPI
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.json_format import MessageToDict
from pydantic import BaseModel
from starlette.responses import JSONResponse

FIXED = os.environ.get("FIXED") == "1"
Field = descriptor_pb2.FieldDescriptorProto


def define():
    """Messages `Value`, `Vector` and `Features`, without a compiler of protobuf."""
    file = descriptor_pb2.FileDescriptorProto(name="features.proto", package="store", syntax="proto3")
    for message, fields in {
        "Value": [("number", Field.TYPE_DOUBLE, 0), ("count", Field.TYPE_INT64, 0), ("text", Field.TYPE_STRING, 0)],
        "Vector": [("values", "Value", 1), ("statuses", Field.TYPE_INT32, 1), ("at", Field.TYPE_INT64, 1)],
        "Features": [("names", Field.TYPE_STRING, 1), ("results", "Vector", 1)],
    }.items():
        made = file.message_type.add(name=message)
        if message == "Value":
            made.oneof_decl.add(name="kind")
        for number, (name, kind, repeated) in enumerate(fields, 1):
            field = made.field.add(name=name, number=number, label=[1, 3][repeated])
            if isinstance(kind, str):
                field.type, field.type_name = Field.TYPE_MESSAGE, f".store.{kind}"
            else:
                field.type = kind
            if message == "Value":
                field.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found = [pool.FindMessageTypeByName(f"store.{name}") for name in ["Vector", "Features"]]
    return map(message_factory.GetMessageClass, found)


Vector, Features = define()
app = FastAPI()


class Asked(BaseModel):
    features: list[str]


# What the store holds, as bytes: a vector of values for each feature.
STORED = {}
for place, feature in enumerate(["trips", "rating", "city", "km", "fares", "zone"]):
    stored = Vector(statuses=[1] * 60, at=[1_700_000_000] * 60)
    for entity in range(60):
        stored.values.add(**[{"number": entity / 7}, {"count": entity}, {"text": f"group {entity % 5}"}][place % 3])
    STORED[feature] = stored.SerializeToString()


def read_store(names):
    features = Features(names=names)
    for name in names:
        features.results.add().ParseFromString(STORED[name])
    return features


def to_dict(features):
    if not FIXED:
        return MessageToDict(features, preserving_proto_field_name=True)  # CAUSE
    results = []
    for vector in features.results:
        kinds = [(value, value.WhichOneof("kind")) for value in vector.values]
        values = [{kind: str(value.count) if kind == "count" else getattr(value, kind)} for value, kind in kinds]
        results.append({"values": values, "statuses": list(vector.statuses), "at": [str(at) for at in vector.at]})
    return {"names": list(features.names), "results": results}


@app.post("/get-online-features")
def online_features(asked: Asked):
    return JSONResponse(to_dict(read_store(asked.features)))
