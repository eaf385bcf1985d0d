"""Repayment plans of loans, exact to the cent."""
import os
from decimal import ROUND_HALF_EVEN, Decimal
from functools import lru_cache

from flask import Flask, jsonify, request

CENT = Decimal("0.01")
MONTHS = 360

app = Flask(__name__)


def monthly_rate(principal: Decimal, yearly_percent: Decimal) -> Decimal:
    monthly = yearly_percent / 1200
    growth = (1 + monthly) ** MONTHS
    return (principal * monthly * growth / (growth - 1)).quantize(CENT, ROUND_HALF_EVEN)


def plan(principal: Decimal, yearly_percent: Decimal) -> list[dict[str, str]]:
    rate = monthly_rate(principal, yearly_percent)
    debt, rows = principal, []
    for month in range(1, MONTHS + 1):
        interest = (debt * yearly_percent / 1200).quantize(CENT, ROUND_HALF_EVEN)
        debt += interest - rate
        rows.append({"month": f"{month}", "interest": f"{interest:,.2f}", "debt": f"{debt:,.2f}"})
    return rows


def summarize(principal: Decimal, yearly_percent: Decimal) -> dict[str, str]:
    variants = [plan(principal, yearly_percent + Decimal(step) / 8) for step in range(8)]
    return {row[-1]["debt"]: row[0]["interest"] for row in variants}


if os.environ.get("FIXED"):
    summarize = lru_cache(maxsize=1024)(summarize)


@app.get("/loans/plan")
def repayment_plan():
    principal = Decimal(request.args.get("principal", "180000"))
    percent = Decimal(request.args.get("percent", "3.75"))
    return jsonify(principal=str(principal), variants=summarize(principal, percent))
