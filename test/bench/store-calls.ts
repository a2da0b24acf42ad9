import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { endpointTable } from '../../contract/endpoint-table';
import type { EndpointKey } from '../../contract/endpoints';
import type { AwsAccess, CallCounts } from 'cloud-assembly-runner';
import type { Measurement } from './support/figure';
import { startLocalStack } from './support/local-stack';
import { connectPartner } from './support/partner-client';
import { requestsAbout } from './support/requests';
import { callsOnStack, storeCalls as callRows } from '../lambdas/fixtures/store-calls';

/** How often an endpoint's function may call DynamoDB for a request. */
function mostCalls(key: EndpointKey, withKey: boolean): number {
  const row = callRows.find(([each, { headers = {} }]) => each === key && 'Idempotency-Key' in headers === withKey);
  if (!row) throw new Error(`test/lambdas/fixtures/store-calls.ts has no row of ${key}`);
  return callsOnStack[key] ?? row[2];
}

/** Counts the DynamoDB calls of each endpoint's function per request, by the AWS endpoint of the local stack. */
export const storeCalls: Measurement = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'store-calls-'));
  const stack = await startLocalStack(join(__dirname, '../..'), folder, ['--memory']);
  try {
    const { subjects, call } = await connectPartner(stack.facts);
    const cases = Object.entries(requestsAbout(subjects)).flatMap(([name, request]) => {
      const key = name as EndpointKey;
      const withKey = { ...request, headers: { 'Idempotency-Key': randomUUID() } };
      const plain = { title: key, key, request, atMost: mostCalls(key, false) };
      if (!endpointTable[key].idempotent) return [plain];
      const title = `${key} with Idempotency-Key`;
      return [plain, { title, key, request: withKey, atMost: mostCalls(key, true) }];
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
