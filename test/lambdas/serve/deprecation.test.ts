import { endpoints } from '../../../contract/endpoints';
import { serve } from '../../../lambdas/serve/serve';
import { sampleJob } from '../../domain/fixtures/samples';
import { call } from '../fixtures/api-gateway';
import '../fixtures/log';

const key = 'GET /v3/jobs/{jobId}';
const instead = 'https://api.example.com/docs/guides/versioning';
const deprecation = { since: '2027-01-01T00:00:00Z', sunset: '2027-07-01T00:00:00Z', instead };
const run = serve(key, { ...endpoints[key], deprecation }, () =>
  Promise.resolve({ success: true as const, job: sampleJob() }),
);

test.each([
  ['a success', 200, ['command:read']],
  ['a refusal', 403, []],
] as const)('a deprecated endpoint says with %s since when and until when', async (_, status, scopes) => {
  expect(await call(run, { scopes: [...scopes] })).toMatchObject({
    status,
    headers: {
      Deprecation: '@1798761600',
      Sunset: 'Thu, 01 Jul 2027 00:00:00 GMT',
      Link: `<${instead}>; rel="deprecation"; type="text/html"`,
    },
  });
});
