from functools import lru_cache
from typing import Annotated

from fastapi import APIRouter, Depends

from .gateway import PaymentGateway
from .service import BillingService

router = APIRouter()


@lru_cache
def get_service() -> BillingService:
    return BillingService(PaymentGateway())


Service = Annotated[BillingService, Depends(get_service)]


@router.get("/payments/{payment}")
async def payment_status(payment: str, service: Service):
    return {"payment": payment, "paid": await service.is_paid(payment)}
