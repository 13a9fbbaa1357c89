"""The pages, one path a line; the verb comes last and takes POST only."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from dashboard.pages import overview, sign_in

handler403 = "dashboard.pages.refusals.forbidden"
handler404 = "dashboard.pages.refusals.not_found"

pages = [
    path("", overview.index, name="overview"),
    path("accounts/login/", sign_in.SignInView.as_view(), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
]

urlpatterns = [
    path("", include((pages, "mandor"))),
]
