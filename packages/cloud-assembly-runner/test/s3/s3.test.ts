import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createS3, type S3 } from '../../s3';
import { awaitObject, lateDeployment } from '../../s3/bucket-origin';
import { withoutBucketDeployer } from '../../s3/without-bucket-deployer';
import type { Resource } from '../../service';

const resource = (type: string, properties: object, logicalId = 'Site'): Resource => ({
  type,
  logicalId,
  metadata: {},
  properties: properties as Resource['properties'],
});

describe('S3', () => {
  let assemblyFolder: string;
  let s3: S3;
  let bucket: string;
  let domain: string;

  beforeEach(async () => {
    assemblyFolder = mkdtempSync(join(tmpdir(), 's3-test-'));
    mkdirSync(join(assemblyFolder, 'asset.abc/deep'), { recursive: true });
    writeFileSync(join(assemblyFolder, 'asset.abc/index.html'), '<p>Hello');
    writeFileSync(join(assemblyFolder, 'asset.abc/deep/app.js'), 'run()');
    s3 = createS3({ region: 'eu-central-1', assemblyFolder, dataFolder: assemblyFolder });
    const { ref, attributes } = await s3.create(resource('AWS::S3::Bucket', {}));
    bucket = ref;
    domain = attributes?.['RegionalDomainName'] ?? '';
  });
  afterEach(() => rmSync(assemblyFolder, { recursive: true }));

  const fill = (more: object = {}) =>
    s3.create(
      resource('Custom::CDKBucketDeployment', {
        SourceObjectKeys: ['abc.zip'],
        DestinationBucketName: bucket,
        ...more,
      }),
    );
  const permit = (...more: object[]) =>
    s3.create(
      resource('AWS::S3::BucketPolicy', {
        Bucket: bucket,
        PolicyDocument: {
          Statement: [
            {
              Effect: 'Allow',
              Action: 's3:GetObject',
              Resource: `arn:aws:s3:::${bucket}/*`,
              Principal: { Service: 'cloudfront.amazonaws.com' },
              Condition: { StringEquals: { 'AWS:SourceArn': 'arn:aws:cloudfront::000000000000:distribution/E1' } },
            },
            ...more,
          ],
        },
      }),
    );
  const get = async (path: string, headers: [string, string][] = [], method = 'GET') => {
    const reply = await s3.originOf(domain)?.serve({ method, path, query: '', headers, sourceIp: '127.0.0.1' });
    return { ...reply, body: String(reply?.body) };
  };

  test('gives a bucket AWS’s names', async () => {
    expect(domain).toBe(`${bucket}.s3.eu-central-1.amazonaws.com`);
    expect(bucket).toMatch(/^[a-z0-9-]{3,63}$/);
    const named = await s3.create(resource('AWS::S3::Bucket', { BucketName: 'mine' }, 'Other'));
    expect(named).toMatchObject({ ref: 'mine', attributes: { Arn: 'arn:aws:s3:::mine' } });
    expect(s3.originOf('other.s3.eu-central-1.amazonaws.com')).toBeUndefined();
  });

  test('serves deployed objects with their headers', async () => {
    await fill({ DestinationBucketKeyPrefix: 'share/v1', SystemMetadata: { 'cache-control': 'no-store' } });
    await permit();
    expect(await get('/share/v1/index.html')).toMatchObject({
      status: 200,
      body: '<p>Hello',
      headers: {
        'content-type': 'text/html',
        'cache-control': 'no-store',
        etag: expect.stringMatching(/^"\w{32}"$/) as unknown,
      },
    });
    expect(await get('/share/v1/deep/app.js')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/javascript' },
    });
  });

  test('replaces the markers of each source in its own files', async () => {
    mkdirSync(join(assemblyFolder, 'asset.def'));
    writeFileSync(
      join(assemblyFolder, 'asset.def/data.json'),
      '{"a":"<<marker:0>>","b":<<marker:1>>,"c":"<<marker:0>>"}',
    );
    writeFileSync(join(assemblyFolder, 'asset.abc/same.txt'), 'not <<marker:0>>');
    await fill({
      SourceObjectKeys: ['abc.zip', 'def.zip'],
      SourceMarkers: [{}, { '<<marker:0>>': 'x"$&', '<<marker:1>>': 'y' }],
      SourceMarkersConfig: [{}, { jsonEscape: 'true', markerEncodings: { '<<marker:1>>': 'JSON_VALUE' } }],
    });
    await permit();
    expect((await get('/data.json')).body).toBe('{"a":"x\\"$&","b":"y","c":"x\\"$&"}');
    expect((await get('/same.txt')).body).toBe('not <<marker:0>>');
  });

  test('replaces markers by the values as they are unless the source is JSON', async () => {
    writeFileSync(join(assemblyFolder, 'asset.abc/same.txt'), 'is <<marker:0>>');
    await fill({ SourceMarkers: [{ '<<marker:0>>': '"x"' }] });
    await permit();
    expect((await get('/same.txt')).body).toBe('is "x"');
  });

  test('answers 304 for an unchanged object, and HEAD without a body', async () => {
    await fill();
    await permit();
    const etag = String((await get('/index.html')).headers?.['etag']);
    expect(await get('/index.html', [['If-None-Match', etag]])).toMatchObject({ status: 304, body: '' });
    expect(await get('/index.html', [], 'HEAD')).toMatchObject({ status: 200, body: '' });
  });

  test.each(['/nothing.html', '/', '/../asset.abc/index.html', '/%2e%2e/index.html'])(
    'answers 403 for the missing object %s',
    async (path) => {
      await fill();
      await permit();
      expect(await get(path)).toMatchObject({ status: 403, headers: { 'content-type': 'application/xml' } });
    },
  );

  test('answers 403 unless the bucket policy allows CloudFront to read', async () => {
    await fill();
    expect((await get('/index.html')).status).toBe(403);
    await permit({ Effect: 'Deny', Action: 's3:*', Resource: `arn:aws:s3:::${bucket}/deep/*`, Principal: '*' });
    expect((await get('/index.html')).status).toBe(200);
    expect((await get('/deep/app.js')).status).toBe(403);
  });

  test.each<[string, object]>([
    ['a bucket that does not exist', { DestinationBucketName: 'nobodys' }],
    ['an asset that does not exist', { SourceObjectKeys: ['def.zip'] }],
    ['an unsupported encoding', { SourceMarkersConfig: [{ markerEncodings: { '<<marker:0>>': 'YAML_STRING' } }] }],
    ['an unsupported filter', { Include: ['*.html'] }],
    ['an unsupported invalidation', { DistributionId: 'E1' }],
  ])('refuses a deployment with %s', async (_, properties) => {
    await expect(async () => fill(properties)).rejects.toThrow(/nobodys|asset\.def|is not supported/);
  });

  test('accepts the function and layer of the CDK’s deployments without running them', async () => {
    const created: string[] = [];
    const lambda = withoutBucketDeployer({
      types: ['AWS::Lambda::Function'],
      create: ({ logicalId }) => {
        created.push(logicalId);
        return { ref: logicalId };
      },
    });
    expect(lambda.types).toEqual(['AWS::Lambda::Function', 'AWS::Lambda::LayerVersion']);
    await lambda.create(resource('AWS::Lambda::LayerVersion', {}, 'DeployAwsCliLayer'));
    const arn = (await lambda.create(resource('AWS::Lambda::Function', {}, 'CustomCDKBucketDeployment8693')))
      .attributes;
    expect(arn?.['Arn']).toContain(':function:CustomCDKBucketDeployment8693');
    await lambda.create(resource('AWS::Lambda::Function', {}, 'GetJob'));
    expect(created).toEqual(['GetJob']);
  });
});

