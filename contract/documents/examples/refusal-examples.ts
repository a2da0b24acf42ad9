import * as z from 'zod/mini';
import { cannotCancel, REPORTED_BY_PLATFORM } from '../../../domain/jobs/job-change';
import { foreign, type Detail, type RefusalCode } from '../../../domain/values/refusal';
import { type Endpoint } from '../../terms/endpoint';
import { scopeNames, namedScopes } from '../../terms/scopes';
import type { EndpointKey } from '../../endpoints';
import { knownParameters } from '../../terms/validation-messages';
import { apiKeyRefused, apiKeyUnknown, clientSuspended, lacksScope } from '../../terms/forbidden';

/** An example of a refusal: what was wrong with the request. */
export interface RefusalExample {
  readonly summary: string;
  readonly details?: readonly Detail[];
}

const detail = (path: string, message: string) => ({ details: [{ path, message }] });

/** What each refusal means to a client; the summary of its example. */
export const refusalSummaries: Readonly<Record<RefusalCode, string>> = {
  invalid_request: 'A parameter or a part of the body is missing or invalid',
  unsupported_grant_type: '`grant_type` is not `client_credentials`',
  invalid_client: 'The client id is unknown or the client secret is wrong',
  unauthorized: 'The token is missing, invalid or expired',
  forbidden: 'The token lacks the scope, another organisation owns the resource, or the client is suspended',
  job_not_found: 'The job does not exist, or it was deleted',
  mission_not_found: 'The mission does not exist, or it was deleted',
  command_not_found: 'The device has no such command',
  share_not_found: 'The share does not exist, has expired or was revoked',
  device_group_not_found: 'The device group does not exist',
  resource_not_found: 'No device and no video stream has this `resourceId`',
  not_acceptable: '`Accept` allows none of the media types of the reply',
  cannot_cancel: 'The job is neither `PENDING` nor `QUEUED`',
  held_by: 'Another client holds the control of the device; `details` says which, and until when',
  cannot_command: 'The device can’t be told this now; `details` says why',
  no_device: 'No device is free; `details` has the nearest with their reasons',
  cursor_expired: 'The log no longer reaches back to the cursor',
  unsupported_media_type: 'The body is in another charset than UTF-8, or a file of another type',
  stale_version: 'The job has another version than `If-Match` requires',
  too_many_requests: 'A limit is reached',
  too_many_viewers: 'The share has all the viewers that it allows',
  unknown_action: 'The action of the message is unknown',
};

/** Invalid requests that are possible on every endpoint. */
export const unknownParameter = ({ request }: Endpoint): RefusalExample => {
  const known = request.query instanceof z.ZodMiniObject ? Object.keys(request.query.shape) : [];
  return {
    summary: 'A query parameter that the operation does not have',
    ...detail('page', `unknown parameter${knownParameters(known)}`),
  };
};

/** Invalid requests with a body in JSON. */
export const invalidBodies: Readonly<Record<string, RefusalExample>> = {
  noBody: { summary: 'No body', ...detail('', 'a JSON body is required') },
  repeatedMember: { summary: 'A member is given twice', ...detail('name', 'must be given once') },
  malformedBody: { summary: 'The body is not JSON', ...detail('', 'the body is not valid JSON') },
};

/** Invalid requests with a file. */
export const invalidFiles: Readonly<Record<string, RefusalExample>> = {
  noFile: { summary: 'No file', ...detail('', 'a file is required') },
  outOfRange: {
    summary: 'A waypoint that is not on Earth',
    ...detail('waypoints.1', 'waypoint 1 has the latitude 91: -90 to 90 degrees are allowed'),
  },
};

/** The token endpoint ignores unknown fields. */
export const unknownField: RefusalExample = {
  summary: 'A field that does not exist',
  ...detail('colour', 'unknown field'),
};

export const invalidKeys: Readonly<Record<string, RefusalExample>> = {
  invalidKey: { summary: 'The key is not a UUID', ...detail('Idempotency-Key', 'must be a UUID') },
  reusedKey: {
    summary: 'The key was used with another body in the last 24 hours',
    ...detail('Idempotency-Key', 'has been used with another body'),
  },
};

/** Endpoints whose body names a device group. */
const namesGroup: readonly EndpointKey[] = ['POST /v3/jobs/create', 'POST /v3/jobs/dispatch', 'POST /v3/jobs/check'];

