import { splitEndpointKey } from '../../../contract/endpoint-table';
import { methodPattern } from '../../../lib/rest/invoked-functions';

describe('The pattern of the methods that invoke a function', () => {
  test.each([
    [['GET /v3/jobs'], 'GET/v3/jobs'],
    [['PATCH /v3/jobs/{jobId}'], 'PATCH/v3/jobs/*'],
    [['POST /v3/jobs/{jobId}/cancel'], 'POST/v3/jobs/*/cancel'],
    [['GET /v3/shares', 'GET /v3/streams/share'], 'GET/v3/*'],
    [['GET /v3/jobs/{jobId}', 'DELETE /v3/jobs/{jobId}'], '*/v3/jobs/*'],
    [['GET /v3/jobs', 'GET /v3/jobs/{jobId}/events'], 'GET/v3/jobs*'],
    [['GET /v3/jobs/{jobId}/events', 'GET /v3/jobs'], 'GET/v3/jobs*'],
    [['GET /v3/jobs', 'GET /v3/jobs'], 'GET/v3/jobs'],
    [['GET /v3/jobs/{jobId}', 'GET /v3/jobs/{jobId}/events'], 'GET/v3/jobs/**'],
  ])('of %j is %s', (keys, pattern) => {
    expect(methodPattern(keys.map(splitEndpointKey))).toBe(pattern);
  });
});
