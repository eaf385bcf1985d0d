import urllib3
from fastapi import APIRouter, HTTPException
from pydantic import BaseModel

from .settings import settings

router = APIRouter(prefix="/invoices", tags=["invoices"])
http = urllib3.PoolManager(maxsize=64)


class Invoice(BaseModel):
    number: str
    accepted: bool
    code: int


def ask_tax_office(number: str) -> dict:
    answer = http.request("GET", settings.tax_office, fields={"number": number})
    if answer.status != 200:
        raise HTTPException(502, "the tax office did not answer")
    return answer.json()


@router.get("/{number}")
def read_invoice(number: str) -> Invoice:
    status = ask_tax_office(number)
    return Invoice(number=number, accepted=status["ok"], code=status["value"])
