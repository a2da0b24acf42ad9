import { responseExamples } from '../../contract/documents/openapi-file';
import { needsFault, provoke } from './cases';
import { expectDocumented } from './documented';

const provoked = responseExamples
  .filter((one) => !needsFault(one, one.status))
  .map((one) => [one.operation.operationId, one.status, one.name, one] as const);

describe('The REST API', () => {
  test.each(provoked)('answers %s as documented with %d, %s', async (_operation, status, name, placed) => {
    const received = await provoke(placed, name);
    expect({ status: received.status, body: received.body }).toMatchObject({ status });
    expect(received.headers.get('content-type')?.split(';')[0]).toBe(placed.mediaType);
    expectDocumented(`${placed.method} ${placed.path}`, received);
    if (status >= 400) expect(received.body).toEqual(placed.example.value);
  });
});