/** The field or path parameter of an endpoint that may name another organisation's resource. */
function foreignIn(key: EndpointKey): string | undefined {
  if (namesGroup.includes(key)) return 'deviceGroupId';
  if (key === 'POST /v3/streams/share') return 'resourceId';
  return /\{(\w+)\}/.exec(key)?.[1];
}

/** Why an endpoint may answer 403. */
export function forbiddenCauses(key: EndpointKey, endpoint: Endpoint): Readonly<Record<string, RefusalExample>> {
  if (endpoint.scope === null)
    return {
      unknownApiKey: { summary: 'No API key, or an unknown one', details: apiKeyUnknown().details },
      otherApiKey: { summary: 'An API key of another client, or a suspended client', details: apiKeyRefused().details },
    };
  const granted = (['command:read', 'share:read'] as const).find((scope) => !namedScopes(endpoint).includes(scope));
  const named = foreignIn(key);
  return {
    ...(granted !== undefined && {
      lacksScope: {
        summary: `A token that has only the scope \`${granted}\``,
        details: lacksScope('Authorization', scopeNames(endpoint)).details,
      },
    }),
    ...(named !== undefined && {
      otherOrganisation: { summary: 'A resource of another organisation', details: foreign(named).details },
    }),
    suspendedClient: {
      summary: 'A client that was suspended; it gets this within five minutes',
      details: clientSuspended().details,
    },
  };
}

const invalidPages: Readonly<Record<string, RefusalExample>> = {
  invalidLimit: {
    summary: '`limit` is not a number of 1 or more',
    ...detail('limit', 'must be an integer of 1 or more'),
  },
  foreignToken: { summary: '`nextToken` is not of this list', ...detail('nextToken', 'is not a token of this list') },
};

/** Why a job can't be cancelled. */
export const cancelRefusals: Readonly<Record<string, RefusalExample>> = {
  cannotCancel: { summary: refusalSummaries.cannot_cancel },
  inFlight: {
    summary: 'The job is in flight; `details` has what ends the flight',
    details: cannotCancel('IN_PROGRESS').details,
  },
};

/** Invalid requests of one endpoint. */
export const invalidRequests: Partial<Record<EndpointKey, Readonly<Record<string, RefusalExample>>>> = {
  'POST /v3/auth/token': {
    noCredentials: { summary: 'No client credentials', ...detail('', 'client_id and client_secret are required') },
    credentialsTwice: {
      summary: 'Credentials both in the body and by HTTP Basic',
      ...detail('Authorization', 'client credentials must come one way, not two (RFC 6749 section 2.3)'),
    },
  },
  'POST /v3/jobs/create': {
    misspeltField: {
      summary: 'A misspelt field',
      ...detail('prioritty', 'unknown field; did you mean priority?'),
    },
    invalidFields: {
      summary: 'Several faults',
      details: [
        { path: 'name', message: 'is required' },
        { path: 'priority', message: 'must be 10 or less' },
        {
          path: 'scheduledAt',
          message: 'must be a date and time with an offset (ISO 8601), such as 2026-11-27T10:30:00Z',
        },
      ],
    },
    pastTime: {
      summary: 'A time in the past',
      ...detail('scheduledAt', 'is more than five minutes ago'),
    },
    foreignDevice: {
      summary: 'The device is not in the device group',
      ...detail('deviceId', 'is not a device of the device group'),
    },
  },
  'GET /v3/jobs': invalidPages,
  'GET /v3/missions': invalidPages,
  'PATCH /v3/jobs/{jobId}': {
    forbiddenMove: {
      summary: 'The lifecycle does not allow this change of the status',
      ...detail('status', "can't move from PENDING to COMPLETED"),
    },
    platformsWord: {
      summary: 'The drone platform has reported on the job, and the status is its word',
      ...detail('status', REPORTED_BY_PLATFORM),
    },
  },
  'GET /v3/events': {
    noCursor: {
      summary: '`after` is no cursor, or a part of one',
      ...detail('after', 'is not a cursor of this service, or a part of one'),
    },
    foreignCursor: {
      summary: 'The cursor of another organisation',
      ...detail('after', "is not a cursor of your organisation's events"),
    },
    futureCursor: {
      summary: 'A cursor that is later than the last event',
      ...detail('after', 'is a cursor that was not issued yet'),
    },
    longWait: {
      summary: '`wait` is too long',
      ...detail('wait', 'must be a whole number of seconds from 0 to 20'),
    },
  },
  'GET /v3/streams/share': invalidPages,
  'GET /v3/shares': invalidPages,
};
