import os

SECRET_KEY = "for tests only"
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "surveys.urls"
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.common.CommonMiddleware",
    "surveys.middleware.TenantMiddleware",
]
STATISTICS_URL = os.environ["OTHER"]
