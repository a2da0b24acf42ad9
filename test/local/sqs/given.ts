import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createAwsEndpoint, type AwsEndpoint } from '../../../local/aws-endpoint';
import { createSqs, type Sqs } from '../../../local/sqs';

export const place = { region: 'eu-central-1', accountId: '000000000000' };
export const arnOf = (name: string) => `arn:aws:sqs:eu-central-1:000000000000:${name}`;

/** SQS at an endpoint, with a client that may do everything. */
export interface GivenSqs {
  readonly sqs: Sqs;
  readonly client: SQSClient;
  readonly endpoint: AwsEndpoint;
  readonly folder: string;
  /** Makes a queue and gives its URL. */
  queue(name: string, properties?: Record<string, unknown>): string;
  /** Another SQS on the same data folder, as after a restart. */
  again(): Sqs;
  end(): Promise<void>;
}

export async function givenSqs(): Promise<GivenSqs> {
  const folder = await mkdtemp(join(tmpdir(), 'sqs-test-'));
  const endpoint = createAwsEndpoint();
  await endpoint.start();
  const again = () => createSqs({ ...place, endpointUrl: endpoint.url, dataFolder: folder });
  const sqs = again();
  endpoint.add(sqs);
  const client = new SQSClient({
    endpoint: endpoint.url,
    region: place.region,
    credentials: endpoint.admin,
    maxAttempts: 1,
  });
  return {
    ...{ sqs, client, endpoint, folder, again },
    queue: (name, properties = {}) => makeQueue(sqs, name, properties),
    async end() {
      client.destroy();
      await sqs.stop?.();
      await endpoint.stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** Makes a queue as a template would, and gives its URL. */
export function makeQueue(sqs: Sqs, name: string, properties: Record<string, unknown> = {}): string {
  const resource = { type: 'AWS::SQS::Queue', logicalId: name, properties, metadata: {} };
  const created = sqs.create(resource);
  if (created instanceof Promise) throw new Error('Making a queue takes no time');
  return created.ref;
}
