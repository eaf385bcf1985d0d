"""A feature server that checks a token before it looks up features."""

import os

import jwt
from fastapi import Depends, FastAPI, Header, HTTPException

KEYS_URL = os.environ["OTHER"] + "/keys"
FEATURES = {f"driver:{number}": {"trips": number % 37, "rating": 3 + number % 3} for number in range(500)}
KEEP_CLIENT = os.environ.get("FIXED") == "1"


class TokenParser:
    """Verifies tokens with the keys of the identity provider."""

    def __init__(self):
        self.client = jwt.PyJWKClient(KEYS_URL)

    def find_key(self, token):
        if KEEP_CLIENT:
            return self.client.get_signing_key_from_jwt(token).key
        client = jwt.PyJWKClient(KEYS_URL)  # CAUSE
        return client.get_signing_key_from_jwt(token).key  # CAUSE

    def parse(self, token):
        return jwt.decode(token, self.find_key(token), algorithms=["HS256"], audience="features")


parser = TokenParser()
app = FastAPI()


def current_user(authorization: str = Header()):
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() != "bearer":
        raise HTTPException(401)
    return parser.parse(token)["sub"]


@app.get("/features")
def get_features(user: str = Depends(current_user)):
    names = sorted(FEATURES)[:40]
    return {"user": user, "features": {name: FEATURES[name] for name in names}}
