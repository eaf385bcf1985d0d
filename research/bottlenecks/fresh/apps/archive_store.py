import urllib3


class DocumentStore:
    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.http = urllib3.PoolManager(maxsize=32, timeout=30)

    def metadata(self, document):
        answer = self.http.request("GET", self.endpoint, fields={"document": document})
        return answer.json()
