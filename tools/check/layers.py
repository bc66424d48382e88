"""Who includes whom, against layers.json: the folder tells the layer (ARCHITECTURE.md). Prints each breach with its remedy."""
import json
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
rules = json.loads((root / "tools/check/layers.json").read_text())
layers, third_party = rules["layers"], rules["third_party"]
include = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)
for_tests = ("profile/rulesets.hpp", "broker/broker.hpp", "journal/memory/memory_journal.hpp")  # the real thing
failures = []


def layer_of(path):
    for depth in (2, 1):
        name = "/".join(path.parts[:depth])
        if name in layers:
            return name
    return None


def allowed(layer, target):
    if layers[layer] == ["*"] or target.startswith(layer + "/"):
        return True
    return any(target == may or target.startswith(may + "/") for may in layers[layer])


def generated(target):  # from spec/: no layer of src
    return target.startswith(("catalog/", "machine/"))


for folder, prefix in ((root / "src", ""), (root / "sdk/cpp", "sdk/cpp")):
    for file in sorted(folder.rglob("*.[ch]pp")):
        path = pathlib.PurePosixPath(prefix) / file.relative_to(folder).as_posix()
        layer = layer_of(path)
        if layer is None:
            failures.append(f"{path}: its folder is in no layer; add it to tools/check/layers.json and ARCHITECTURE.md")
            continue
        is_test = file.stem.endswith("_test") or "test" in file.stem.split("_") or file.stem in ("conformance_suite", "driven")
        for quote, target in include.findall(file.read_text(encoding="utf-8")):
            if ".." in pathlib.PurePosixPath(target).parts:
                failures.append(f"{path}: names no layer in {target}; include it by its path in the repository")
                continue
            if quote == '"':
                local = "/" not in target or (file.parent / target).exists()
                tested = is_test and (target.startswith("sim/") or target in for_tests)
                if not (local or generated(target) or allowed(layer, target) or tested):
                    failures.append(f"{path}: may not include {target}; {layer} may include {', '.join(layers[layer]) or 'nothing'}")
                continue
            for library, owners in third_party.items():
                if target.startswith(library) and not is_test and not any(str(path).startswith(o + "/") for o in owners):
                    failures.append(f"{path}: <{target}> belongs to {', '.join(owners) or 'tests alone'}; go through that folder")

print("\n".join(failures) or "layers: in order")
sys.exit(1 if failures else 0)
