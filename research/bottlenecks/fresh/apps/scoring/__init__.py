"""Credit scores of applicants."""

import falcon

from .model import ScoreModel


class ScoreResource:
    def __init__(self, model):
        self.model = model

    def on_get(self, req, resp, applicant):
        features = self.features(applicant, req.get_param_as_int("income", default=30_000))
        resp.media = {"applicant": applicant, "score": round(self.model.predict(features), 4)}

    @staticmethod
    def features(applicant, income):
        return [(applicant * k) % 97 / 97 for k in range(1, 20)] + [income / 100_000]


app = falcon.App()
app.add_route("/scores/{applicant:int}", ScoreResource(ScoreModel(trees=220, depth=8)))
