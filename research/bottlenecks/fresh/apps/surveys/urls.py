from django.urls import path

from .views import ResultView

urlpatterns = [path("surveys/<int:pk>/result/", ResultView.as_view())]
