"""Writes the generated parts of docs/reference from spec/: the tables of calls, forms and settings in http.md, the tables in errors.md
and metrics.md, the states and moves in machines.md.

reference.py [--check] ROOT   What stands between `<!-- generated … -->` and `<!-- end -->` is replaced. With --check
nothing is written, and the exit status is 1 where a page is stale.
"""
import json
import pathlib
import re
import sys

check = "--check" in sys.argv[1:]
root = pathlib.Path([a for a in sys.argv[1:] if not a.startswith("--")][0])
api = json.loads((root / "spec/api/openapi.json").read_text(encoding="utf-8"))
errors = json.loads((root / "spec/catalog/errors.json").read_text(encoding="utf-8"))["errors"]


def resolved(value):
    while "$ref" in value:
        place = api
        for token in value["$ref"].removeprefix("#/").split("/"):
            place = place[token]
        value = place
    return value


def name_of(schema):
    return schema.get("$ref", "").rsplit("/", 1)[-1]


def members(schema):
    """{name, other?} of an object schema; [Name] of a list; the type's name of all else."""
    schema = resolved(schema)
    if schema.get("type") == "object" and "properties" in schema:
        required = schema.get("required", [])
        return "{" + ", ".join(n if n in required else n + "?" for n in schema["properties"]) + "}"
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " or ".join(name_of(s) or members(s) for s in choices)
    if schema.get("type") == "array":
        items = schema["items"]
        return "[" + (name_of(items) or members(items)) + "]"
    return schema.get("type", "")


def calls():
    yield "| call | takes | answers | refuses |"
    yield "|---|---|---|---|"
    for path, methods in api["paths"].items():
        for method, operation in methods.items():
            takes = []
            for parameter in map(resolved, operation.get("parameters", [])):
                if parameter["in"] == "query":
                    takes.append(f"`?{parameter['name']}`")
                elif parameter["in"] == "header":
                    takes.append(f"`{parameter['name']}`")
            for media, body in operation.get("requestBody", {}).get("content", {}).items():
                what = name_of(body["schema"]) or members(body["schema"])
                takes.append(what if media == "application/json" else f"`{media}`")
            answers, refuses = [], []
            for status, response in operation["responses"].items():
                if status == "default":
                    continue
                content = resolved(response).get("content", {}).values()
                what = next((name_of(c["schema"]) for c in content), "")
                (refuses if status >= "400" else answers).append(
                    status if status >= "400" else " ".join(filter(None, [status, what]))
                )
            summary = operation["summary"] + (" (no token)" if operation.get("security") == [] else "")
            short = path.replace("/v1/workspaces/{workspace}", "…") if path != "/v1/workspaces/{workspace}" else "…"
            yield (
                f"| `{method.upper()} {short}`<br>{summary} | {', '.join(takes)} | {', '.join(answers)} "
                f"| {' '.join(refuses)} |"
            )


def forms():
    yield "| form | members |"
    yield "|---|---|"
    for name, schema in api["components"]["schemas"].items():
        text = members(schema)
        if not text.startswith("{") or text == "{}":
            continue
        said = schema.get("description", "")
        yield f"| {name} | `{text}`{'<br>' + said if said else ''} |"


def form_of(schema):
    """What may stand there, in words."""
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " or ".join(map(form_of, choices))
    if "$ref" in schema:
        return "duration" if name_of(schema) == "Duration" else f"`{members(schema)}`"
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    spans = f"{schema['minimum']:,} to {schema['maximum']:,}" if "minimum" in schema else ""
    return " or ".join({"integer": spans, "boolean": "true or false"}.get(kind, kind) for kind in kinds)


def settings():
    yield "| setting | form | default | meaning |"
    yield "|---|---|---|---|"
    for name, schema in api["components"]["schemas"]["NewSettings"]["properties"].items():
        default = json.dumps(schema["default"])
        yield f"| `{name}` | {form_of(schema)} | {default} | {schema['description']} |"


def error_table():
    yield "| code | HTTP | what is so | what to do |"
    yield "|---|---|---|---|"
    for e in errors:
        yield f"| `{e['code']}` | {e['http']} | {e['text']} | {e['hint']} |"


def metrics():
    yield "| metric | kind | label | meaning |"
    yield "|---|---|---|---|"
    for m in json.loads((root / "spec/catalog/metrics.json").read_text(encoding="utf-8"))["metrics"]:
        label = f"`{m['label']}`" if "label" in m else ""
        yield f"| `{m['name']}` | {m['kind']} | {label} | {m['help']} |"


def machine_pages():
    for file in sorted((root / "spec/machines").glob("*.json")):
        machine = json.loads(file.read_text(encoding="utf-8"))
        yield f"## {machine['title']}"
        yield f"{machine['about']} Source: {machine['source']}. Data: `spec/machines/{file.name}`."
        yield ""
        yield "```mermaid"
        yield "stateDiagram-v2"
        for move in machine["moves"]:
            for state in move["from"] or ["[*]"]:
                yield f"  {state} --> {state if move['to'] == 'same' else move['to']}: {move['name']}"
        for state in machine["states"]:
            if state.get("over"):
                yield f"  {state['name']} --> [*]"
        yield "```"
        yield ""
        yield "| state | meaning |"
        yield "|---|---|"
        for state in machine["states"]:
            yield f"| `{state['name']}`{' (over)' if state.get('over') else ''} | {state['meaning']} |"
        yield ""
        yield "| move | on | by | from | to | if | tells |"
        yield "|---|---|---|---|---|---|---|"
        for move in machine["moves"]:
            kinds = move.get("on", [])
            on = ", ".join(f"`{kind}`" for kind in ([kinds] if isinstance(kinds, str) else kinds))
            on = on or (f"`{move['call']}`" if "call" in move else "")
            guard = machine["guards"].get(move.get("when"), "")
            tells = ", ".join(f"{who}: `{what}`" for who, what in move.get("tells", {}).items())
            start = ", ".join(move["from"]) or "nothing"
            yield f"| {move['name']} | {on} | {move['by']} | {start} | {move['to']} | {guard} | {tells} |"
        yield ""


parts = {"calls": calls, "forms": forms, "settings": settings, "errors": error_table, "metrics": metrics, "machines": machine_pages}
stale = []
for page in [root / f"docs/reference/{name}.md" for name in ("http", "errors", "machines", "metrics")]:
    text = page.read_text(encoding="utf-8")

    def part(found):
        lines = "\n".join(parts[found[1]]())
        return f"<!-- generated: {found[1]} -->\n{lines}\n<!-- end -->"

    fresh, count = re.subn(r"<!-- generated: (\w+) -->\n.*?<!-- end -->", part, text, flags=re.DOTALL)
    assert count > 0, f"{page}: nothing generated in it"
    if fresh == text:
        continue
    if check:
        stale.append(page.relative_to(root).as_posix())
    else:
        page.write_text(fresh, encoding="utf-8")
if stale:
    sys.exit("stale: " + ", ".join(stale) + "; run `python3 tools/gen/reference.py .`")
