import { endpoints } from '../../../contract/endpoints';
import type { Answer } from '../../client/rest';
import { create } from '../creation';
import { expectRefusal, expectThat } from '../endpoint';
import type { Step } from '../step';
import type { Story } from '../story';
import { inOneLine, Unexpected } from '../unexpected';

const KEY = 'POST /v3/streams/share';

/** The lowest limit of all, in calls a minute of the clock (spec section 8). */
const { perMinute } = endpoints[KEY];

/** At most so many calls: they fall into two minutes at most, in one of which are more than the limit. */
const MOST_CALLS = 2 * perMinute + 1;

const AT_ONCE = 8;

/** Calls that are refused with 400 count too, and create nothing. */
async function exceed(story: Story): Promise<string> {
  for (let sent = 0; sent < MOST_CALLS; sent += AT_ONCE) {
    const calls = Array.from({ length: AT_ONCE }, () => create(story, KEY, {}));
    const answers = await Promise.all(calls);
    const limited = answers.find(({ status }) => status === 429);
    if (limited) {
      expectLimited(limited);
      return `wait ${limited.headers.get('retry-after')} s before the next run`;
    }
    for (const answer of answers) expectRefusal(answer, 400, 'invalid_request');
  }
  throw new Unexpected('429 beyond the limit', `${MOST_CALLS} answers without it`);
}

function expectLimited(answer: Answer): void {
  expectRefusal(answer, 429, 'Too many requests');
  const [limit, remaining, wait] = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after'].map((name) =>
    Number(answer.headers.get(name) ?? 'none'),
  ) as [number, number, number];
  const so = limit === perMinute && remaining === 0 && wait >= 1 && wait <= 60;
  const expected = `X-RateLimit-Limit: ${perMinute}, X-RateLimit-Remaining: 0 and Retry-After of at most 60`;
  expectThat(so, expected, () => `${limit}, ${remaining}, ${wait} with ${inOneLine(answer)}`);
}

export const limitSteps: readonly Step[] = [{ name: '429 beyond the limit', part: 'limits', run: exceed }];
