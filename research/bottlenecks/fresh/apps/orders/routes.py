from typing import Annotated

from fastapi import APIRouter, Depends
from sqlalchemy.ext.asyncio import AsyncSession

from .db import get_session
from .repository import OrderRepository

router = APIRouter(prefix="/orders")


def get_repository(session: Annotated[AsyncSession, Depends(get_session)]) -> OrderRepository:
    return OrderRepository(session)


@router.get("/{order_id}")
async def read_order(order_id: int, orders: Annotated[OrderRepository, Depends(get_repository)]):
    return await orders.summary(order_id)
