"""Starts MiniStack, with patches for AWS behaviour that version 1.5.33 lacks; emulator.ts lists them."""

import json
import re
from contextvars import ContextVar
from urllib.parse import parse_qs, unquote

import ministack.app as gateway
from ministack.core import iam_actions
from ministack.services import apigateway, apigateway_v1, cloudfront, iot, lambda_svc
from ministack.services.cloudformation import engine, provisioners

# A template has up to 500 resources, not counting what expand-rest-api-body.ts puts in the place of an API's body.
BODY_TYPES = {f"AWS::ApiGateway::{kind}" for kind in ("Authorizer", "GatewayResponse", "Method", "Resource")}
validate_template_limits = engine._validate_template_limits


def without_body(template):
    resources = template.get("Resources") or {}
    counted = {name: one for name, one in resources.items() if one.get("Type") not in BODY_TYPES}
    validate_template_limits({**template, "Resources": counted})


engine._validate_template_limits = without_body

# AWS::Cognito::UserPool, attribute ProviderURL.
user_pool_attributes = provisioners._cognito_user_pool_attributes


def with_provider_url(pool_id):
    attributes = user_pool_attributes(pool_id)
    return {**attributes, "ProviderURL": f"https://{attributes['ProviderName']}"}


provisioners._cognito_user_pool_attributes = with_provider_url

# Calls on an IoT domain configuration are authorised for its ARN, which ends with an id chosen by AWS.
iot_resource_arns = iam_actions.iot_resource_arns


def with_domain_configurations(method, path, body, region, account_id):
    named = re.fullmatch(r"/domainConfigurations/([^/]+)", path)
    found = iot._domain_configurations.get(unquote(named[1])) if named else None
    if found:
        return [found["domainConfigurationArn"]]
    if named:
        return [f"arn:aws:iot:{region}:{account_id}:domainconfiguration/{named[1]}/new"]
    return iot_resource_arns(method, path, body, region, account_id)


iam_actions.iot_resource_arns = with_domain_configurations

# The event of a function includes the API key of the request.
lambda_event = apigateway_v1._build_lambda_event_v1


def with_api_key(api_id, stage_name, stage, resource, path, method, headers, *rest, **more):
    event = lambda_event(api_id, stage_name, stage, resource, path, method, headers, *rest, **more)
    key = apigateway_v1._resolve_api_key(apigateway_v1._api_key_from_request(headers))
    if key:
        event["requestContext"]["identity"].update(apiKey=key["value"], apiKeyId=key["id"])
    return event


apigateway_v1._build_lambda_event_v1 = with_api_key

# A filter of an event source with exists: false also matches when the parent of the leaf is missing.
matches_filter = lambda_svc._match_esm_filter


def with_missing_parents(record, pattern):
    missing = {key: {} for key, part in pattern.items() if isinstance(part, dict) and key not in record}
    return matches_filter({**record, **missing}, pattern)


lambda_svc._match_esm_filter = with_missing_parents

# A refused handshake gets the status that $connect returned, not always 403.
refusal: ContextVar = ContextVar("refusal", default=None)
invoke_socket_function = apigateway._invoke_ws_lambda


async def noting_refusals(*args, **more):
    answer = await invoke_socket_function(*args, **more)
    if "CONNECT" in args and int((answer or {}).get("statusCode", 200)) >= 300:
        refusal.set(answer)
    return answer


apigateway._invoke_ws_lambda = noting_refusals
handle_websocket = apigateway.handle_websocket


async def deny(send, status, body):
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": body})


async def with_refusals(scope, receive, send, *args, **more):
    async def answering(message):
        refused = refusal.get()
        if message["type"] == "websocket.close" and refused:
            await deny(send, int(refused["statusCode"]), str(refused.get("body") or "").encode())
        else:
            await send(message)

    await handle_websocket(scope, receive, answering, *args, **more)


apigateway.handle_websocket = with_refusals

# CloudFront forwards WebSockets to the origin, after the viewer-request function, with the origin's custom headers.
class Upgrade(Exception):
    """Raised instead of a request to the origin."""


upgrading: ContextVar = ContextVar("upgrading", default=False)
fetch_from_origin = cloudfront._fetch_from_origin


async def unless_upgrading(origin, method, uri, query, *rest):
    if upgrading.get():
        raise Upgrade(origin, uri, query)
    return await fetch_from_origin(origin, method, uri, query, *rest)


cloudfront._fetch_from_origin = unless_upgrading
app = gateway.app


async def with_sockets(scope, receive, send):
    headers = {name.decode().lower(): value.decode() for name, value in scope.get("headers", [])}
    label = gateway._parse_cloudfront_dataplane_host(headers.get("host", ""))
    if scope["type"] != "websocket" or not label:
        return await app(scope, receive, send)
    upgrading.set(True)
    query = scope["query_string"].decode()
    viewer = {**headers, "x-forwarded-proto": "https"}
    parameters = parse_qs(query, keep_blank_values=True)
    distribution = cloudfront.find_distribution_for_label(label)
    try:
        status, _, body = await cloudfront.handle_viewer_request(
            distribution, "GET", scope["path"], scope["path"], query, viewer, b"", parameters
        )
    except Upgrade as upgrade:
        origin, path, query = upgrade.args
        own = [("host", origin["domain_name"]), *origin["custom_headers"]]
        own = [(name.lower().encode(), value.encode()) for name, value in own]
        rest = [(name, value) for name, value in scope["headers"] if name.lower() not in dict(own)]
        target = {"path": path, "raw_path": path.encode(), "query_string": query.encode()}
        return await app({**scope, **target, "headers": [*rest, *own]}, receive, send)
    await receive()
    return await deny(send, status, body or json.dumps({}).encode())


gateway.app = with_sockets

if __name__ == "__main__":
    gateway.main()
