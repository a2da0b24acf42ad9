import type { APIGatewayProxyEvent } from 'aws-lambda';
import { callLambda } from 'cloud-assembly-runner/api-gateway/integrations/lambda-proxy';
import { MAX_PAYLOAD_BYTES, RequestTooLarge } from 'cloud-assembly-runner/lambda/errors';
import { binaryMediaTypes } from '../../../contract/terms/binary-media-types';
import { formatMediaTypes, type MissionMediaType } from '../../../domain/missions/mission-record';
import { handler as create } from '../../../lambdas/missions/create-mission.lambda';
import { handler as read } from '../../../lambdas/missions/get-mission.lambda';
import { storeOnEngine } from '../../data/fixtures/engine';
import { missionBucket } from '../../data/fixtures/mission-bucket';
import { request } from '../fixtures/api-gateway';
import {
  executedAt,
  feature,
  item,
  jsonFile,
  kmlFile,
  kmzFile,
  lineString,
  planFile,
  wayline,
  wpmlDocument,
} from './files';
import '../fixtures/log';

const { GEOJSON, KML, WPML, QGC_PLAN } = formatMediaTypes;
storeOnEngine('missions', 'requests');
const bucket = missionBucket();

type Call = Parameters<typeof callLambda>[0];
type Handler = (event: APIGatewayProxyEvent, context: unknown) => Promise<unknown>;
const { requestContext } = request({ scopes: ['command:create', 'command:read'] });
const context = { getRemainingTimeInMillis: () => 10_000 };

/** Refuses what Lambda refuses, of a request or of a reply. */
const expectToFit = (payload: unknown) => {
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  if (bytes > MAX_PAYLOAD_BYTES) throw new RequestTooLarge(bytes);
};

/** Calls a function as API Gateway does: with the headers and the bytes of a request, and its own way with both. */
async function callByGateway(
  handler: unknown,
  sent: {
    readonly headers: Readonly<Record<string, string[]>>;
    readonly body?: Buffer;
    readonly missionId?: string;
    readonly query?: Readonly<Record<string, string>>;
  },
) {
  const { body = Buffer.alloc(0), missionId, query = {} } = sent;
  const headers = { Host: ['127.0.0.1'], ...sent.headers };
  const last = Object.entries(headers).map(([name, values]) => [name, values.at(-1) ?? '']);
  const asked: Call = {
    request: {
      method: 'POST',
      path: '/',
      headers: { single: Object.fromEntries(last) as Record<string, string>, multi: headers },
      query: {
        single: query,
        multi: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
      },
      protocol: 'HTTP/1.1',
      sourceIp: '127.0.0.1',
    },
    context: requestContext as unknown as Call['context'],
    stageVariables: {},
    pathParameters: missionId === undefined ? {} : { missionId },
    body,
  };
  const functions = {
    log: () => {},
    invoke: async (_functionArn: string, _sourceArn: string, event: unknown) => {
      expectToFit(event);
      const reply = await (handler as Handler)(event as APIGatewayProxyEvent, context);
      expectToFit(reply);
      return reply;
    },
  };
  const integration = { functionArn: 'arn', timeoutMs: 29_000 };
  const answer = await callLambda(asked, integration, 'arn', functions, binaryMediaTypes);
  return { ...answer, body: Buffer.from(answer.body) };
}

/** Sends a file; the details of the answer if it is refused, or else the mission's identifier. */
async function send(mediaType: string, body: Buffer) {
  const { status, body: reply } = await callByGateway(create, { headers: { 'Content-Type': [mediaType] }, body });
  const { mission, details } = JSON.parse(reply.toString()) as {
    mission?: { missionId: string };
    details?: readonly { path: string; message: string }[];
  };
  return { status, missionId: mission?.missionId ?? '', message: details?.[0]?.message };
}

const original = (missionId: string, ...accept: readonly string[]) =>
  callByGateway(read, {
    headers: accept.length > 0 ? { Accept: [...accept] } : {},
    missionId,
    query: { format: 'original' },
  });

const line = lineString([
  [8.5417, 47.3769, 60],
  [8.55, 47.38, 61.5],
]);
const geoJson = (description: string) => jsonFile(feature(line, { description }));
const kml = (description: string) =>
  kmlFile(`<Placemark><description>${description}</description><LineString>
    <coordinates>8.5417,47.3769 8.55,47.38</coordinates></LineString></Placemark>`);
