import { apiPerTest } from '../rest-api-fixture';

const start = apiPerTest();

describe('Mock integration', () => {
  const reply = {
    statusCode: '405',
    responseParameters: {
      'method.response.header.Allow': "'GET, POST'",
      'method.response.header.x-request-id': 'context.requestId',
    },
    responseTemplates: { 'application/json': '{"error":"Method not allowed","method":"$context.httpMethod"}' },
  };
  const mock = { requestTemplates: { 'application/json': '{"statusCode": 405}' }, responses: { default: reply } };
  const text = { schema: { type: 'string' } };
  const declared = { 405: { description: 'Not allowed', headers: { Allow: text, 'x-request-id': text } } };
  const withMock = (changes: object = {}, responses: object = declared) =>
    start({ methods: { 'ANY /m': { mock: { ...mock, ...changes }, responses } } });

  test('answers with its status, headers and template', async () => {
    const { fetch } = await withMock();
    const response = await fetch('/m', {
      method: 'PUT',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: 'x',
    });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST');
    expect(response.headers.get('x-request-id')).toBe(response.headers.get('x-amzn-requestid'));
    expect(await response.json()).toEqual({ error: 'Method not allowed', method: 'PUT' });
  });

  test('fails without a template for the media type: the body is passed through', async () => {
    const { fetch } = await withMock();
    expect((await fetch('/m', { method: 'POST', body: 'text' })).status).toBe(500);
  });

  test('answers 415 with passthroughBehavior never', async () => {
    const { fetch } = await withMock({ passthroughBehavior: 'never' });
    expect((await fetch('/m', { method: 'POST', body: 'text' })).status).toBe(415);
  });

  test('accepts an unquoted key, as in CORS preflights of the CDK', async () => {
    const { fetch } = await withMock({ requestTemplates: { 'application/json': '{ statusCode: 405 }' } });
    expect((await fetch('/m', { method: 'OPTIONS' })).status).toBe(405);
  });

  test('stops the start when the method does not declare its response or header', async () => {
    await expect(withMock({}, { 404: { description: 'Not found' } })).rejects.toThrow('declares no response 405');
    await expect(withMock({}, { 405: { description: 'Not allowed' } })).rejects.toThrow(
      'does not declare method.response.header.Allow',
    );
  });

  test('stops the start when its request template is more than a status', async () => {
    await expect(
      withMock({ requestTemplates: { 'application/json': '#if(true){"statusCode":405}#end' } }),
    ).rejects.toThrow('ANY /m');
  });
});
