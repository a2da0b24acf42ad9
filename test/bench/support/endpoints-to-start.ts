import { createRequire } from 'node:module';
import { join } from 'node:path';
import { endpointTable } from '../../../contract/endpoint-table';
import { scopes } from '../../../contract/terms/scopes';
import type { EndpointKey } from '../../../contract/endpoints';
import { id } from '../../domain/fixtures/samples';
import { call as answerOf, request } from '../../lambdas/fixtures/api-gateway';
import type { Call } from './bare-function';
import { recordCalls } from './recorded-calls';
import { requestsAbout } from './requests';
import { apiKeyId, storeSubjects } from './stored-subjects';

const load = createRequire(__filename);
const lambdas = join(__dirname, '../../..', 'lambdas');

/** An endpoint's function to start. */
export interface Start {
  /** File below `lambdas/` without `.lambda.ts`. */
  readonly entry: string;
  readonly event: unknown;
  /** Expected status. */
  readonly status: number;
  /** The calls that it makes for this event. */
  readonly calls: readonly Call[];
}

const subjects = {
  jobId: id('job'),
  shareCode: id('share'),
  otherShareCode: id('share'),
  deviceGroupId: id('group'),
  deviceId: id('device'),
  clientId: 'client1',
  clientSecret: 'secret',
};

/** The functions of all endpoints, each run once to record its calls. */
export async function endpointsToStart(): Promise<Start[]> {
  const requests = requestsAbout(subjects);
  const keys = new Map((Object.keys(requests) as EndpointKey[]).map((key) => [endpointTable[key].handler, key]));
  const starts: Start[] = [];
  for (const [entry, key] of keys) {
    const { status } = endpointTable[key].reply;
    const sent = { scopes, apiKeyId, ...requests[key] };
    const { handler } = load(join(lambdas, `${entry}.lambda`)) as { handler: unknown };
    await storeSubjects([]);
    const calls = await recordCalls(async () => {
      const answer = await answerOf(handler, sent);
      if (answer.status !== status) throw new Error(`${key} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    });
    starts.push({ entry, event: request(sent), status, calls });
  }
  return starts;
}
