"""Rows of content that are the same every time."""

from sqlalchemy.orm import Session

from .artifacts import digest, make_artifact
from .lookup import BASE_PATH
from .models import (
    Artifact,
    ContentArtifact,
    Distribution,
    Repository,
    RepositoryContent,
    RepositoryVersion,
)

ITEM_COUNT = 200
# in one folder
SHELF_COUNT = 20
# were in the first version only
REMOVED_COUNT = 20
_VERSIONS = (1, 2, 3)


def add_content(session: Session) -> None:
    """A repository with three versions, published at one path."""
    session.add(Repository(repository_id=1, name="Files"))
    session.flush()
    session.add(Distribution(base_path=BASE_PATH, repository_id=1))
    session.add_all(RepositoryVersion(repository_id=1, number=number) for number in _VERSIONS)
    for n in range(1, ITEM_COUNT + REMOVED_COUNT + 1):
        path = f"shelf-{(n - 1) // SHELF_COUNT + 1:02d}/item-{n:03d}"
        artifact = make_artifact(path)
        content = ContentArtifact(
            content_id=n,
            relative_path=path,
            artifact=Artifact(sha256=digest(artifact), size_bytes=len(artifact)),
        )
        session.add(content)
    session.flush()
    session.add_all(
        RepositoryContent(
            repository_id=1,
            content_id=n,
            version_added=1,
            version_removed=2 if n > ITEM_COUNT else None,
        )
        for n in range(1, ITEM_COUNT + REMOVED_COUNT + 1)
    )
