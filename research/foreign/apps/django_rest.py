"""A library in Django REST framework: generic views, nested serializers, hashing at the login, in one file."""
import os
import tempfile

import django
from django.conf import settings

settings.configure(
    SECRET_KEY="for tests only",
    ROOT_URLCONF="django_rest",
    ALLOWED_HOSTS=["*"],
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "rest_framework"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": os.path.join(tempfile.mkdtemp(), "library.sqlite"),
        }
    },
    PASSWORD_HASHERS=["django_rest.Hasher"],
    REST_FRAMEWORK={"DEFAULT_AUTHENTICATION_CLASSES": [], "UNAUTHENTICATED_USER": None},
)
django.setup()

from django.contrib.auth.hashers import PBKDF2PasswordHasher, check_password, make_password  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.urls import path  # noqa: E402
from rest_framework import generics, serializers, views  # noqa: E402
from rest_framework.response import Response  # noqa: E402

from clocks import view, watch, watch_wsgi  # noqa: E402


class Hasher(PBKDF2PasswordHasher):
    iterations = 20_000


class Author(models.Model):
    name = models.CharField(max_length=80)

    class Meta:
        app_label = "library"


class Book(models.Model):
    title = models.CharField(max_length=80)
    pages = models.IntegerField()
    author = models.ForeignKey(Author, on_delete=models.CASCADE)

    class Meta:
        app_label = "library"


class AuthorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Author
        fields = ["id", "name"]


class BookSerializer(serializers.ModelSerializer):
    author = AuthorSerializer()

    class Meta:
        model = Book
        fields = ["id", "title", "pages", "author"]


class Books(generics.ListAPIView):
    queryset = Book.objects.order_by("id")[:25]
    serializer_class = BookSerializer


class OneBook(generics.RetrieveAPIView):
    queryset = Book.objects.select_related("author")
    serializer_class = BookSerializer


class Authors(generics.ListAPIView):
    queryset = Author.objects.order_by("name")
    serializer_class = AuthorSerializer


class Login(views.APIView):
    @view("POST /login/")
    def post(self, request):
        return Response({"ok": check_password(request.data["password"], PASSWORD)})


class Statistics(views.APIView):
    @view("GET /statistics/")
    def get(self, request):
        return Response(count_words(Book.objects.values_list("title", flat=True)))


def count_words(titles):
    counts = {}
    for title in titles:
        for word in title.lower().split():
            counts[word] = counts.get(word, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1])[:10])


urlpatterns = [
    path("books/", Books.as_view()),
    path("books/<int:pk>/", OneBook.as_view()),
    path("authors/", Authors.as_view()),
    path("login/", Login.as_view()),
    path("statistics/", Statistics.as_view()),
]
PASSWORD = make_password("secret")
with connection.schema_editor() as editor:
    editor.create_model(Author)
    editor.create_model(Book)
Author.objects.bulk_create([Author(name=f"author {i}") for i in range(60)])
Book.objects.bulk_create(
    [Book(title=f"the {i} rivers of {i % 13} lands", pages=i, author_id=i % 60 + 1) for i in range(1500)]
)
connection.close()
app = watch_wsgi(get_wsgi_application())
watch("django_rest:check_password")
watch("django_rest:count_words")
watch(
    "django.db.models.query:QuerySet.__iter__",
    "django.db.models.query:QuerySet.get",
    "django.db.models.fields.related_descriptors:ForwardManyToOneDescriptor.__get__",
)
