import { request } from 'node:http';
import { connect } from 'node:net';
import { answering, apiPerTest, functionAtF } from './rest-api-fixture';

const start = apiPerTest();

/** Starts an API of one function at `/f`. */
const withFunction = (source: string, method = {}) => start(functionAtF(source, method));

describe('Payload size', () => {
  const megabyte = 1024 * 1024;

  test.each([
    ['accepts 5 MB', 5 * megabyte, 200],
    ['refuses 7 MB, the limit of a function', 7 * megabyte, 413],
    ['refuses 11 MB, the limit of the gateway', 11 * megabyte, 413],
  ])('%s', async (_what, size, status) => {
    const { fetch } = await withFunction(
      'exports.handler = async ({ body }) => ({ statusCode: 200, body: String(body.length) })',
    );
    const response = await fetch('/f', { method: 'POST', body: 'x'.repeat(size) });
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(status === 200 ? String(size) : '{"message":"Request Too Long"}');
  });

  test.each([
    [9, 418],
    [11, 413],
  ])('a chunked body of %i MB is answered with %i by a mock integration', async (megabytes, status) => {
    const replies = { default: { statusCode: '418' } };
    const mock = { requestTemplates: { 'application/json': '{"statusCode":418}' }, responses: replies };
    const responses = { 418: { description: 'A teapot' } };
    const { url } = await start({ methods: { 'POST /f': { mock, responses } } });
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      const upload = request(`${url}/f`, { method: 'POST' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      upload.on('error', reject);
      for (let sent = 0; sent < megabytes; sent += 1) upload.write(Buffer.alloc(megabyte));
      upload.end();
    });
    expect(answered).toBe(status);
  });
});

test('answers 400 to a request that is not HTTP', async () => {
  const { url } = await withFunction(answering({ statusCode: 200 }));
  const received = await new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
    socket.on('data', (data) => resolve(data.toString()));
  });
  expect(received).toContain('400 Bad Request');
});
