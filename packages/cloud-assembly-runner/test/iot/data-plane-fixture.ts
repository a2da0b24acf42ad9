import { IoTDataPlaneClient, PublishCommand } from '@aws-sdk/client-iot-data-plane';
import { createAwsEndpoint, type Credentials } from '../../aws-endpoint';
import { parsePolicy } from '../../iam/policy';
import { account, iotForAllTests, policy } from './fixture';

/**
 * The broker of all tests of a file, and clients of its data plane API. Not to be used before the tests.
 * @returns `admin`: a client with all permissions; `holding`: one with those of a policy; `publish`: by the admin, with QoS 1
 */
export function dataPlaneForAllTests() {
  const endpoint = createAwsEndpoint();
  const clients: IoTDataPlaneClient[] = [];
  // Registered before the broker's own, which ends last.
  afterAll(async () => {
    for (const client of clients) client.destroy();
    await endpoint.stop();
  });
  const given = iotForAllTests();
  beforeAll(async () => {
    endpoint.add(given.iot);
    await endpoint.start();
  });

  const as = (credentials: Credentials) => {
    const client = new IoTDataPlaneClient({
      // Its port is known when it has started.
      endpoint: () => Promise.resolve({ url: new URL(endpoint.url) }),
      region: account.region,
      credentials,
      maxAttempts: 1,
    });
    clients.push(client);
    return client;
  };
  const holding = (...statements: object[]) =>
    as(endpoint.register('caller', () => [parsePolicy(policy(...statements))]));
  const admin = as(endpoint.admin);
  const publish = (topic: string, payload: string | Buffer, retain = false) =>
    admin.send(new PublishCommand({ topic, payload: Buffer.from(payload), qos: 1, retain }));
  return { given, admin, holding, publish };
}
