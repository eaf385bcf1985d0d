"""The same bookshop in Django REST framework; marks as in flask_sqlalchemy.py."""
import os

import httpx
from django_models import Author, Book  # first: it configures Django

from django.core.wsgi import get_wsgi_application
from django.db import connections, transaction
from django.urls import path
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.response import Response

import clock

clock.watch_django()


class BookSerializer(serializers.ModelSerializer):
    author = serializers.SerializerMethodField()

    class Meta:
        model, fields = Book, ["title", "author"]

    def get_author(self, book):
        return book.author.name  # q:books 20 author


@api_view()
def books(request):
    return Response(BookSerializer(Book.objects.order_by("id")[:20], many=True).data)  # q:books 1 book


@api_view()
def none(request):
    return Response({"books": 0})


@api_view()
def one(request):
    return Response({"title": Book.objects.get(id=7).title})  # q:one 1 book


@api_view()
def again(request):
    return Response({"counts": [Book.objects.filter(price=3).count() for _ in range(5)]})  # q:again 5 book


@api_view()
def slow(request):
    with connections["default"].cursor() as cursor:
        return Response(cursor.execute("SELECT pg_sleep(0.2)").rowcount)  # q:slow 1 pg_sleep


@api_view()
def pool(request):
    with connections["small"].cursor() as cursor:
        return Response(cursor.execute("SELECT pg_sleep(0.12)").rowcount)  # q:pool 1 pg_sleep


@api_view()
def open_transaction(request):
    with transaction.atomic():
        name = Author.objects.get(id=3).name  # q:open 1 author
        return Response({"name": name, "status": httpx.get(os.environ["OTHER"]).status_code})  # q:open 1 http


@api_view()
def many(request):
    rows = list(Book.objects.values_list("price", "id"))  # q:many 1 book
    return Response({"cheapest": sorted(rows)[0][1]})


VIEWS = {"books": books, "none": none, "one": one, "again": again, "slow": slow, "pool": pool, "open": open_transaction, "many": many}
urlpatterns = [path(name, view) for name, view in VIEWS.items()]
app = get_wsgi_application()
