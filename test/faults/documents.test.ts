import { responseExamples } from '../contract/documents/openapi-file';
import { clients } from '../api/client';
import { needsFault } from '../api/documents/cases';
import { expectDocumented } from '../api/documents/documented';
import { sendTo, validRequest } from '../api/documents/requests';
import { injectFaults } from './inject-faults';

const [partner] = clients('document-faults');

const provoked = responseExamples
  .filter((one) => needsFault(one, one.status))
  .map((one) => [one.operation.operationId, one.status, one] as const);

describe('While AWS fails, the REST API', () => {
  test.each(provoked)('answers %s as documented with %d', async (_operation, status, placed) => {
    const request = await validRequest(placed, partner);
    injectFaults(status === 429 ? { restApi: { throttled: 1 } } : { dynamodb: { down: true } });
    const received = await sendTo(placed, request);
    expect({ status: received.status, body: received.body }).toMatchObject({ status });
    expectDocumented(`${placed.method} ${placed.path}`, received);
    const requestId = received.headers.get('x-request-id');
    expect(received.body).toEqual({ ...(placed.example.value as object), ...(status === 500 && { requestId }) });
  });
});
