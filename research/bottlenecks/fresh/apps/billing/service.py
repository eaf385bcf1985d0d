import asyncio
import os

from .gateway import PaymentGateway


class BillingService:
    def __init__(self, gateway: PaymentGateway):
        self.gateway = gateway

    async def is_paid(self, payment: str) -> bool:
        if os.environ.get("FIXED"):
            status = await asyncio.to_thread(self.gateway.status, payment)
        else:
            status = self.gateway.status(payment)
        return status["ok"]