const plan = (groundStation: string) =>
  planFile([item(16, 3, [47.3769, 8.5417, 60]), item(16, 3, [47.38, 8.55, 61.5])], { groundStation });
const kmz = (name: string) =>
  kmzFile({
    'wpmz/waylines.wpml': wpmlDocument(wayline('WGS84', executedAt(0, '8,47', 60), executedAt(1, '8.1,47', 60))),
    [`wpmz/res/${name}`]: name,
  });
const fileOf: Readonly<Record<MissionMediaType, (text: string) => Buffer | Promise<Buffer>>> = {
  [GEOJSON]: geoJson,
  [KML]: kml,
  [QGC_PLAN]: plan,
  [WPML]: kmz,
};
const mark = Buffer.from([0xef, 0xbb, 0xbf]);
const otherwise = (file: Buffer, encoding: 'latin1' | 'utf16le', before = '') =>
  Buffer.from(before + file.toString(), encoding);
const bigEndian = (file: Buffer, before = '') => otherwise(file, 'utf16le', before).swap16();

const replaced = 'the file is not UTF-8: it has U+FFFD, which stands for what could not be read';
const notUtf8 = 'the file is not UTF-8';
const nul = 'the file is not UTF-8: it has bytes of 0, as UTF-16 has';

describe.each([GEOJSON, KML, QGC_PLAN])('a file of %s', (mediaType) => {
  const file = (text: string) => fileOf[mediaType](text) as Buffer;
  const isText = mediaType === QGC_PLAN;

  test.each<[string, () => Buffer]>([
    ['in ASCII', () => file('Roof')],
    ['in UTF-8', () => file('Zürich 🚁')],
    ['with a mark', () => Buffer.concat([mark, file('Zürich')])],
    [
      'with lines of Windows',
      () =>
        Buffer.from(
          file('Roof')
            .toString()
            .replaceAll(/>|,(?=")/g, '$&\r\n'),
        ),
    ],
    ...(isText ? [] : [['with U+FFFD', () => file('Z\uFFFDrich')] as [string, () => Buffer]]),
  ])('%s is stored and sent back byte for byte', async (_, content) => {
    const { missionId, message } = await send(mediaType, content());
    expect(message).toBeUndefined();
    expect([...bucket.values()]).toEqual([content()]);
    for (const accept of [[], ['*/*'], [mediaType], ['text/html', mediaType], [`${mediaType}, */*;q=0.1`], [WPML]]) {
      const answer = await original(missionId, ...accept);
      expect(answer.status).toBe(200);
      expect(answer.headers['Content-Type']).toBe(mediaType);
      expect(answer.body.equals(content())).toBe(true);
    }
  });

  test.each<[string, () => Buffer, string]>([
    ['in Latin-1', () => otherwise(file('Zürich'), 'latin1'), isText ? replaced : notUtf8],
    ['in UTF-16', () => otherwise(file('Roof'), 'utf16le'), nul],
    ['in UTF-16 with a mark', () => otherwise(file('Roof'), 'utf16le', '\uFEFF'), isText ? replaced : notUtf8],
    ['in UTF-16 of the other order', () => bigEndian(file('Roof')), nul],
    ['in UTF-16 of the other order with a mark', () => bigEndian(file('Roof'), '\uFEFF'), isText ? replaced : notUtf8],
    [
      'that was cut in a character',
      () => Buffer.concat([file('Roof'), Buffer.from([0xc3])]),
      isText ? replaced : notUtf8,
    ],
    ...(isText ? [['with U+FFFD', () => file('Z\uFFFDrich'), replaced] as [string, () => Buffer, string]] : []),
  ])('%s is refused, and nothing is stored', async (_, content, message) => {
    expect(await send(mediaType, content())).toMatchObject({ status: 400, message });
    expect(bucket.size).toBe(0);
  });

  test('is the same with a charset, and refused with another', async () => {
    expect(await send(`${mediaType}; charset=utf-8`, file('Zürich'))).toMatchObject({ status: 201 });
    expect([...bucket.values()]).toEqual([file('Zürich')]);
    expect(await send(`${mediaType}; charset=iso-8859-1`, file('Roof'))).toMatchObject({ status: 415 });
  });

  // Not documented: whether API Gateway compares types in any case. The one on this machine does.
  test('is the same of a type in capitals', async () => {
    expect(await send(mediaType.toUpperCase(), file('Zürich'))).toMatchObject({ status: 201 });
    expect([...bucket.values()]).toEqual([file('Zürich')]);
  });
});

test.each([
  [[WPML], 200],
  [[`${WPML}, */*`], 200],
  [[`${WPML};q=0.9`], 200],
  // The format goes before the header, of which API Gateway looks at the first type.
  [[GEOJSON], 200],
  [[], 406],
  [['*/*'], 406],
  [[`*/*, ${WPML}`], 406],
  // Not documented: another case, and which of two headers counts.
  [[WPML.toUpperCase()], 406],
  [[WPML, '*/*'], 406],
  [['*/*', WPML], 406],
])('a KMZ is sent back byte for byte to who accepts %j, or refused: %i', async (accept, status) => {
  const content = await kmz('a');
  const { missionId } = await send(WPML, content);
  expect([...bucket.values()]).toEqual([content]);
  const answer = await original(missionId, ...accept);
  expect(answer.status).toBe(status);
  if (status === 200) expect(answer.body.equals(content)).toBe(true);
  else expect(answer.body.toString()).toContain(WPML);
});

test.each([
  [undefined, GEOJSON],
  ['*/*', GEOJSON],
  [GEOJSON, GEOJSON],
  [KML, KML],
  [`${KML}, ${GEOJSON}`, KML],
])('what this service writes is text to who accepts %s', async (accept, type) => {
  const { missionId } = await send(GEOJSON, geoJson('Zürich'));
  const headers = accept === undefined ? {} : { Accept: [accept] };
  const { status, headers: answered, body } = await callByGateway(read, { headers, missionId });
  expect([status, answered['Content-Type']]).toEqual([200, type]);
  expect(body.toString()).toContain(type === KML ? '<coordinates>' : '"coordinates"');
});

describe('A file of the largest size', () => {
  const MAX = 4 * 1024 * 1024;
  /** A file of a size, filled with a text that is two bytes. */
  const filled = (mediaType: MissionMediaType, text: string, size = MAX) => {
    const [file = '', after = ''] = (fileOf[mediaType]('|') as Buffer).toString().split('|');
    const count = Math.floor((size - file.length - after.length) / text.length);
    return Buffer.from((file + text.repeat(count) + after).padEnd(size));
  };

  test.each([
    [GEOJSON, 'aa'],
    [KML, 'aa'],
    // In text, each of these bytes is two.
    [GEOJSON, '\\"'],
    [KML, '"\n'],
  ])('of %s comes and goes, whatever is in it: %j', async (mediaType, text) => {
    const content = filled(mediaType, text);
    expect(content).toHaveLength(MAX);
    const { missionId, status } = await send(mediaType, content);
    expect(status).toBe(201);
    expect((await original(missionId, mediaType)).body.equals(content)).toBe(true);
    const other = await original(missionId);
    if (text === 'aa') expect(other.body.equals(content)).toBe(true);
    else expect([other.status, other.body.toString()]).toEqual([406, expect.stringContaining(mediaType)]);
  });

  test('of a plan is 3 MB whatever is in it, and more as QGroundControl writes it', async () => {
    const dense = filled(QGC_PLAN, '\\"', 3_000_000);
    const { missionId, status } = await send(QGC_PLAN, dense);
    expect(status).toBe(201);
    expect((await original(missionId)).body.equals(dense)).toBe(true);
    await expect(send(QGC_PLAN, filled(QGC_PLAN, '\\"'))).rejects.toThrow('REQUEST_TOO_LARGE');
  });

  test('of a plan is 4 MB as QGroundControl writes it', async () => {
    const items = Array.from({ length: 7000 }, (_, index) => ({
      AMSLAltAboveTerrain: null,
      Altitude: 50,
      AltitudeMode: 1,
      ...(index < 5000 ? item(16, 3, [47.3769 + index / 1e5, 8.5417, 60]) : item(2000, 2, [0, 0, 0])),
      doJumpId: index,
    }));
    const text = JSON.stringify(JSON.parse(planFile(items).toString()), null, 4);
    expect(text.length).toBeGreaterThan(3_000_000);
    const content = Buffer.from(text.padEnd(MAX, '\n'));
    const { missionId, status } = await send(QGC_PLAN, content);
    expect(status).toBe(201);
    expect((await original(missionId)).body.equals(content)).toBe(true);
  });
});
