"""A chat with an assistant: a model finds the intent, sums up the talk so far, and answers."""

import asyncio
import contextlib
import os

import httpx
from fastapi import FastAPI
from pydantic import BaseModel

FIXED = os.environ.get("FIXED") == "1"


class Message(BaseModel):
    text: str
    history: list[str] = []


@contextlib.asynccontextmanager
async def lifespan(app):
    async with httpx.AsyncClient(base_url=os.environ["OTHER"]) as client:
        app.state.model = client
        yield


app = FastAPI(lifespan=lifespan)


async def ask(task, text):
    response = await app.state.model.post(f"/{task}", json={"text": text})
    return response.json()["text"]


async def recognize_intent(message):
    return await ask("intent", message.text)


async def generate_context(message):
    return await ask("context", "\n".join([*message.history, message.text]))


async def respond(message):
    return await ask("answer", message.text)


@app.post("/chat")
async def chat(message: Message):
    if FIXED:
        calls = generate_context(message), recognize_intent(message), respond(message)
        context, intent, text = await asyncio.gather(*calls)
    else:
        context = await generate_context(message)  # CAUSE
        intent = await recognize_intent(message)  # CAUSE
        text = await respond(message)  # CAUSE
    return {"context": context, "intent": intent, "text": text}


@app.get("/health")
async def health():
    return {"status": "ok"}
