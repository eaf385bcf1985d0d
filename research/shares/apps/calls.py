"""Many tiny functions beside a loop: stacks that change while they are read."""

PARTS = ["many_calls", "recursion", "loop_flat"]


def add_one(x):
    return x + 1


def add_two(x):
    return add_one(add_one(x))


def add_four(x):
    return add_two(add_two(x))


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def many_calls():
    n = 0
    for _ in range(2_400):
        n = add_four(n)
    return n


def recursion():
    return fib(18)


def loop_flat():
    n = 0
    for i in range(12_000):
        n += i * i
    return n


def request():
    many_calls()
    recursion()
    loop_flat()
