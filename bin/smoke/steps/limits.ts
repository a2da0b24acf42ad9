import { endpoints } from '../../../contract/endpoints';
import type { Answer } from '../../client/rest-client';
import { createResource } from '../create-resource';
import { expectRefusal, expectThat } from '../api-calls';
import type { Step } from '../step';
import type { SmokeContext } from '../smoke-context';
import { inOneLine, Unexpected } from '../errors';

const KEY = 'POST /v3/streams/share';

/** The lowest limit of all endpoints, in calls per clock minute (spec section 8). */
const { perMinute } = endpoints[KEY];

/** The calls span at most two minutes, one of which then exceeds the limit. */
const MAX_CALLS = 2 * perMinute + 1;

const CONCURRENT_CALLS = 8;

/** Calls refused with 400 count too, and create nothing. */
async function exceedLimit(context: SmokeContext): Promise<string> {
  for (let sent = 0; sent < MAX_CALLS; sent += CONCURRENT_CALLS) {
    const calls = Array.from({ length: CONCURRENT_CALLS }, () => createResource(context, KEY, {}));
    const answers = await Promise.all(calls);
    const limited = answers.find(({ status }) => status === 429);
    if (limited) {
      expectLimited(limited);
      return `wait ${limited.headers.get('retry-after')} s before the next run`;
    }
    for (const answer of answers) expectRefusal(answer, 400, 'invalid_request');
  }
  throw new Unexpected('429 beyond the limit', `${MAX_CALLS} answers without it`);
}

function expectLimited(answer: Answer): void {
  expectRefusal(answer, 429, 'Too many requests');
  const [limit, remaining, wait] = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after'].map((name) =>
    Number(answer.headers.get(name) ?? 'none'),
  ) as [number, number, number];
  const holds = limit === perMinute && remaining === 0 && wait >= 1 && wait <= 60;
  const expected = `X-RateLimit-Limit: ${perMinute}, X-RateLimit-Remaining: 0 and Retry-After of at most 60`;
  expectThat(holds, expected, () => `${limit}, ${remaining}, ${wait} with ${inOneLine(answer)}`);
}

export const limitSteps: readonly Step[] = [{ name: '429 beyond the limit', part: 'limits', run: exceedLimit }];
