"""Files of an organization, with addresses at an object store."""

import os

import boto3
from botocore import UNSIGNED
from botocore.config import Config
from fastapi import FastAPI

FIXED = os.environ.get("FIXED") == "1"
# Nothing is asked of the store: addresses are made here.
STORE = {"endpoint_url": "http://127.0.0.1:9", "region_name": "us-east-2"}
KEYS = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}

app = FastAPI()


def make_client(config):
    return boto3.client("s3", **STORE, **KEYS, config=config)


SIGNED = make_client(Config(signature_version="s3v4"))
PUBLIC = make_client(Config(signature_version=UNSIGNED))


class Files:
    def __init__(self, bucket):
        self.bucket = bucket

    def upload_url(self, key):
        return SIGNED.generate_presigned_url("put_object", Params={"Bucket": self.bucket, "Key": key}, ExpiresIn=600)

    def public_url(self, key):
        client = PUBLIC if FIXED else make_client(Config(signature_version=UNSIGNED))  # CAUSE
        return client.generate_presigned_url("get_object", Params={"Bucket": self.bucket, "Key": key}, ExpiresIn=0)


@app.get("/v1/organizations/{organization}/files")
def files(organization: int):
    store = Files("public-files")
    names = [f"{organization}/avatar.png", f"{organization}/cover.png"]
    return {"items": [{"name": name, "public_url": store.public_url(name)} for name in names]}


@app.post("/v1/files")
def create(name: str):
    return {"name": name, "upload_url": Files("uploads").upload_url(name)}
