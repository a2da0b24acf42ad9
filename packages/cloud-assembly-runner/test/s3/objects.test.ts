import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  type GetObjectCommandInput,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3';
import { createAwsEndpoint, type AwsEndpoint, type Credentials } from '../../aws-endpoint';
import { createMeter, type Meter } from '../../billing/meter';
import { parsePolicy } from '../../iam/policy';
import { createS3, type S3 } from '../../s3';
import type { Resource } from '../../service';

const BUCKET = 'media-bucket';
const ARN = `arn:aws:s3:::${BUCKET}`;
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x0a, 0x00, 0xff, 0xd9]);

const resource = (type: string, properties: object, logicalId = 'Media'): Resource => ({
  type,
  logicalId,
  metadata: {},
  properties: properties as Resource['properties'],
});

describe('S3’s API', () => {
  let folder: string;
  let meter: Meter;
  let endpoint: AwsEndpoint;
  let s3: S3;
  let client: S3Client;

  /** S3 on the data folder of the test, as after a restart. */
  const open = async () => {
    const opened = createS3({ region: 'eu-central-1', assemblyFolder: folder, dataFolder: folder });
    await opened.create(resource('AWS::S3::Bucket', { BucketName: BUCKET }));
    return opened;
  };
  /** A client with the endpoint's configuration of a function. */
  const clientOf = (credentials: Credentials, more: object = {}) =>
    new S3Client({ endpoint: endpoint.url, region: 'eu-central-1', credentials, maxAttempts: 1, ...more });
  const serve = async (served: S3) => {
    meter = createMeter();
    endpoint = createAwsEndpoint(undefined, meter);
    endpoint.add(served);
    await endpoint.start();
    client = clientOf(endpoint.admin);
  };
  const stop = async () => {
    client.destroy();
    await endpoint.stop();
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 's3-api-test-'));
    s3 = await open();
    await serve(s3);
  });
  afterEach(async () => {
    await stop();
    rmSync(folder, { recursive: true });
  });

  const put = (Key: string, more: Partial<PutObjectCommandInput> = {}, by = client) =>
    by.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: JPEG, ...more }));
  const get = async (Key: string, by = client, more: Partial<GetObjectCommandInput> = {}) => {
    const { Body, ...found } = await by.send(new GetObjectCommand({ Bucket: BUCKET, Key, ...more }));
    return { ...found, content: Buffer.from((await Body?.transformToByteArray()) ?? []) };
  };
  const head = (Key: string, by = client) => by.send(new HeadObjectCommand({ Bucket: BUCKET, Key }));
  const remove = (Key: string, by = client) => by.send(new DeleteObjectCommand({ Bucket: BUCKET, Key }));
  /** Sends a request as it is. */
  const send = async (path: string, { headers = {}, ...init }: RequestInit) => {
    const authorization = `AWS4-HMAC-SHA256 Credential=${endpoint.admin.accessKeyId}/20260101/eu-central-1/s3/aws4_request`;
    const answer = await fetch(`${endpoint.url}${path}`, {
      method: 'PUT',
      ...init,
      headers: { authorization, ...(headers as object) },
    });
    return { status: answer.status, text: await answer.text() };
  };
  const codeIn = (text: string) => /<Error><Code>(\w+)<\/Code>/.exec(text)?.[1];

  test('returns an object as it was put, with its metadata', async () => {
    const before = Math.floor(Date.now() / 1000) * 1000;
    const { ETag } = await put('a/b ü+c%20.jpg', {
      ContentType: 'image/jpeg',
      ContentEncoding: 'identity',
      CacheControl: 'no-store',
      Metadata: { job: 'job-7' },
    });
    const found = await get('a/b ü+c%20.jpg');
    expect(found).toMatchObject({
      content: JPEG,
      ContentType: 'image/jpeg',
      ContentEncoding: 'identity',
      CacheControl: 'no-store',
      ContentLength: JPEG.length,
      Metadata: { job: 'job-7' },
      ETag,
    });
    expect(ETag).toBe('"78b53dc700e4e8989d62377b9787e413"');
    expect(found.LastModified?.getTime()).toBeGreaterThanOrEqual(before);
  });

  test('returns the head of an object, and S3’s own content type for none', async () => {
    await send(`/${BUCKET}/plain`, { body: new Uint8Array(JPEG) });
    expect(await head('plain')).toMatchObject({
      ContentLength: JPEG.length,
      ContentType: 'binary/octet-stream',
      Metadata: {},
    });
  });

  test('replaces and deletes objects', async () => {
    await put('a');
    await put('a', { Body: Buffer.alloc(0) });
    expect((await get('a')).content).toEqual(Buffer.alloc(0));
    await remove('a');
    await remove('a');
    await expect(get('a')).rejects.toMatchObject({ name: 'NoSuchKey', $metadata: { httpStatusCode: 404 } });
    await expect(head('a')).rejects.toMatchObject({ name: 'NotFound' });
  });

  test('puts an object once with If-None-Match', async () => {
    await put('a', { IfNoneMatch: '*' });
    await expect(put('a', { IfNoneMatch: '*', Body: 'other' })).rejects.toMatchObject({
      name: 'PreconditionFailed',
      $metadata: { httpStatusCode: 412 },
    });
    expect((await get('a')).content).toEqual(JPEG);
  });

  describe('Checksums', () => {
    test('are kept: CRC32 by default', async () => {
      expect(await put('a')).toMatchObject({ ChecksumCRC32: 'FMOP2A==', ChecksumType: 'FULL_OBJECT' });
      expect(await get('a')).toMatchObject({ ChecksumCRC32: 'FMOP2A==', ChecksumType: 'FULL_OBJECT' });
    });

    test.each(['CRC32', 'SHA1', 'SHA256'] as const)('%s is kept and returned only on demand', async (algorithm) => {
      const kept = await put('a', { ChecksumAlgorithm: algorithm });
      const value = kept[`Checksum${algorithm}`];
      expect(value).toBeDefined();
      expect((await get('a'))[`Checksum${algorithm}`]).toBe(value);
      const silent = clientOf(endpoint.admin, { responseChecksumValidation: 'WHEN_REQUIRED' });
      expect((await get('a', silent))[`Checksum${algorithm}`]).toBeUndefined();
      silent.destroy();
    });

    test('come as trailers of a stream', async () => {
      const Body = Readable.from([JPEG.subarray(0, 3), JPEG.subarray(3)]);
      const { ChecksumCRC32 } = await put('a', { Body, ContentLength: JPEG.length });
      expect(ChecksumCRC32).toBe('FMOP2A==');
      const found = await get('a');
      expect(found.content).toEqual(JPEG);
      expect(found.ContentEncoding).toBeUndefined();
    });

    const chunks = { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' };
    test.each<[string, Record<string, string>, string, number, string]>([
      ['a wrong CRC32', { 'x-amz-checksum-crc32': 'AAAAAA==' }, 'hello', 400, 'BadDigest'],
      ['a wrong MD5', { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }, 'hello', 400, 'BadDigest'],
      ['a wrong trailer', chunks, '5\r\nhello\r\n0\r\nx-amz-checksum-crc32:AAAAAA==\r\n\r\n', 400, 'BadDigest'],
      ['an incomplete chunk', chunks, '6\r\nhello', 400, 'IncompleteBody'],
      ['no last chunk', chunks, '5\r\nhello\r\n', 400, 'IncompleteBody'],
      [
        'another length than announced',
        { ...chunks, 'x-amz-decoded-content-length': '6' },
        '5\r\nhello\r\n0\r\n\r\n',
        400,
        'IncompleteBody',
      ],
      ['an algorithm that needs a library', { 'x-amz-checksum-crc64nvme': 'A=' }, 'hello', 501, 'NotImplemented'],
    ])('%s is refused, and nothing is kept', async (_what, headers, body, status, code) => {
      const answer = await send(`/${BUCKET}/a`, { headers, body });
      expect([answer.status, codeIn(answer.text)]).toEqual([status, code]);
      await expect(head('a')).rejects.toMatchObject({ name: 'NotFound' });
    });

    test('of signed chunks are verified', async () => {
      const body = '5;chunk-signature=ab\r\nhello\r\n0;chunk-signature=cd\r\nx-amz-checksum-crc32: NhCmhg==\r\n\r\n';
      expect((await send(`/${BUCKET}/a`, { headers: chunks, body })).status).toBe(200);
      expect((await get('a')).content.toString()).toBe('hello');
    });
  });

  describe('Permissions', () => {
    const OBJECTS = ['s3:PutObject', 's3:GetObject', 's3:DeleteObject'];
    let role: S3Client;
    const allow = (Action: string[], Resource: string[] = [`${ARN}/*`]) => {
      const Statement = { Effect: 'Allow', Action, Resource };
      role = clientOf(endpoint.register('function', () => [parsePolicy({ Statement })]));
    };
    afterEach(() => role.destroy());

    test('allow what the role of a function allows', async () => {
      allow(OBJECTS);
      await put('a', {}, role);
      expect((await get('a', role)).content).toEqual(JPEG);
      expect((await head('a', role)).ContentLength).toBe(JPEG.length);
      await remove('a', role);
    });

    test.each<[string, () => Promise<unknown>, string]>([
      ['PutObject', () => put('a', {}, role), 's3:PutObject'],
      ['GetObject', () => get('a', role), 's3:GetObject'],
      ['DeleteObject', () => remove('a', role), 's3:DeleteObject'],
    ])('deny %s without its action', async (_operation, call, missing) => {
      await put('a');
      allow(OBJECTS.filter((action) => action !== missing));
      await expect(call()).rejects.toMatchObject({
        name: 'AccessDenied',
        message: `User: function is not authorized to perform: ${missing} on resource: ${ARN}/a`,
        $metadata: { httpStatusCode: 403 },
      });
      expect((await head('a')).ContentLength).toBe(JPEG.length);
    });

    test('deny HeadObject without s3:GetObject', async () => {
      await put('a');
      allow(['s3:PutObject']);
      await expect(head('a', role)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
    });

    test('deny keys outside of the allowed ones', async () => {
      allow(OBJECTS, [`${ARN}/org-1/*`]);
      await put('org-1/a', {}, role);
      await expect(put('org-2/a', {}, role)).rejects.toMatchObject({ name: 'AccessDenied' });
    });

    test('tell of a missing object only with s3:ListBucket', async () => {
      allow(OBJECTS);
      await expect(get('none', role)).rejects.toMatchObject({ name: 'AccessDenied' });
      await expect(head('none', role)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
      role.destroy();
      allow([...OBJECTS, 's3:ListBucket'], [ARN, `${ARN}/*`]);
      await expect(get('none', role)).rejects.toMatchObject({ name: 'NoSuchKey' });
      await expect(head('none', role)).rejects.toMatchObject({ name: 'NotFound' });
    });

    test('refuse unknown credentials in S3’s form', async () => {
      role = clientOf({ accessKeyId: 'AKIASTRANGER', secretAccessKey: 'x', sessionToken: 'x' });
      await expect(get('a', role)).rejects.toMatchObject({ name: 'InvalidAccessKeyId' });
    });
  });

  test.each<[string, boolean, object]>([
    ['of connections without TLS', true, { Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
    ['of old TLS', true, { Condition: { NumericLessThan: { 's3:TlsVersion': '1.2' } } }],
    ['of another action', true, { Action: 's3:GetObject' }],
    ['of another key', true, { Resource: `${ARN}/b` }],
    ['of one role', true, { Principal: { AWS: 'arn:aws:iam::000000000000:role/other' } }],
    ['without a condition', false, {}],
    ['of everyone, as a string', false, { Principal: '*' }],
    ['with another condition', false, { Condition: { StringNotEquals: { 'aws:SourceVpce': 'vpce-1' } } }],
  ])('a denial %s in the bucket policy lets calls pass: %s', async (_what, passes, statement) => {
    const denial = { Effect: 'Deny', Action: 's3:*', Principal: { AWS: '*' }, Resource: [ARN, `${ARN}/*`] };
    const PolicyDocument = { Statement: [{ ...denial, ...statement }] };
    await s3.create(resource('AWS::S3::BucketPolicy', { Bucket: BUCKET, PolicyDocument }, 'Policy'));
    const result = await put('a').then(
      () => 'passes',
      (error: unknown) => (error as Error).name,
    );
    expect(result).toBe(passes ? 'passes' : 'AccessDenied');
  });

  test.each<[string, string, RequestInit, number, string]>([
    ['a bucket that does not exist', '/nobodys/a', { method: 'GET' }, 404, 'NoSuchBucket'],
    ['a key with invalid percent-encoding', `/${BUCKET}/%zz`, { method: 'GET' }, 400, 'InvalidURI'],
    ['a key of more than 1,024 bytes', `/${BUCKET}/${'ü'.repeat(513)}`, {}, 400, 'KeyTooLongError'],
    ['an operation on the bucket', `/${BUCKET}?list-type=2`, { method: 'GET' }, 501, 'NotImplemented'],
    ['an upload in parts', `/${BUCKET}/a?uploads`, { method: 'POST' }, 501, 'NotImplemented'],
    ['a part of an object', `/${BUCKET}/a`, { method: 'GET', headers: { range: 'bytes=0-1' } }, 501, 'NotImplemented'],
    ['an ACL', `/${BUCKET}/a`, { headers: { 'x-amz-acl': 'public-read' } }, 501, 'NotImplemented'],
    ['a copy', `/${BUCKET}/a`, { headers: { 'x-amz-copy-source': '/b/c' } }, 501, 'NotImplemented'],
    ['an entity tag to be replaced', `/${BUCKET}/a`, { headers: { 'if-none-match': '"a"' } }, 501, 'NotImplemented'],
  ])('%s is refused in S3’s form', async (_what, path, init, status, code) => {
    const answer = await send(path, init);
    expect([answer.status, codeIn(answer.text)]).toEqual([status, code]);
  });

  test('takes an object of a form’s content type', async () => {
    await put('a', { ContentType: 'application/x-www-form-urlencoded', Body: 'a=1' });
    expect(await get('a')).toMatchObject({ ContentType: 'application/x-www-form-urlencoded' });
  });

  test('keeps objects across a restart, in a file each', async () => {
    await put('a'.repeat(1024), { Metadata: { job: 'job-7' } });
    await put('b');
    await remove('b');
    await stop();
    await serve(await open());
    expect(await get('a'.repeat(1024))).toMatchObject({ content: JPEG, Metadata: { job: 'job-7' } });
    await expect(get('b')).rejects.toMatchObject({ name: 'NoSuchKey' });
    expect(readdirSync(join(folder, 'objects', BUCKET))).toHaveLength(1);
  });

  test('names the file that can’t be read', async () => {
    await put('a');
    const [file = ''] = readdirSync(join(folder, 'objects', BUCKET));
    writeFileSync(join(folder, 'objects', BUCKET, file), 'what?\n');
    await expect(get('a')).rejects.toMatchObject({
      message: expect.stringContaining(`${file} can't be read`) as string,
    });
  });

  test('reads deployed objects, which calls can replace', async () => {
    mkdirSync(join(folder, 'asset.abc'));
    writeFileSync(join(folder, 'asset.abc/index.html'), '<p>Hello');
    await s3.create(
      resource(
        'Custom::CDKBucketDeployment',
        { SourceObjectKeys: ['abc.zip'], DestinationBucketName: BUCKET },
        'Deploy',
      ),
    );
    expect(await get('index.html')).toMatchObject({ content: Buffer.from('<p>Hello'), ContentType: 'text/html' });
    await put('index.html');
    expect((await get('index.html')).content).toEqual(JPEG);
    await remove('index.html');
    await expect(get('index.html')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  test('a deleted object of a versioned bucket is not found, and no call reads a version', async () => {
    const VersioningConfiguration = { Status: 'Enabled' };
    await s3.create(resource('AWS::S3::Bucket', { BucketName: 'versioned', VersioningConfiguration }, 'Versioned'));
    const one = { Bucket: 'versioned', Key: 'one' };
    await client.send(new PutObjectCommand({ ...one, Body: 'first' }));
    await client.send(new DeleteObjectCommand(one));
    await expect(client.send(new GetObjectCommand(one))).rejects.toMatchObject({ name: 'NoSuchKey' });
    const version = client.send(new GetObjectCommand({ ...one, VersionId: '1' }));
    await expect(version).rejects.toMatchObject({ name: 'NotImplemented' });
  });

  test('charges for requests that write and that read', async () => {
    await put('a');
    await get('a');
    await head('a');
    await remove('a');
    expect(meter.usage()).toEqual({ admin: { 's3:putRequests': 1, 's3:getRequests': 2 } });
  });

  test('accepts a lifecycle configuration', async () => {
    const LifecycleConfiguration = { Rules: [{ Status: 'Enabled', ExpirationInDays: 30 }] };
    const bucket = resource('AWS::S3::Bucket', { BucketName: 'other', LifecycleConfiguration }, 'Other');
    expect(await s3.create(bucket)).toMatchObject({ ref: 'other' });
  });

  test.each<[string, object]>([
    ['notifications', { NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } } }],
    ['object lock', { ObjectLockEnabled: true }],
    ['replication', { ReplicationConfiguration: { Rules: [] } }],
  ])('refuses a bucket with %s by name', async (what, properties) => {
    await expect(async () => s3.create(resource('AWS::S3::Bucket', properties, 'Other'))).rejects.toThrow(what);
  });
});
