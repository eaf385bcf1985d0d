"""Finds content as a package server does: distribution, version, content with its artifact."""

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session, joinedload

from ..errors import NotFound
from .models import ContentArtifact, Distribution, RepositoryContent, RepositoryVersion

BASE_PATH = "files"


def find_content(session: Session, path: str) -> ContentArtifact:
    """The content that is published at a path now, in three queries; raises NotFound."""
    query = _published(session).where(ContentArtifact.relative_path == path)
    content = session.scalars(query.options(joinedload(ContentArtifact.artifact))).one_or_none()
    if content is None:
        raise NotFound(f"Content {path} does not exist.")
    return content


def list_folder(session: Session, folder: str) -> list[str]:
    """The names in a folder of what is published now; those of folders end with a slash."""
    is_below = ContentArtifact.relative_path.startswith(folder, autoescape=True)
    query = _published(session).where(is_below).order_by(ContentArtifact.relative_path)
    names = {}
    for content in session.scalars(query):
        name, slash, _ = content.relative_path.removeprefix(folder).partition("/")
        names[name + slash] = True
    return list(names)


def _published(session: Session) -> Select[tuple[ContentArtifact]]:
    distribution = session.scalars(
        select(Distribution).where(Distribution.base_path == BASE_PATH)
    ).one()
    version = session.scalars(
        select(RepositoryVersion)
        .where(RepositoryVersion.repository_id == distribution.repository_id)
        .order_by(RepositoryVersion.number.desc())
        .limit(1)
    ).one()
    removed = RepositoryContent.version_removed
    return (
        select(ContentArtifact)
        .join(RepositoryContent, RepositoryContent.content_id == ContentArtifact.content_id)
        .where(RepositoryContent.repository_id == version.repository_id)
        .where(RepositoryContent.version_added <= version.number)
        .where(or_(removed.is_(None), removed > version.number))
    )
