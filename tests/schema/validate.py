#!/usr/bin/env python3
"""validate.py SCHEMA.json CASES.yaml... : the schema is a valid one of 2020-12; each
plain file validates; each file named *.cases.yaml is a map of name to document, whose
names beginning with "bad" must not validate and all others must."""
import json
import sys

import jsonschema
import yaml


def problems(validator, document):
    return [f"{'.'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator.iter_errors(document)]


def main():
    schema = json.load(open(sys.argv[1], encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failed = count = 0
    for path in sys.argv[2:]:
        loaded = yaml.safe_load(open(path, encoding="utf-8"))
        cases = loaded if path.endswith(".cases.yaml") else {path: loaded}
        for name, document in cases.items():
            found = problems(validator, document)
            count += 1
            if bool(found) != name.startswith("bad"):
                failed += 1
                print(f"{name}: {found or 'validates, and should not'}", file=sys.stderr)
    print(f"{count} documents, {failed} wrong")
    return failed != 0 or count == 0


if __name__ == "__main__":
    sys.exit(main())
