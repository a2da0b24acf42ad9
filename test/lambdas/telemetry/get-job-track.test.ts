import { toItem } from '../../../data/jobs/job-item';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/telemetry/get-job-track.lambda';
import { store } from '../../data/fixtures/store';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { callForText } from '../fixtures/api-gateway';
import '../fixtures/log';

const get = (headers: Record<string, string> = {}) =>
  callForText(handler, { scopes: ['command:read'], path: { jobId: id('job') }, headers });

beforeEach(() => {
  store.on(GetCommand).resolves({ Item: toItem(acme, sampleJob()) });
  store.on(QueryCommand).resolves({ Items: [] });
});

describe('GET /v3/jobs/{jobId}/track', () => {
  test.each([
    [undefined, 'application/geo+json', '{"type":"FeatureCollection","features":[]}'],
    ['application/json', 'application/json', '{"type":"FeatureCollection","features":[]}'],
    ['text/csv', 'text/csv; charset=utf-8', expect.stringMatching(/^time,.*\r\n$/) as string],
    [
      'application/vnd.google-earth.kml+xml',
      'application/vnd.google-earth.kml+xml',
      expect.stringMatching(/<\/kml>$/) as string,
    ],
  ])('answers for the Accept %s with %s', async (accept, type, text) => {
    expect(await get(accept === undefined ? {} : { accept })).toEqual({
      status: 200,
      headers: {
        'Content-Type': type,
        'Cache-Control': 'no-store',
        Vary: 'Accept',
        'x-request-id': expect.any(String) as string,
      },
      text,
    });
  });

  test('answers 406 in JSON without a read when Accept allows no format', async () => {
    const { status, headers } = await get({ accept: 'text/html' });
    expect([status, headers['Content-Type'], headers['Vary']]).toEqual([406, 'application/json', 'Accept']);
    expect(store.calls()).toHaveLength(0);
  });
});
