import '../without-bundling';
import { compileViewerFunction } from 'cloud-assembly-runner/cloudfront/functions/viewer-function';
import { docsPathsCode } from '../../../lib/rest/docs-paths';
import { viewerRequest } from '../../outsiders/njs/lane';
import { smallTable, synthesise } from '../synthesised';

describe('The docs site in the template', () => {
  const { byPath } = synthesise({}, smallTable);

  test('allows its own scripts and calls to the REST API only', () => {
    const policy = JSON.stringify(byPath('AWS::CloudFront::ResponseHeadersPolicy')['DocsSite/Headers']);
    expect(policy).toContain(`script-src 'self';`);
    expect(policy).toMatch(/connect-src 'self' https:\/\/"[^;]*\/live\/; frame-ancestors 'none'/);
    expect(policy).not.toMatch(/script-src[^;]*unsafe|\*/);
  });

  test('names the addresses of the deployment in both documents', () => {
    const deployed = byPath('Custom::CDKBucketDeployment');
    const [pages] = Object.entries(deployed).filter(([path]) => path.startsWith('DocsSite/Pages'));
    const { SourceMarkers, SystemMetadata } = (pages?.[1].Properties ?? {}) as Record<string, unknown>;
    expect(SystemMetadata).toEqual({ 'cache-control': 'no-cache' });
    const markers = SourceMarkers as Record<string, { 'Fn::Sub': [string, object] }>[];
    expect(markers.map((ofSource) => Object.values(ofSource).map((value) => value['Fn::Sub'][0]))).toEqual([
      [],
      ['${BaseUrl}'],
      ['${MqttHost}', '${MqttHost}'],
    ]);
  });
});

describe('The path of a docs page', () => {
  const notFound = '<!doctype html><script>const quoted = "`${1}`";</script>';
  const run = compileViewerFunction(
    {
      Name: 'Paths',
      FunctionCode: docsPathsCode(['index.html', 'guides/index.html', 'guides/jobs.html', 'llms.txt'], notFound),
      FunctionConfig: { Runtime: 'cloudfront-js-2.0' },
    },
    () => undefined,
  );

  test.each([
    ['/docs/', '/docs/index.html'],
    ['/docs/guides/', '/docs/guides/index.html'],
    ['/docs/guides/jobs', '/docs/guides/jobs.html'],
    ['/docs/llms.txt', '/docs/llms.txt'],
    ['/docs/assets/app.js', '/docs/assets/app.js'],
  ])('%s is the file %s', async (uri, file) => {
    expect(await run(viewerRequest(uri))).toMatchObject({ uri: file, querystring: {} });
  });

  test('without a slash redirects to the start page', async () => {
    expect(await run(viewerRequest('/docs'))).toMatchObject({
      statusCode: 302,
      headers: { location: { value: '/docs/' } },
    });
  });

  test.each(['/docs/guides/none', '/docsx', '/docs/constructor', '/docs/guides/jobs.html/x'])(
    '%s is not found, with the page that says so',
    async (uri) => {
      expect(await run(viewerRequest(uri))).toMatchObject({
        statusCode: 404,
        headers: { 'content-type': { value: 'text/html; charset=utf-8' } },
        body: { data: notFound },
      });
    },
  );
});
