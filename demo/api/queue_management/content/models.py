"""Tables of content: what a repository holds, in which version, and where it is published."""

from sqlalchemy import ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ..models import Base


class Repository(Base):
    """A set of content that changes in versions."""

    __tablename__ = "repository"
    repository_id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80))


class RepositoryVersion(Base):
    """A state of a repository; the one with the highest number is served."""

    __tablename__ = "repository_version"
    version_id: Mapped[int] = mapped_column(primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.repository_id"), index=True)
    number: Mapped[int]


class Distribution(Base):
    """Publishes a repository below a path."""

    __tablename__ = "distribution"
    distribution_id: Mapped[int] = mapped_column(primary_key=True)
    base_path: Mapped[str] = mapped_column(String(80), unique=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.repository_id"))


class Artifact(Base):
    """A stored file, known by its digest."""

    __tablename__ = "artifact"
    artifact_id: Mapped[int] = mapped_column(primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64), unique=True)
    size_bytes: Mapped[int]


class ContentArtifact(Base):
    """A unit of content, and the file behind it."""

    __tablename__ = "content_artifact"
    content_id: Mapped[int] = mapped_column(primary_key=True)
    relative_path: Mapped[str] = mapped_column(String(200), index=True)
    artifact_id: Mapped[int] = mapped_column(ForeignKey("artifact.artifact_id"))
    artifact: Mapped[Artifact] = relationship()


class RepositoryContent(Base):
    """In which versions of a repository a unit of content is."""

    __tablename__ = "repository_content"
    __table_args__ = (Index("content_by_repository", "repository_id", "content_id"),)
    row_id: Mapped[int] = mapped_column(primary_key=True)
    repository_id: Mapped[int] = mapped_column(ForeignKey("repository.repository_id"))
    content_id: Mapped[int] = mapped_column(ForeignKey("content_artifact.content_id"))
    version_added: Mapped[int]
    version_removed: Mapped[int | None]
