import { WebSocket } from 'ws';
import { createCloudFront } from '../../cloudfront';
import { nextMessage, serveApi, type Event, type Handler, type ServedApi } from '../websocket-api/served-api';
import { until } from '../until';
import { ALL_VIEWER_EXCEPT_HOST, CACHING_DISABLED } from './distribution-fixture';

const viewerRequest = `function handler(event) {
  var request = event.request;
  var match = /^\\/v3\\/jobs\\/([^/]+)\\/status\\/ws$/.exec(request.uri);
  if (!match) return { statusCode: 404 };
  request.uri = '/';
  request.querystring.jobId = { value: match[1] };
  return request;
}`;

describe('WebSocket API behind CloudFront', () => {
  let api: ServedApi;
  let cloudFront: ReturnType<typeof createCloudFront>;
  let url = '';
  const seen: Event[] = [];

  const serve = async ($connect: Handler, CustomErrorResponses: unknown[] = []) => {
    api = await serveApi({
      routes: {
        $connect: (event) => (seen.push(event), $connect(event)),
        $disconnect: (event) => void seen.push(event),
        ping: () => ({ statusCode: 200, body: '{"type":"pong"}' }),
      },
      answering: ['ping'],
    });
    const DomainName = `${api.apiId}.execute-api.eu-central-1.amazonaws.com`;
    cloudFront = createCloudFront({
      accountId: '000000000000',
      portOf: () => 0,
      originOf: (domain) => (api.api.serves(domain) ? api.api : undefined),
      log: () => undefined,
    });
    const create = async (type: string, properties: Record<string, unknown>) =>
      cloudFront.create({ type: `AWS::CloudFront::${type}`, logicalId: type, properties, metadata: {} });
    const { ref: FunctionARN } = await create('Function', {
      Name: 'path-to-query',
      FunctionCode: viewerRequest,
      FunctionConfig: { Runtime: 'cloudfront-js-2.0' },
    });
    const { attributes } = await create('Distribution', {
      DistributionConfig: {
        Origins: [{ Id: 'api', DomainName, OriginPath: '/live' }],
        DefaultCacheBehavior: {
          TargetOriginId: 'api',
          CachePolicyId: CACHING_DISABLED,
          OriginRequestPolicyId: ALL_VIEWER_EXCEPT_HOST,
          FunctionAssociations: [{ EventType: 'viewer-request', FunctionARN }],
        },
        CustomErrorResponses,
      },
    });
    await cloudFront.start?.();
    url = `ws://${cloudFront.addressOf(attributes?.DomainName ?? '')}`;
  };
  const connect = (path: string) =>
    new Promise<WebSocket>((resolve, reject) => {
      const socket = new WebSocket(`${url}${path}`, { headers: { Authorization: 'Bearer t' } });
      socket.once('error', reject).once('open', () => resolve(socket));
    });
  const ok = () => ({ statusCode: 200 });

  beforeEach(() => (seen.length = 0));
  afterEach(async () => {
    await cloudFront.stop?.();
    await api.stop();
  });

  test('opens a socket with the path rewritten to a query', async () => {
    await serve(ok);
    const socket = await connect('/v3/jobs/job-1/status/ws?token=t');
    expect(seen[0]).toMatchObject({
      queryStringParameters: { token: 't', jobId: 'job-1' },
      headers: { Authorization: 'Bearer t', 'X-Forwarded-For': '127.0.0.1, 127.0.0.1' },
    });
    socket.send('{"action":"ping"}');
    expect(await nextMessage(socket)).toEqual({ type: 'pong' });
  });

  test.each([401, 403, 404, 429])('passes on a refusal with status %d', async (statusCode) => {
    await serve(() => ({ statusCode }), [{ ErrorCode: statusCode, ErrorCachingMinTTL: 0 }]);
    await expect(connect('/v3/jobs/job-1/status/ws')).rejects.toThrow(`Unexpected server response: ${statusCode}`);
  });

  test('refuses in the viewer function without calling the API', async () => {
    await serve(ok);
    await expect(connect('/v3/nowhere')).rejects.toThrow('Unexpected server response: 404');
    expect(seen).toEqual([]);
  });

  test('answers 403 to a plain request', async () => {
    await serve(ok);
    const answer = await fetch(`${url.replace('ws', 'http')}/v3/jobs/job-1/status/ws`);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toEqual({ message: 'Missing Authentication Token' });
  });

  test('closes its sockets when the distribution stops', async () => {
    await serve(ok);
    const socket = await connect('/v3/jobs/job-1/status/ws');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await cloudFront.stop?.();
    await closed;
    await until(() => seen.length === 2);
    expect(seen[1]?.requestContext.eventType).toBe('DISCONNECT');
  });
});
