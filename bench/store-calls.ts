import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { endpointTable } from '../contract/access';
import type { EndpointKey } from '../contract/endpoints';
import type { CallCounts } from '../local/aws-endpoint';
import type { AwsAccess } from '../local/stack-file';
import type { Measurement } from './figure';
import { startLocalStack } from './local-stack';
import { connectPartner } from './partner-client';
import { requestsAbout } from './requests';

/** What a request may cost where it is more than one call. */
const dearer: Readonly<Partial<Record<EndpointKey, number>>> = {
  'POST /v3/jobs/create': 3,
  'POST /v3/streams/share': 3,
  'GET /v3/shares/{shareCode}/resources': 3,
};

/** Counts, where the AWS APIs of the local stack are, what each endpoint's function asks of DynamoDB for one request. */
export const storeCalls: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'store-calls-'));
  const stack = await startLocalStack(join(__dirname, '..'), folder, ['--memory']);
  try {
    const { subjects, call } = await connectPartner(stack.facts);
    const cases = Object.entries(requestsAbout(subjects)).flatMap(([name, request]) => {
      const key = name as EndpointKey;
      const atMost = dearer[key] ?? 1;
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

/** How often the function of an endpoint has called DynamoDB so far. */
async function callsOf(key: EndpointKey, { endpointUrl, accessKeyId }: AwsAccess): Promise<number> {
  const response = await fetch(`${endpointUrl}/_calls`, { headers: { authorization: `Bearer ${accessKeyId}` } });
  const counts = (await response.json()) as CallCounts;
  // CDK makes the name from the construct's path, without what is no letter.
  const name = `Endpoints${basename(endpointTable[key].handler).replaceAll('-', '')}Function`;
  const caller = Object.keys(counts).find((each) => each.startsWith(name));
  if (!caller) throw new Error(`no function of the stack is that of ${key}`);
  const calls = Object.entries(counts[caller] ?? {}).filter(([operation]) => operation.startsWith('dynamodb:'));
  return calls.reduce((sum, [, count]) => sum + count, 0);
}
