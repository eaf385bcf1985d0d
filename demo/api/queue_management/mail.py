"""Confirmations by e-mail."""

import time
from email.message import EmailMessage

_SENDER = "appointments@example.org"
_RECIPIENT = "citizen@example.org"


def send_email(delay_ms: int) -> None:
    """Write a confirmation and send it to a mail server that takes so long, without our CPU."""
    message = EmailMessage()
    message["From"] = _SENDER
    message["To"] = _RECIPIENT
    message["Subject"] = "Your appointment"
    message.set_content("We are looking forward to your visit.")
    message.as_bytes()
    time.sleep(delay_ms / 1000)
