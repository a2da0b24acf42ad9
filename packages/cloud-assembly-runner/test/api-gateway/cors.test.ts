import { startApi, type SmallApi } from './rest-api-fixture';

const DOCS = 'http://127.0.0.1:3001';
const source = `exports.handler = async () => ({ statusCode: 200, headers: { ETag: '"1"' }, body: '{}' })`;

describe('Cross-origin calls', () => {
  let api: SmallApi;

  beforeAll(async () => {
    api = await startApi({
      functions: { f: source },
      methods: { 'PATCH /f': { function: 'f' } },
      gatewayResponses: { MISSING_AUTHENTICATION_TOKEN: { statusCode: '404' } },
      corsOrigins: [DOCS],
    });
  });
  afterAll(() => api.stop());

  const preflight = (origin: string) =>
    api.fetch('/f', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'authorization,content-type',
      },
    });

  test('are permitted to the origin of the options, with its method and headers', async () => {
    const { status, headers } = await preflight(DOCS);
    expect(status).toBe(204);
    expect(Object.fromEntries(headers)).toMatchObject({
      'access-control-allow-origin': DOCS,
      'access-control-allow-methods': 'PATCH',
      'access-control-allow-headers': 'authorization,content-type',
      vary: 'Origin',
    });
  });

  test.each([
    ['a reply', 'PATCH', 200],
    ['a refusal', 'DELETE', 404],
  ])('may read %s with all its headers', async (_, method, status) => {
    const response = await api.fetch('/f', { method, headers: { origin: DOCS } });
    expect(response.status).toBe(status);
    expect(response.headers.get('access-control-allow-origin')).toBe(DOCS);
    expect(response.headers.get('access-control-expose-headers')).toBe('*');
  });

  test('of another origin reach the API, and replies have no CORS headers', async () => {
    const refused = await preflight('http://127.0.0.1:3002');
    expect(refused.status).toBe(404);
    const response = await api.fetch('/f', { method: 'PATCH', headers: { origin: 'http://evil.example' } });
    expect(response.status).toBe(200);
    for (const { headers } of [refused, response]) expect(headers.has('access-control-allow-origin')).toBe(false);
  });

  test('leave requests without an origin as they are', async () => {
    const response = await api.fetch('/f', { method: 'PATCH' });
    expect([...response.headers.keys()].filter((name) => /^(access-control|vary)/.test(name))).toEqual([]);
  });
});
