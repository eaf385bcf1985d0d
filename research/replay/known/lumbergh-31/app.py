"""Files of a project for an editor in the browser, and what a terminal shows."""

import os
from pathlib import Path

from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

FIXED = os.environ.get("FIXED") == "1"
IGNORED = {"node_modules", ".git", ".venv", "__pycache__"}
ROOT = Path(os.environ["FOLDER"]) / "project"


def create_project():
    folders = [ROOT / "src" / f"part{n}" for n in range(4)]
    folders += [ROOT / "node_modules" / f"package{n}" / "lib" for n in range(60)] + [ROOT / ".git" / "objects"]
    for folder in folders:
        folder.mkdir(parents=True)
        for n in range(8):
            (folder / f"file{n}.ts").write_text("export {}\n")


create_project()


def project_files():
    if not FIXED:
        everything = sorted(ROOT.rglob("*"))  # CAUSE
        return [item for item in everything if not IGNORED.intersection(item.relative_to(ROOT).parts)]  # CAUSE
    found = []
    for folder, inside, names in os.walk(ROOT):
        inside[:] = set(inside) - IGNORED
        found += [Path(folder) / name for name in inside + names]
    return sorted(found)


def files(_request):
    listed = []
    for item in project_files():
        about = item.stat()
        kind = "folder" if item.is_dir() else "file"
        listed.append({"path": str(item.relative_to(ROOT)), "kind": kind, "size": about.st_size})
    return JSONResponse({"files": listed})


async def pane(_request):
    return JSONResponse({"lines": ["$ npm test", "ok"]})


app = Starlette(routes=[Route("/api/files", files), Route("/api/pane", pane)])
