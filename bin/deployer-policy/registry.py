#!/usr/bin/env python3
"""What CloudFormation's registry says that each type of resource needs, out of the copy that cfn-lint ships.

registry.py [TYPE ...]   writes registry.json anew, with these types beside those it has
registry.py --check      says whether registry.json is as cfn-lint has it, and whether IAM knows each action of
                         docs/deployer-policy.json and checks it against such a resource; ends with 3 if not

Needs a Python that has cfn-lint: `pip install cfn-lint==1.58.0`.
"""

import json
import re
import sys
from pathlib import Path

import cfnlint

HERE = Path(__file__).parent
REGISTRY = HERE / "registry.json"
POLICY = HERE / "../../docs/deployer-policy.json"
DATA = Path(cfnlint.__file__).parent / "data"
# Exit code when something is wrong with the files; Python's own is 1.
FAULTS = 3
# `list` is for whoever looks for resources, not for a deployment.
HANDLERS = ("create", "read", "update", "delete")
# Handlers ask for these, and IAM's reference has none of such a name; in a policy they do no harm.
OF_REGISTRY_ALONE = {
    "apigateway:TagResource",
    "apigateway:UntagResource",
    "cloudfront:CreateDistributionWithTags",
    "s3:DeleteBucketEncryption",
    "s3:DeleteBucketTagging",
}


def permissions(type_name, providers):
    schema = json.loads((DATA / f"schemas/resources/{providers[type_name]}.json").read_text())
    handlers = schema.get("handlers", {})
    found = {one for name in HANDLERS for one in handlers.get(name, {}).get("permissions", [])}
    return sorted(found | set(schema.get("tagging", {}).get("permissions", [])))


def from_cfn_lint(types):
    providers = json.loads((DATA / "schemas/providers/us-east-1.json").read_text())
    return {name: permissions(name, providers) for name in sorted(types)}


def actions_of(statement):
    found = statement["Action"]
    return [found] if isinstance(found, str) else found


def faults_of_policy(documents, iam):
    """Actions that IAM does not know, or that it never checks against a resource of the statement."""
    for name, document in documents.items():
        for statement in document["Statement"]:
            resources = statement["Resource"]
            for action in actions_of(statement):
                service, operation = action.split(":")
                known = iam.get(service, {}).get("Actions", {}).get(operation.lower())
                if action in OF_REGISTRY_ALONE:
                    continue
                if known is None:
                    yield f"{name}: IAM knows no action {action}"
                elif "*" not in resources and not fits(resources, known.get("Resources", []), iam[service]):
                    yield f"{name}: IAM does not check {action} against {resources}"


def fits(resources, kinds, service):
    if isinstance(resources, str):
        resources = [resources]
    forms = [form for kind in kinds for form in service["Resources"].get(kind.lower(), {}).get("ARNFormats", [])]
    return any(same_kind(resource, form) for resource in resources for form in forms)


def same_kind(resource, form):
    """Whether an ARN with wildcards can name a resource of this form: the parts before the first name agree."""
    ours, theirs = (text.split(":", 5) for text in (resource, form))
    if ours[2] != theirs[2]:
        return False
    fixed = re.split(r"[*$.]", theirs[5])[0]
    start = re.split(r"\*", ours[5])[0]
    return start.startswith(fixed) or fixed.startswith(start)


def check():
    registry = json.loads(REGISTRY.read_text())
    fresh = from_cfn_lint(registry["types"])
    faults = [f"registry.json: {name} is not as cfn-lint {cfnlint.version.__version__} has it"
              for name in fresh if fresh[name] != registry["types"][name]]
    iam = json.loads((DATA / "AdditionalSpecs/Policies.json").read_text())
    faults += faults_of_policy(json.loads(POLICY.read_text()), iam)
    print("\n".join(faults) or f"{len(fresh)} types and every action of the policy are as cfn-lint has them")
    return FAULTS if faults else 0


def write(more):
    types = set(json.loads(REGISTRY.read_text())["types"]) | set(more) if REGISTRY.exists() else set(more)
    source = f"CloudFormation's registry, as shipped with cfn-lint {cfnlint.version.__version__} (us-east-1)"
    REGISTRY.write_text(json.dumps({"source": source, "types": from_cfn_lint(types)}, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(check() if sys.argv[1:] == ["--check"] else write(sys.argv[1:]))
