"""The sign-in page."""

from django.contrib.auth.views import LoginView


class SignInView(LoginView):
    template_name = "registration/login.html"
    redirect_authenticated_user = True
