import urllib3


class CampaignClient:
    def __init__(self, url):
        self.url = url
        self.http = urllib3.PoolManager(maxsize=32)

    def discount(self, sku):
        answer = self.http.request("GET", self.url, fields={"sku": sku})
        return answer.json()["value"] / 100
