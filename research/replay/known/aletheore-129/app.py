"""Takes webhooks of a code host and says how scans went; settings come from the environment and mounted files."""

import functools
import hashlib
import hmac
import os
from pathlib import Path

from fastapi import Depends, FastAPI, Request
from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

FIXED = os.environ.get("FIXED") == "1"
FOLDER = Path(os.environ["FOLDER"])
(FOLDER / "key.pem").write_text("-----BEGIN PRIVATE KEY-----\n" + "MIIEvQ" * 270 + "\n-----END PRIVATE KEY-----\n")
(FOLDER / ".env").write_text(
    "".join(f"SCAN_LIMIT_{n}={n}\n" for n in range(12)) + "SCAN_PADDLE_TOKEN=test_0123456789\n"
)


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_file=FOLDER / ".env", env_prefix="SCAN_", extra="ignore")

    app_id: int = 4711
    key_file: Path = FOLDER / "key.pem"
    private_key: str = ""
    webhook_secret: str = "secret"
    paddle_sandbox: bool = True
    paddle_token: str = ""
    workers: int = Field(default=4, ge=1, le=64)
    database_url: str = "postgresql://scan@db/scan"
    frontend: str = "https://app.example.org"

    @field_validator("paddle_token")
    @classmethod
    def token_fits_mode(cls, token, info):
        if info.data["paddle_sandbox"] != token.startswith("test_"):
            raise ValueError("token and mode differ")
        return token

    def model_post_init(self, _context):
        self.private_key = self.key_file.read_text()


def read_settings():
    return Settings()  # CAUSE


get_settings = functools.cache(read_settings) if FIXED else read_settings
app = FastAPI()
SCANS = {n: {"id": n, "state": "done", "findings": n % 4} for n in range(50)}


@app.get("/scans/{scan}")
def scan(scan: int, settings: Settings = Depends(get_settings)):
    return SCANS[scan] | {"link": f"{settings.frontend}/scans/{scan}"}


@app.post("/webhooks")
async def webhook(request: Request):
    body = await request.body()
    digest = hmac.new(get_settings().webhook_secret.encode(), body, hashlib.sha256).hexdigest()
    return {"signed": hmac.compare_digest(digest, request.headers.get("x-signature", ""))}
