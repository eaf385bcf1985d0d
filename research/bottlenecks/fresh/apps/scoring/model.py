import random


class Tree:
    def __init__(self, depth, width, rng):
        self.depth = depth
        self.nodes = [(rng.randrange(width), rng.random()) for _ in range(2**depth - 1)]
        self.leaves = [rng.random() for _ in range(2**depth)]

    def walk(self, features):
        node = 0
        for _ in range(self.depth):
            feature, threshold = self.nodes[node]
            node = 2 * node + (2 if features[feature] > threshold else 1)
        return self.leaves[node - len(self.nodes)]


class ScoreModel:
    def __init__(self, trees, depth, width=20, rounds=96):
        rng = random.Random(7)
        self.trees = [Tree(depth, width, rng) for _ in range(trees)]
        self.rounds = rounds
        self.rng = rng

    def predict(self, features):
        """Mean over slightly disturbed inputs, so that scores are stable."""
        total = 0.0
        for _ in range(self.rounds):
            disturbed = [value + self.rng.gauss(0, 0.01) for value in features]
            total += sum(tree.walk(disturbed) for tree in self.trees) / len(self.trees)
        return total / self.rounds
