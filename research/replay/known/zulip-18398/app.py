"""A chat: a message goes to all subscribers of a stream, of whom most have been idle for long."""

import json
import os

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import path

FIXED = os.environ.get("FIXED") == "1"
settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="x")
django.setup()

SUBSCRIBERS = list(range(8000))
IDLE = {user for user in SUBSCRIBERS if user % 20}
NAMES = {user: f"user {user}" for user in SUBSCRIBERS}
READ, MENTIONED, ALERTED = 1, 2, 4


class UserMessage:
    """That a user got a message, and what it is to this user."""

    def __init__(self, user, message, flags):
        self.user = user
        self.message = message
        self.flags = flags

    def __repr__(self):
        return f"<{self.user} {self.flags}>"


def flags_of(user, message):
    flags = READ if user == message["sender"] else 0
    if NAMES[user] in message["mentions"]:
        flags |= MENTIONED
    if any(word in message["content"] for word in message["alerts"].get(user, ())):
        flags |= ALERTED
    return flags


def create_user_messages(message):
    rows = []
    if FIXED:
        senders, mentioned, alerts = message["sender"], set(message["mentions"]), message["alerts"]
        for user in SUBSCRIBERS:
            if user in IDLE and user != senders and user not in alerts and NAMES[user] not in mentioned:
                continue
            rows.append(UserMessage(user, message["id"], flags_of(user, message)))
        return rows
    for user in SUBSCRIBERS:
        rows.append(UserMessage(user, message["id"], flags_of(user, message)))  # CAUSE
    return [row for row in rows if row.flags or row.user not in IDLE]  # CAUSE


def send(request):
    asked = json.loads(request.body)
    message = {"id": 7, "sender": 3, "content": asked["content"], "mentions": asked["mentions"], "alerts": {5: ["lunch"]}}
    rows = create_user_messages(message)
    return JsonResponse({"id": message["id"], "got": len(rows)})


def subscribers(_request):
    return JsonResponse({"subscribers": len(SUBSCRIBERS)})


urlpatterns = [path("messages", send), path("subscribers", subscribers)]
app = get_wsgi_application()
