import { requestExamples } from '../../contract/documents/openapi-file';
import { clients } from '../client';
import { expectDocumented } from './documented';
import { authorised, sendTo, validRequest, withRealValues } from './requests';

const [client] = clients('document-requests');
const { clientId, clientSecret } = client.credentials;

const sent = requestExamples.map((one) => [one.operation.operationId, one.mediaType, one.name, one] as const);

const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;

/** An example as a body of this type. */
function bodyOf(type: string, example: unknown): unknown {
  if (typeof example !== 'object') return example;
  const body = withRealValues(example, client);
  return type.endsWith('json') ? body : new URLSearchParams(body as Record<string, string>).toString();
}

describe('The REST API', () => {
  test.each(sent)(
    'accepts the request of %s in %s that the document shows as %s',
    async (_operation, type, name, placed) => {
      const received = await sendTo(placed, {
        ...(await validRequest(placed, client)),
        headers: {
          ...(await authorised(placed, client)),
          'content-type': type,
          ...(name === 'basic' && { authorization: basic(clientId, clientSecret) }),
        },
        body: bodyOf(type, placed.example.value),
      });
      expect(received).toMatchObject({ status: Number(Object.keys(placed.operation.responses)[0]) });
      expectDocumented(`${placed.method} ${placed.path}`, received);
    },
  );
});
