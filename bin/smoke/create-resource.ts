import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { routeOf } from '../../contract/access';
import type { Answer } from '../client/rest-client';
import { call } from './api-calls';
import type { SmokeContext } from './smoke-context';
import { inOneLine } from './errors';

type CreationKey = 'POST /v3/jobs/create' | 'POST /v3/streams/share';

const createdResource = z.union([
  z.looseObject({ job: z.looseObject({ jobId: z.string() }) }).transform(({ job }) => `/v3/jobs/${job.jobId}`),
  z
    .looseObject({ share: z.looseObject({ shareCode: z.string() }) })
    .transform(({ share }) => `/v3/shares/${share.shareCode}`),
]);

/** Path of the resource that an answer says was created, undefined when it names none. */
const pathIn = ({ body }: Answer) => createdResource.safeParse(body).data;

/** Whether something may have been created, whatever the answer says: only a 4xx rules it out. */
const mayHaveCreated = ({ status }: Answer) => status < 400 || status >= 500;

/**
 * Creates a job or a share and registers its deletion. When the answer does not say what was created, or none comes,
 * the clean-up repeats the request with its Idempotency-Key, which returns the first answer.
 */
export async function createResource(context: SmokeContext, key: CreationKey, body: object): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID() };
  const bearer = { authorization: `Bearer ${context.get('token')}` };
  const unknown = `what ${key} ${headers['idempotency-key']} created`;
  context.cleanUp.add(unknown, async (signal) => {
    const repeated = await context.rest.send('POST', routeOf(key).path, {
      headers: { ...headers, ...bearer },
      body,
      signal,
    });
    const path = pathIn(repeated);
    if (path !== undefined) await deleteResource(path, signal);
    else if (mayHaveCreated(repeated)) throw new Error(inOneLine(repeated));
  });

  async function deleteResource(path: string, signal: AbortSignal): Promise<void> {
    const deleted = await context.rest.send('DELETE', path, { headers: bearer, signal });
    if (deleted.status !== 200 && deleted.status !== 404) throw new Error(inOneLine(deleted));
  }

  const answer = await call(context, key, { headers, body });
  const path = pathIn(answer);
  if (path !== undefined) context.cleanUp.add(path, (signal) => deleteResource(path, signal));
  if (path !== undefined || !mayHaveCreated(answer)) context.cleanUp.remove(unknown);
  return answer;
}
