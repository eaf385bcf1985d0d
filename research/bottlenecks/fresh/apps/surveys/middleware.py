class TenantMiddleware:
    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        request.tenant = request.headers.get("X-Tenant", "default")
        response = self.get_response(request)
        response["X-Tenant"] = request.tenant
        return response
