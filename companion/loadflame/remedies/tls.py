"""The remedy for TLS contexts that are made per request."""

import collections.abc
import functools

from .remedy import MOST_SHARED, Remedy


class PostponingContext:
    """A TLS context that records its set-up, and loads no certificates that another one with the same set-up has loaded.

    of_ssl() makes a class of it and of ssl.SSLContext, with: base (that class), loaded (set-ups), and remedy.
    """

    def __setattr__(self, name, value):
        self.base.__setattr__(self, name, value)
        if isinstance(value, collections.abc.Hashable):  # no setting of TLS is anything else
            self.note(name, value)

    def note(self, name, *args):
        """Record a step; the last one with a name counts."""
        steps = self.__dict__.get("steps")
        if steps is not None and steps.get(name) != args:
            steps.pop(name, None)
            steps[name] = args

    def key(self):
        """Return its set-up."""
        own = self.__dict__
        return (own["protocol"], *own["steps"].items())

    def load(self, *step):
        """Load certificates, unless a context with the same steps has done so."""
        own = self.__dict__
        name, *args = step
        if own["steps"] is None or any(isinstance(one, bytearray) for one in args):
            return getattr(self.base, name)(self, *args)
        self.note(step)
        if self.key() in self.loaded:
            own["waiting"].append(step)
            return self.remedy.act() if len(own["waiting"]) == 1 else None
        getattr(self.base, name)(self, *args)
        if len(self.loaded) < MOST_SHARED:
            self.loaded.add(self.key())

    def load_verify_locations(self, cafile=None, capath=None, cadata=None):
        self.load("load_verify_locations", cafile, capath, cadata)

    def set_default_verify_paths(self):
        self.load("set_default_verify_paths")

    def set_alpn_protocols(self, protocols):  # httpcore does so before each connection
        self.base.set_alpn_protocols(self, protocols)
        self.note("set_alpn_protocols", tuple(protocols))

    def be_own(self, reason):
        """Become an ordinary context: load the certificates now, and share nothing."""
        own = self.__dict__
        waiting, own["waiting"], own["steps"] = own["waiting"], [], None
        if waiting:
            self.remedy.act(-1, reason)
        for name, *args in waiting:
            getattr(self.base, name)(self, *args)

    def complete(self):
        """Return the context for a connection."""
        if not self.__dict__["waiting"]:
            return self
        key, shared = self.key(), self.remedy.shared
        try:
            if key not in shared and len(shared) < MOST_SHARED:
                shared[key] = self.make_again(*key)
            return shared[key]
        except Exception:
            self.be_own("too many different contexts, or a set-up that fails when it is repeated")
            return self

    def make_again(self, protocol, *steps):
        """Return an ordinary context with a recorded set-up."""
        one = self.make(self.base, *protocol)
        for step, args in steps:
            if isinstance(step, tuple):
                getattr(one, step[0])(*step[1:])
            elif step.startswith("set_"):
                getattr(one, step)(*args)
            else:
                setattr(one, step, *args)
        return one

    def call_own(self, name, *args, **options):
        self.be_own("%s of a context" % name)
        return getattr(self.base, name)(self, *args, **options)

    def wrap_socket(self, *args, **options):
        return self.base.wrap_socket(self.complete(), *args, **options)

    def wrap_bio(self, *args, **options):
        return self.base.wrap_bio(self.complete(), *args, **options)


class TlsContexts(Remedy):
    """Lets TLS contexts with the same set-up share one that has loaded the certificates.

    Each caller still has its own context, so that none changes another's. Such a context only records its set-up.
    For a connection, a shared context with exactly the same set-up replaces it.
    """

    cause = "tls-context-per-request"
    places = {"ssl": "of_ssl"}

    def of_ssl(self, ssl):
        """Make contexts that postpone loading certificates."""
        base, make = ssl.SSLContext, ssl.SSLContext.__new__
        shared = {"base": base, "make": staticmethod(make), "loaded": set(), "remedy": self}
        context_class = type("Context", (PostponingContext, base), shared)
        # other methods that change a context, or show what it has loaded
        for name in dir(base):
            is_known = name in vars(PostponingContext) or name in ("load_default_certs", "get_ciphers")
            is_method = callable(getattr(base, name)) and not isinstance(getattr(base, name), type)
            if is_method and not is_known and not name.startswith("_"):
                setattr(context_class, name, functools.partialmethod(context_class.call_own, name))

        def make_context(cls, *args, **options):
            if cls is not base or options:
                return make(cls, *args, **options)
            context = make(context_class, *args)
            context.__dict__.update(steps={}, waiting=[], protocol=args)
            return context

        self.replace(base, "__new__", make_context)
