"""The remedy for relations that are loaded one by one."""

import itertools
import re

from .remedy import Remedy


class Relation(Remedy):
    """Loads a relation of SQLAlchemy by selectinload with the query for its class, instead of one by one."""

    cause = "lazy-loading"
    places = {"sqlalchemy.orm": "of_sqlalchemy"}

    def __init__(self, value):
        """Take a relation, or a chain of them: "Order.items", "Order.items.product"; else it only lists relations.

        A query for orders loads Item.product by the chain; the first lazy load shows which.
        """
        if not re.match(r"(?:\w+(?:\.\w+)+)?\Z", value):
            raise ValueError("it takes a relation, such as lazy-loading:Order.items, but got %r" % value)
        self.paths = [value.split(".")]

    def of_sqlalchemy(self, orm):
        """Add the option to queries for the class that a path begins with, unless they have one for the relation."""
        import sqlalchemy
        from sqlalchemy.orm import strategies

        owner = getattr(strategies, "LazyLoader", None) or strategies._LazyLoader  # its name since 2.1
        original = owner._emit_lazyload

        def emit_lazyload(loader, session, state, *args, **options):
            path = state.load_path.path if state.load_path else (state.mapper,)
            names = [path[0].class_.__name__, *[one.key for one in path[1::2]], loader.key]
            self.leave("loaded lazily: lazy-loading:%s" % ".".join(names))
            is_own = [loader.parent.class_.__name__, loader.key] == self.paths[0]
            if is_own and names.count(loader.key) == 1 and names not in self.paths:  # a tree has no end
                self.paths.append(names)
            return original(loader, session, state, *args, **options)

        self.replace(owner, "_emit_lazyload", emit_lazyload)

        def add_option(execution):
            is_query = isinstance(execution.statement, sqlalchemy.sql.Select)
            if self.refused or not is_query or execution.is_relationship_load or execution.is_column_load:
                return
            own = execution.statement._with_options
            for column, path in itertools.product(execution.statement.column_descriptions, self.paths):
                entity = column["entity"]
                if column["expr"] is entity and getattr(entity, "__name__", None) == path[0]:
                    try:
                        option, relation = option_for(orm, sqlalchemy, entity, path[1:])
                        if any([relation in element.path.path for one in own for element in one.context]):
                            self.leave("queries that have an option for it")
                            continue
                    except ValueError as error:
                        return self.refuse(str(error))
                    except AttributeError:  # before SQLAlchemy 2
                        return self.leave("queries with options of another kind")
                    execution.statement = execution.statement.options(option)
                    self.act()

        sqlalchemy.event.listen(orm.Session, "do_orm_execute", add_option)
        self.replaced.append("sqlalchemy.orm.Session do_orm_execute")


def option_for(orm, sqlalchemy, owner, names):
    """Return the option that loads the relation, and the relation. ValueError says why there is none."""
    option = orm.Load(owner)
    for at, name in enumerate(names, 1):
        relations = sqlalchemy.inspect(owner).relationships
        if name not in relations:
            known = ", ".join(sorted(relations.keys())) or "none"
            raise ValueError("%s has no relation %s; its relations: %s" % (owner.__name__, name, known))
        attribute, kind = getattr(owner, name), relations[name].lazy
        if at < len(names):
            option = option.defaultload(attribute)
        elif kind not in ("select", True):
            raise ValueError("%s.%s has lazy=%r already" % (owner.__name__, name, kind))
        owner = relations[name].mapper.class_
    return option.selectinload(attribute), attribute.property
