from fastapi import APIRouter, HTTPException
from pydantic import BaseModel

from .models import SessionLocal, load_employee

router = APIRouter(prefix="/employees")


class Slip(BaseModel):
    name: str
    gross: int
    net: int


@router.get("/{employee_id}/slip", response_model=Slip)
def slip(employee_id: int):
    with SessionLocal() as session:
        employee = load_employee(session, employee_id)
        if employee is None:
            raise HTTPException(404)
        return Slip(name=employee.name, gross=employee.salary, net=employee.salary * 7 // 10)
