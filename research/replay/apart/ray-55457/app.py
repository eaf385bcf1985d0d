"""A model behind FastAPI: each route gets the replica's instance as a dependency."""

import os

from fastapi import APIRouter, Depends, FastAPI

FIXED = os.environ.get("FIXED") == "1"


class Servable:
    def __init__(self):
        self.weights = {"bias": 0.5, "slope": 1.25}

    def predict(self, value):
        return self.weights["bias"] + self.weights["slope"] * value


INSTANCE = Servable()

if FIXED:

    async def current_instance():
        return INSTANCE

else:

    def current_instance():  # CAUSE
        return INSTANCE  # CAUSE


router = APIRouter()


@router.get("/predict")
async def predict(value: float, servable: Servable = Depends(current_instance)):  # CAUSE
    return {"value": value, "prediction": servable.predict(value)}


@router.get("/weights")
async def weights(servable: Servable = Depends(current_instance)):  # CAUSE
    return servable.weights


app = FastAPI()
app.include_router(router)
