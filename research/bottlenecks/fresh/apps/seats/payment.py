import os

import urllib3


class Payment:
    def __init__(self):
        self.http = urllib3.PoolManager(maxsize=32)

    def charge(self, cents):
        answer = self.http.request("POST", os.environ["OTHER"], json={"cents": cents})
        return answer.json()["value"]
