import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { splitEndpointKey } from '../../contract/endpoint-table';
import type { Answer } from '../client/rest-client';
import { call, expectReply } from './api-calls';
import type { SmokeContext } from './smoke-context';
import { inOneLine } from './errors';

type CreationKey = 'POST /v3/jobs/create' | 'POST /v3/jobs/dispatch' | 'POST /v3/streams/share';

const MISSION_KEY = 'POST /v3/missions';
const MISSIONS_KEY = 'GET /v3/missions';

const createdResource = z.union([
  z.looseObject({ job: z.looseObject({ jobId: z.string() }) }).transform(({ job }) => `/v3/jobs/${job.jobId}`),
  z
    .looseObject({ share: z.looseObject({ shareCode: z.string() }) })
    .transform(({ share }) => `/v3/shares/${share.shareCode}`),
  z
    .looseObject({ mission: z.looseObject({ missionId: z.string() }) })
    .transform(({ mission }) => `/v3/missions/${mission.missionId}`),
]);

/** Path of the resource that an answer says was created, undefined when it names none. */
const pathIn = ({ body }: Answer) => createdResource.safeParse(body).data;

/** Whether something may have been created, whatever the answer says: only a 4xx rules it out. */
const mayHaveCreated = ({ status }: Answer) => status < 400 || status >= 500;

/** A request that creates something. */
interface Creation {
  /** Name of what it creates, for people, while its path is not known. */
  readonly what: string;
  readonly send: () => Promise<Answer>;
  /**
   * Finds what was created when no answer says it.
   * @param bearer header with the token
   * @returns its path, undefined when there is nothing
   * @throws Error when nobody knows
   */
  readonly find: (bearer: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<string | undefined>;
}

/** Creates a resource and registers its deletion. */
async function create(context: SmokeContext, { what, send, find }: Creation): Promise<Answer> {
  // First: without a token nothing is created, and there is nothing to clean up.
  const bearer = { authorization: `Bearer ${context.get('token')}` };

  async function deleteResource(path: string, signal: AbortSignal): Promise<void> {
    const deleted = await context.rest.send('DELETE', path, { headers: bearer, signal });
    if (deleted.status !== 200 && deleted.status !== 404) throw new Error(inOneLine(deleted));
  }

  context.cleanUp.add(what, async (signal) => {
    const path = await find(bearer, signal);
    if (path !== undefined) await deleteResource(path, signal);
  });
  const answer = await send();
  const path = pathIn(answer);
  if (path !== undefined) context.cleanUp.add(path, (signal) => deleteResource(path, signal));
  if (path !== undefined || !mayHaveCreated(answer)) context.cleanUp.remove(what);
  return answer;
}

/**
 * Creates a job or a share and registers its deletion. When the answer does not say what was created, or none comes,
 * the clean-up repeats the request with its Idempotency-Key, which returns the first answer.
 */
export function createResource(context: SmokeContext, key: CreationKey, body: object): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID() };
  return create(context, {
    what: `what ${key} ${headers['idempotency-key']} created`,
    send: () => call(context, key, { headers, body }),
    find: async (bearer, signal) => {
      const request = { headers: { ...headers, ...bearer }, body, signal };
      const repeated = await context.rest.send('POST', splitEndpointKey(key).path, request);
      const path = pathIn(repeated);
      if (path === undefined && mayHaveCreated(repeated)) throw new Error(inOneLine(repeated));
      return path;
    },
  });
}

/**
 * Creates a mission and registers its deletion. A file has no Idempotency-Key: when the answer does not say what was
 * created, or none comes, the clean-up looks for a mission of its name, which no other has.
 * @param fileOf makes the file, in GeoJSON, for that name
 */
export function createMission(context: SmokeContext, fileOf: (name: string) => object): Promise<Answer> {
  const name = `Smoke test ${randomUUID()}`;
  return create(context, {
    what: `the mission ${name}`,
    send: () => call(context, MISSION_KEY, { headers: { 'content-type': 'application/geo+json' }, body: fileOf(name) }),
    find: async (bearer, signal) => {
      const { method, path } = splitEndpointKey(MISSIONS_KEY);
      const listed = await context.rest.send(method, path, { headers: bearer, signal });
      const found = expectReply(MISSIONS_KEY, listed).missions.find((mission) => mission.name === name);
      return found && `/v3/missions/${found.missionId}`;
    },
  });
}
