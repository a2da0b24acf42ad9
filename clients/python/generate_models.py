"""Generates the types of requests, replies and messages from the API's documents; `--check` only compares."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
DOCUMENTS = FOLDER.parent.parent / "docs" / "api"
PACKAGE = FOLDER / "src" / "drone_mission_client"

# Schemas of the AsyncAPI document that callers see, beside those that they refer to.
MESSAGES = (
    *("JobStatusMessage", "DeviceStatusMessage", "ShareStatusMessage", "CommandStatusMessage"),
    *("DeviceTelemetryMessage", "Sample"),
    *("ViewerShareStatusMessage", "ViewerTelemetryMessage", "SharePlaybackMessage", "ShareFlightMessage"),
    "ControlOutcomeMessage",
)

OPTIONS = [
    *("--input-file-type", "openapi", "--output-model-type", "typing.TypedDict", "--target-python-version", "3.10"),
    *("--formatters", "builtin", "--enum-field-as-literal", "all", "--disable-timestamp"),
    # mypy does not know closed TypedDicts (PEP 728).
    *("--no-use-closed-typed-dict", "--use-field-description", "--use-schema-description", "--use-double-quotes"),
]
REFERENCE = "#/components/schemas/"


def names_in(value: Any) -> set[str]:
    """Collects the schemas that a part of a document refers to."""
    if isinstance(value, list):
        return {name for each in value for name in names_in(each)}
    if not isinstance(value, dict):
        return set()
    own = value.get("$ref")
    found = {own.removeprefix(REFERENCE)} if isinstance(own, str) else set()
    return found | names_in(list(value.values()))


def reachable(schemas: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Picks schemas and those that they refer to, in the order of the document."""
    found: set[str] = set()
    waiting = set(names)
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= names_in(schemas[name]) - found
    return {name: schema for name, schema in schemas.items() if name in found}


def only_schemas(schemas: dict[str, Any]) -> dict[str, Any]:
    """Wraps schemas in a document that the generator reads."""
    return {"openapi": "3.1.0", "info": {"title": "", "version": ""}, "paths": {}, "components": {"schemas": schemas}}


def generate(document: dict[str, Any], title: str) -> str:
    """Generates the types of a document's schemas."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, title), Path(folder, "types.py")
        source.write_text(json.dumps(document), encoding="utf-8")
        arguments = ["--input", str(source), "--output", str(target)]
        subprocess.run(  # noqa: S603 - the arguments are constants
            [sys.executable, "-m", "datamodel_code_generator", *OPTIONS, *arguments], check=True
        )
        return target.read_text(encoding="utf-8")


def modules() -> dict[Path, str]:
    """Generates the modules by path."""

    def schemas_of(name: str) -> dict[str, Any]:
        document = json.loads((DOCUMENTS / name).read_text(encoding="utf-8"))
        schemas: dict[str, Any] = document["components"]["schemas"]
        return schemas

    messages = reachable(schemas_of("asyncapi.json"), MESSAGES)
    return {
        PACKAGE / "models.py": generate(only_schemas(schemas_of("openapi.json")), "openapi.json"),
        PACKAGE / "messages.py": generate(only_schemas(messages), "asyncapi.json"),
    }


def main() -> int:
    """Writes the modules, or names the stale ones."""
    generated = modules()
    stale = [path for path, text in generated.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path in stale:
            print(f"{path.name} is not up to date: run «npm run models:python» and commit the result", file=sys.stderr)
        return 1 if stale else 0
    for path in stale:
        path.write_text(generated[path], encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
