import { apiPerTest } from './rest-api-fixture';

const start = apiPerTest();

describe('Gateway response', () => {
  const body = (template: string) => ({ responseTemplates: { 'application/json': template } });
  const methods = { 'GET /closed': { function: 'f', apiKey: true }, 'GET /f': { function: 'f' } };
  const functions = { f: 'exports.handler = async () => { throw new Error("no"); }' };

  test('has the status, headers and body customised for its type', async () => {
    const { fetch } = await start({
      functions,
      methods,
      gatewayResponses: {
        INVALID_API_KEY: {
          statusCode: '401',
          responseParameters: {
            'gatewayresponse.header.WWW-Authenticate': '\'Key realm="a"\'',
            'gatewayresponse.header.x-request-id': 'context.requestId',
            'gatewayresponse.header.x-from': 'method.request.header.X-From',
          },
          ...body(
            '{"error":$context.error.messageString,"raw":"$context.error.message","type":"$context.error.responseType","id":"$context.requestId"}',
          ),
        },
      },
    });
    const response = await fetch('/closed', { headers: { 'x-from': 'me' } });
    const id = response.headers.get('x-amzn-requestid');
    expect(response.status).toBe(401);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'www-authenticate': 'Key realm="a"',
      'x-request-id': id,
      'x-from': 'me',
      'content-type': 'application/json',
    });
    expect(await response.json()).toEqual({ error: 'Forbidden', raw: 'Forbidden', type: 'INVALID_API_KEY', id });
  });

  test('falls back to the default of its class and keeps its status', async () => {
    const { fetch } = await start({
      functions,
      methods,
      gatewayResponses: {
        DEFAULT_4XX: body('{"error":$context.error.messageString}'),
        DEFAULT_5XX: { statusCode: '500', ...body('{"error":"Internal server error","id":"$context.requestId"}') },
      },
    });
    const forbidden = await fetch('/closed');
    expect([forbidden.status, await forbidden.json()]).toEqual([403, { error: 'Forbidden' }]);
    const failed = await fetch('/f');
    expect(failed.status).toBe(500);
    expect(await failed.json()).toEqual({ error: 'Internal server error', id: failed.headers.get('x-amzn-requestid') });
  });

  test.each([
    ['$input.body', '$input.body'],
    ['#set($x = 1)', '#set'],
    ['$context.nothing', 'context.nothing'],
  ])('a template with %s stops the start', async (template, named) => {
    await expect(start({ methods: {}, gatewayResponses: { THROTTLED: body(template) } })).rejects.toThrow(named);
  });
});
