import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { routeOf } from '../../contract/access';
import type { Answer } from '../client/rest';
import { call } from './endpoint';
import type { Story } from './story';
import { inOneLine } from './unexpected';

type Creation = 'POST /v3/jobs/create' | 'POST /v3/streams/share';

const made = z.union([
  z.looseObject({ job: z.looseObject({ jobId: z.string() }) }).transform(({ job }) => `/v3/jobs/${job.jobId}`),
  z
    .looseObject({ share: z.looseObject({ shareCode: z.string() }) })
    .transform(({ share }) => `/v3/shares/${share.shareCode}`),
]);

/** Path of what an answer says was created, undefined when it names nothing. */
const pathIn = ({ body }: Answer) => made.safeParse(body).data;

/** Whether something may have been created, whatever the answer says: a refusal creates nothing. */
const mayHaveMade = ({ status }: Answer) => status < 400 || status >= 500;

/**
 * Creates a job or a share that is deleted in the end. When it can't be told from the answer what was created, or no
 * answer comes, the request is sent again with its Idempotency-Key then, and answered as it was the first time.
 */
export async function create(story: Story, key: Creation, body: object): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID() };
  const bearer = { authorization: `Bearer ${story.take('token')}` };
  const unknown = `what ${key} ${headers['idempotency-key']} has made`;
  story.cleanUp.remember(unknown, async (signal) => {
    const again = await story.rest.send('POST', routeOf(key).path, {
      headers: { ...headers, ...bearer },
      body,
      signal,
    });
    const path = pathIn(again);
    if (path !== undefined) await remove(path, signal);
    else if (mayHaveMade(again)) throw new Error(inOneLine(again));
  });

  async function remove(path: string, signal: AbortSignal): Promise<void> {
    const gone = await story.rest.send('DELETE', path, { headers: bearer, signal });
    if (gone.status !== 200 && gone.status !== 404) throw new Error(inOneLine(gone));
  }

  const answer = await call(story, key, { headers, body });
  const path = pathIn(answer);
  if (path !== undefined) story.cleanUp.remember(path, (signal) => remove(path, signal));
  if (path !== undefined || !mayHaveMade(answer)) story.cleanUp.forget(unknown);
  return answer;
}
