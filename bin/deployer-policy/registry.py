#!/usr/bin/env python3
"""The permissions that CloudFormation's registry lists for each resource type, and the ARNs that IAM's reference lists
for each of them, from the copies that cfn-lint ships.

registry.py [TYPE ...]   regenerates registry.json, with these types added
registry.py --check      compares registry.json with cfn-lint's copy, and checks that IAM knows each action of
                         docs/deployer-policy.json and supports its resources; exit code 3 for differences

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
# Exit code when the files are wrong; Python's own is 1.
FAULTS = 3
# A deployment does not use the `list` handler.
HANDLERS = ("create", "read", "update", "delete")
# Handlers list these, but IAM's reference does not have them; in a policy they are harmless.
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


def arns_of_actions(types):
    """ARN formats that each action may be bound to, with `*` for variables: none when it supports no resource."""
    iam = iam_reference()
    actions = {action for permissions in types.values() for action in permissions}
    return {action: formats(action, iam) for action in sorted(actions) if known_action(action, iam) is not None}


def iam_reference():
    return json.loads((DATA / "AdditionalSpecs/Policies.json").read_text())


def known_action(action, iam):
    service, operation = action.split(":")
    return iam.get(service, {}).get("Actions", {}).get(operation.lower())


def formats(action, iam):
    resources = iam[action.split(":")[0]]["Resources"]
    kinds = known_action(action, iam).get("Resources", [])
    found = {one for kind in kinds for one in resources.get(kind.lower(), {}).get("ARNFormats", [])}
    return sorted(re.sub(r"\.\*|\$\{(?!Partition)\w+\}", "*", one).replace("${Partition}", "aws") for one in found)


def actions_of(statement):
    found = statement["Action"]
    return [found] if isinstance(found, str) else found


def faults_of_policy(documents, iam):
    """Actions that IAM does not know, or that do not support a resource of their statement."""
    for name, document in documents.items():
        for statement in document["Statement"]:
            resources = statement["Resource"]
            for action in actions_of(statement):
                service = action.split(":")[0]
                known = known_action(action, iam)
                if action in OF_REGISTRY_ALONE:
                    continue
                if known is None:
                    yield f"{name}: IAM has no action {action}"
                elif "*" not in resources and not fits(resources, known.get("Resources", []), iam[service]):
                    yield f"{name}: {action} does not support {resources}"


def fits(resources, kinds, service):
    if isinstance(resources, str):
        resources = [resources]
    forms = [form for kind in kinds for form in service["Resources"].get(kind.lower(), {}).get("ARNFormats", [])]
    return any(same_kind(resource, form) for resource in resources for form in forms)


def same_kind(resource, form):
    """Whether an ARN with wildcards can match a resource ARN format: the parts before the first variable agree."""
    ours, theirs = (text.split(":", 5) for text in (resource, form))
    if ours[2] != theirs[2]:
        return False
    fixed = re.split(r"[*$.]", theirs[5])[0]
    start = re.split(r"\*", ours[5])[0]
    return start.startswith(fixed) or fixed.startswith(start)


def check():
    registry = json.loads(REGISTRY.read_text())
    fresh = from_cfn_lint(registry["types"])
    faults = [f"registry.json: {name} differs from cfn-lint {cfnlint.version.__version__}"
              for name in fresh if fresh[name] != registry["types"][name]]
    if registry["actions"] != arns_of_actions(fresh):
        faults.append(f"registry.json: its actions differ from cfn-lint {cfnlint.version.__version__}")
    iam = iam_reference()
    faults += faults_of_policy(json.loads(POLICY.read_text()), iam)
    print("\n".join(faults) or f"{len(fresh)} types and all actions of the policy agree with cfn-lint")
    return FAULTS if faults else 0


def write(more):
    types = set(json.loads(REGISTRY.read_text())["types"]) | set(more) if REGISTRY.exists() else set(more)
    source = f"CloudFormation's registry, as shipped with cfn-lint {cfnlint.version.__version__} (us-east-1)"
    permissions = from_cfn_lint(types)
    registry = {"source": source, "types": permissions, "actions": arns_of_actions(permissions)}
    REGISTRY.write_text(json.dumps(registry, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(check() if sys.argv[1:] == ["--check"] else write(sys.argv[1:]))
