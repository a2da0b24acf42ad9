import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { postForm } from '../../../data/access/post-form';

/** What the server does with each request, in order; the last one again for all further ones. */
let answers: RequestListener[] = [];
let requests = 0;
const server = createServer((request, response) => {
  answers[Math.min(requests++, answers.length - 1)]?.(request, response);
});
let url: string;

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/oauth2/token`;
});

beforeEach(() => {
  requests = 0;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const cut: RequestListener = (request) => request.socket.destroy();
const cutAfterHalf: RequestListener = (request, response) => {
  response.writeHead(200, { 'Content-Length': 100 }).write('half', () => request.socket.destroy());
};
const neverEnds: RequestListener = (_, response) => {
  response.write('half');
};
const done: RequestListener = (_, response) => response.writeHead(429).end('done');

const post = (timeoutMs = 5000) => postForm(url, new URLSearchParams({ secret: 'a+b&c=d' }), timeoutMs);

test('sends the fields as a form and returns status and body', async () => {
  answers = [
    (request, response) =>
      void text(request).then((body) =>
        response.writeHead(400).end(JSON.stringify([request.method, request.url, request.headers, body])),
      ),
  ];
  const { status, body } = await post();
  expect([status, JSON.parse(body)]).toEqual([
    400,
    [
      'POST',
      '/oauth2/token',
      expect.objectContaining({ 'content-type': 'application/x-www-form-urlencoded', 'content-length': '20' }),
      'secret=a%2Bb%26c%3Dd',
    ],
  ]);
});

test.each([
  ['before the response', cut],
  ['during the response', cutAfterHalf],
])('sends the form once more when the connection is closed %s', async (_, first) => {
  answers = [first, done];
  await expect(post()).resolves.toEqual({ status: 429, body: 'done' });
  expect(requests).toBe(2);
});

test.each([
  ['before the response', cut],
  ['during the response', cutAfterHalf],
])('fails when the connection is closed %s both times', async (_, always) => {
  answers = [always];
  await expect(post()).rejects.toThrow(/socket hang up|aborted/);
  expect(requests).toBe(2);
});

test.each<[string, RequestListener]>([
  ['nothing', () => undefined],
  ['a response that does not end', neverEnds],
])('gives up at the timeout when the server sends %s', async (_, always) => {
  const limit = new AbortController();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(limit.signal);
  answers = [
    (request, response) => {
      always(request, response);
      // Not before the request has come, however long that takes.
      setTimeout(() => limit.abort(new DOMException('late', 'TimeoutError')), 50);
    },
  ];
  await expect(post(50)).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(timeout.mock.calls).toEqual([[50]]);
  timeout.mockRestore();
  expect(requests).toBe(1);
});

test('fails for an address where nobody listens', async () => {
  await expect(postForm('http://127.0.0.1:1/', new URLSearchParams(), 5000)).rejects.toThrow('ECONNREFUSED');
});

test('uses TLS for an https address', async () => {
  await expect(postForm(url.replace('http:', 'https:'), new URLSearchParams(), 5000)).rejects.toMatchObject({
    code: expect.stringMatching(/EPROTO|SSL/) as string,
  });
});
