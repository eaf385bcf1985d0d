import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    tax_office: str = os.environ["OTHER"]
    threads: int = 40 if os.environ.get("FIXED") else 4


settings = Settings()
