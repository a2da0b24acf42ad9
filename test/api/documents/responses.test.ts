import { responseExamples } from '../../contract/documents/openapi-file';
import { needsFault, provoke } from './cases';
import { expectDocumented } from './documented';

const provoked = responseExamples
  .filter((one) => !needsFault(one, one.status))
  .map((one) => [one.operation.operationId, one.status, one.name, one] as const);

/** Who holds a device, and until when, is not as in the document. */
const withoutHolder = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body).replaceAll(/is held by \S+ until [^"]+/g, 'is held'));

describe('The REST API', () => {
  test.each(provoked)('answers %s as documented with %d, %s', async (_operation, status, name, placed) => {
    const received = await provoke(placed, name);
    expect({ status: received.status, body: received.body }).toMatchObject({ status });
    expect(received.headers.get('content-type')?.split(';')[0]).toBe(placed.mediaType);
    expectDocumented(`${placed.method} ${placed.path}`, received);
    if (status >= 400) expect(withoutHolder(received.body)).toEqual(withoutHolder(placed.example.value));
  });
});
