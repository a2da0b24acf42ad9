import type { OpenApiDocument } from './openapi-types';
import type { Tag } from '../../terms/endpoint';

const description = `
The machine-to-machine API of a drone command-and-control platform: create and control jobs (drone missions), share a device's
live video or status by link, list the fleet. Changes come over MQTTS and WebSockets, which the AsyncAPI document describes.
Each client sees only its own organisation.

## Conventions

- **Access.** \`POST /v3/auth/token\` exchanges API key, client id and client secret for a token that is valid for an hour. Every
  other request carries it as \`Authorization: Bearer …\`. Each operation needs a scope.
- **Bodies** are JSON in UTF-8, but for the files of missions. An unknown field of a request or an unknown query parameter is refused with 400 and named; the
  token endpoint ignores unknown fields. Replies may get further fields at any time: ignore those that you don't know. Optional
  fields without a value are left out; only \`playback\` can be \`null\`.
- **Timestamps** are ISO 8601. Replies have UTC with milliseconds, \`2026-11-27T10:30:15.123Z\`; requests may have any offset.
- **Identifiers** are opaque text. Lengths of text count Unicode code points: most emojis count as one.
- **Errors** have a status of 400 or more and the body \`{"error": "…"}\`; \`details\` lists what is wrong with which part of an
  invalid request, and says why a request is forbidden. The token endpoint uses OAuth's form, \`{"error", "error_description"}\`. Another organisation's job, mission, share or
  device group is 403, an unknown one 404, an unknown path 404 \`Not found\`.
- **\`x-request-id\`** in each response identifies the request. Name it when you report a problem. Only what is
  refused unread lacks it: a body that is too large (413), a malformed URL (400 \`{"message": "Bad Request"}\`), and requests beyond a
  limit per IP address that the operator may have set (429 with \`Retry-After\`).
- **Limits** are per client and exact, in windows of a minute of the clock: 1,200 calls of
  \`POST /v3/devices/{deviceId}/commands\`, 60 calls of \`POST /v3/jobs/create\`, 60 each of \`POST /v3/jobs/dispatch\`, \`POST /v3/jobs/check\`,
  \`POST /v3/missions\` and \`PUT /v3/missions/{missionId}\`, 30 of
  \`POST /v3/streams/share\` and 120 each of \`GET /v3/shares/{shareCode}/resources\` and
  \`GET /v3/events\`. Every call that reaches the service counts, also a
  refused or repeated one. These operations send \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`. Other
  operations have no limit of their own, but AWS limits the whole service. \`GET /v3/limits\` lists all limits with what is left.
- **429** has \`Retry-After\` when a limit of the client, or of its organisation, is reached: wait that many seconds. Without the header, wait a second and
  double that with each further attempt.
- **500** means that the request may have been executed. Repeat it: GET, PATCH and DELETE as they are, creates with the same
  \`Idempotency-Key\`.

## Versions

The path has the version, \`/v3/\`. Within it, new operations, optional request fields, reply fields and error details may be added;
nothing is removed or changes its meaning. Something deprecated is marked as such here, works for at least six months more, and its
responses carry \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594). Nothing is deprecated today.
`.trim();

export const openApiInfo: OpenApiDocument['info'] = {
  title: 'Drone Mission Integration API',
  summary: 'Drone missions, shares and fleet for integration partners.',
  description,
  version: '3.0.0',
  license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
};

export const externalDocs = { description: 'Guides, and the reference of the real-time channels', url: '/docs/' };

export const openApiServers: OpenApiDocument['servers'] = [
  {
    url: 'https://{address}',
    description: 'The service',
    variables: {
      address: {
        default: 'api.drone-missions.example',
        description:
          'REST address from your onboarding, without `https://`, such as `a1b2c3d4e5.execute-api.eu-central-1.amazonaws.com/live`.',
      },
    },
  },
  { url: 'http://127.0.0.1:3000', description: 'The service on one machine, started by `npm start`' },
];

/** Texts of the tags, in the order of the document. */
const tagTexts: Readonly<Record<Tag, string>> = {
  Tokens: 'Access tokens for all other operations.',
  Jobs: 'A job is a drone mission. The drone platform queues it, flies it and reports its progress; its status follows a fixed lifecycle.',
  Missions:
    'A mission is a line of waypoints, made from a file. A job flies it by its `missionId`, as often as you like.',
  Shares:
    'A share is a link to a page that shows one device live to people without a login, until it expires or is revoked. Reading, listing and revoking work under `/v3/shares` and `/v3/streams/share` alike.',
  Resources: 'The device groups of your organisation, with their devices.',
  Commands:
    'A command tells a device in flight what to do now. Each one ends with an outcome. The guide “Steer a drone” says what each command does.',
  Events: 'What has happened in your organisation, for clients that were not connected.',
  Limits: 'What a client may do, and what is left of it.',
};

export const tags = Object.entries(tagTexts).map(([name, description]) => ({ name, description }));
