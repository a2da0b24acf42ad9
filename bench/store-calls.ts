import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { endpointTable } from '../contract/access';
import type { EndpointKey } from '../contract/endpoints';
import type { CallCounts } from 'cloud-assembly-runner';
import type { AwsAccess } from 'cloud-assembly-runner';
import type { Measurement } from './support/figure';
import { startLocalStack } from './support/local-stack';
import { connectPartner } from './support/partner-client';
import { requestsAbout } from './support/requests';

/** Limits of requests that need more than one call. */
const maxCalls: Readonly<Partial<Record<EndpointKey, number>>> = {
  'POST /v3/jobs/create': 3,
  'POST /v3/streams/share': 3,
  'GET /v3/jobs/{jobId}/track': 2,
  // The job; and the device, of which there is no command.
  'GET /v3/jobs/{jobId}/commands': 2,
  'GET /v3/devices/{deviceId}/commands': 2,
  // The job, its timeline, and what the index of timelines may not have yet: one page more after more than ten events in ten seconds.
  'GET /v3/jobs/{jobId}/events': 4,
  // The counters beside the subscriptions; and the count of a limit.
  'GET /v3/limits': 2,
  'GET /v3/events': 3,
  'GET /v3/shares/{shareCode}/resources': 3,
  // The groups, and the devices in eight partitions: at the same time.
  'GET /v3/resources': 9,
  // The second call finds the viewers, who are closed before the answer.
  'DELETE /v3/shares/{shareCode}': 3,
  'DELETE /v3/streams/share/{shareCode}': 3,
};

/** Counts the DynamoDB calls of each endpoint's function per request, by the AWS endpoint of the local stack. */
export const storeCalls: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'store-calls-'));
  const stack = await startLocalStack(join(__dirname, '..'), folder, ['--memory']);
  try {
    const { subjects, call } = await connectPartner(stack.facts);
    const cases = Object.entries(requestsAbout(subjects)).flatMap(([name, request]) => {
      const key = name as EndpointKey;
      const atMost = maxCalls[key] ?? 1;
      const withKey = { ...request, headers: { 'Idempotency-Key': randomUUID() } };
      const plain = { title: key, key, request, atMost };
      const idempotent = { title: `${key} with Idempotency-Key`, key, request: withKey, atMost: atMost + 1 };
      return endpointTable[key].idempotent ? [plain, idempotent] : [plain];
    });
    const measured = [];
    for (const { title, key, request, atMost } of cases) {
      const before = await callsOf(key, stack.access);
      await call(key, request);
      const calls = (await callsOf(key, stack.access)) - before;
      measured.push({
        figure: `DynamoDB calls: ${title}`,
        measured: String(calls),
        mustBe: atMost === 1 ? '1' : `at most ${atMost}`,
        ok: calls <= atMost,
      });
    }
    return measured;
  } finally {
    await stack.stop();
    await rm(folder, { recursive: true });
  }
};

/** DynamoDB calls of an endpoint's function so far. */
async function callsOf(key: EndpointKey, { endpointUrl, accessKeyId }: AwsAccess): Promise<number> {
  const response = await fetch(`${endpointUrl}/_calls`, { headers: { authorization: `Bearer ${accessKeyId}` } });
  const counts = (await response.json()) as CallCounts;
  const name = `-${basename(endpointTable[key].handler)}`;
  const caller = Object.keys(counts).find((each) => each.endsWith(name));
  if (!caller) throw new Error(`the stack has no function for ${key}`);
  const calls = Object.entries(counts[caller] ?? {}).filter(([operation]) => operation.startsWith('dynamodb:'));
  return calls.reduce((sum, [, count]) => sum + count, 0);
}