describe('A deployment whose files come later', () => {
  const folders: string[] = [];
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

  /** A bucket with `abc` below `docs/`, whose files are not there yet; `complete` is what the builder reports. */
  async function deployLate() {
    const assemblyFolder = mkdtempSync(join(tmpdir(), 's3-late-'));
    folders.push(assemblyFolder);
    mkdirSync(join(assemblyFolder, 'asset.def'));
    writeFileSync(join(assemblyFolder, 'asset.def/page.html'), 'later source');
    writeFileSync(join(assemblyFolder, 'asset.def/early.html'), 'at once');
    let complete: (isComplete: boolean) => void = () => undefined;
    const completed = new Promise<boolean>((resolve) => (complete = resolve));
    const s3 = createS3({ region: 'eu-central-1', assemblyFolder, dataFolder: assemblyFolder, completed });
    const { ref: bucket, attributes } = await s3.create(resource('AWS::S3::Bucket', {}));
    const deploy = (prefix: string, ...keys: string[]) =>
      s3.create(
        resource('Custom::CDKBucketDeployment', {
          SourceObjectKeys: keys.map((key) => `${key}.zip`),
          DestinationBucketName: bucket,
          DestinationBucketKeyPrefix: prefix,
        }),
      );
    await deploy('docs', 'abc', 'def');
    await deploy('share', 'def');
    const Statement = [
      { Effect: 'Allow', Action: 's3:GetObject', Resource: '*', Principal: { Service: 'cloudfront.amazonaws.com' } },
    ];
    await s3.create(resource('AWS::S3::BucketPolicy', { Bucket: bucket, PolicyDocument: { Statement } }));
    const build = () => {
      mkdirSync(join(assemblyFolder, 'asset.abc'));
      for (const name of ['index.html', 'page.html']) writeFileSync(join(assemblyFolder, 'asset.abc', name), 'built');
    };
    const get = async (path: string) => {
      const origin = s3.originOf(attributes?.['RegionalDomainName'] ?? '');
      const reply = await origin?.serve({ method: 'GET', path, query: '', headers: [], sourceIp: '127.0.0.1' });
      return { status: reply?.status, body: String(reply?.body) };
    };
    return { build, complete, get };
  }

  test.each([
    ['a file that was built', '/docs/index.html', 200, /^built$/],
    ['a file that a later source has too', '/docs/page.html', 200, /^later source$/],
    ['a file that is in no source', '/docs/none.html', 403, /Access Denied/],
  ])('lets a request for %s wait until it is there', async (_, path, status, body) => {
    const { build, complete, get } = await deployLate();
    const reply = get(path);
    build();
    complete(true);
    expect(await reply).toEqual({ status, body: expect.stringMatching(body) as string });
  });

  test('serves other files of the bucket meanwhile', async () => {
    const { get } = await deployLate();
    expect(await get('/share/early.html')).toEqual({ status: 200, body: 'at once' });
    expect(await get('/share/none.html')).toMatchObject({ status: 403 });
  });

  test.each([
    ['the builder failed', false],
    ['the builder has made other files', true],
  ])('answers that the files can’t be built when %s', async (_, isComplete) => {
    const error = jest.spyOn(console, 'error').mockReturnValue();
    const { complete, get } = await deployLate();
    complete(isComplete);
    expect(await get('/docs/index.html')).toEqual({
      status: 503,
      body: expect.stringContaining('could not be built') as string,
    });
    expect(error).toHaveBeenCalledTimes(isComplete ? 1 : 0);
    error.mockRestore();
  });

  test('lets a request wait for no longer than a limit', async () => {
    const late = [lateDeployment('docs/', new Promise(() => undefined), () => undefined)];
    const reply = await awaitObject('docs/index.html', late, 1);
    expect(reply).toMatchObject({ status: 503, body: expect.stringContaining('still being built') as string });
  });
});
