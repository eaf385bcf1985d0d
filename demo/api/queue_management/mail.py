"""Confirmations by e-mail."""

import smtplib
from email.message import EmailMessage

_SENDER = "appointments@example.org"
_RECIPIENT = "citizen@example.org"
_TIMEOUT_S = 10


def send_email(server: str) -> None:
    """Write a confirmation and hand it to a mail server, over a connection of its own."""
    message = EmailMessage()
    message["From"] = _SENDER
    message["To"] = _RECIPIENT
    message["Subject"] = "Your appointment"
    message.set_content("We are looking forward to your visit.")
    host, _, port = server.rpartition(":")
    # Without a name of ours it would ask the name server for one, for each e-mail.
    with smtplib.SMTP(host, int(port), local_hostname="localhost", timeout=_TIMEOUT_S) as smtp:
        smtp.send_message(message)
