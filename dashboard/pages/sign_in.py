"""The sign-in page."""

from django.contrib.auth.views import LoginView


class SignInView(LoginView):
    template_name = "mandor/registration/login.html"
    next_page = "mandor:overview"
    redirect_authenticated_user = True
