import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetDataEndpointCommand, KinesisVideoClient } from '@aws-sdk/client-kinesis-video';
import {
  GetHLSStreamingSessionURLCommand,
  KinesisVideoArchivedMediaClient,
  type GetHLSStreamingSessionURLCommandInput,
} from '@aws-sdk/client-kinesis-video-archived-media';
import { createAwsEndpoint, type AwsEndpoint } from '../../aws-endpoint';
import { startKinesisVideo, type KinesisVideo } from '../../kinesis-video';
import { livePlaylist, masterPlaylist, segmentStart } from '../../kinesis-video/media-server';
import { readClip, segmentAt } from '../../kinesis-video/clip';

const region = 'eu-central-1';
const place = { region, accountId: '000000000000' };
const arn = (name: string) => `arn:aws:kinesisvideo:eu-central-1:000000000000:stream/${name}/0`;

describe('Kinesis Video Streams', () => {
  let endpoint: AwsEndpoint;
  let video: KinesisVideo;
  let streams: KinesisVideoClient;
  let media: KinesisVideoArchivedMediaClient;
  const APIName = 'GET_HLS_STREAMING_SESSION_URL' as const;
  const session = async (more: Partial<GetHLSStreamingSessionURLCommandInput> = {}) => {
    const command = new GetHLSStreamingSessionURLCommand({ StreamName: 'one', PlaybackMode: 'LIVE', ...more });
    return (await media.send(command)).HLSStreamingSessionURL ?? '';
  };
  /** The text of a playlist and its URIs as absolute URLs. */
  const addresses = async (url: string) => {
    const text = await (await fetch(url)).text();
    const names = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return { text, urls: names.map((name) => new URL(name, url).href) };
  };

  beforeEach(async () => {
    endpoint = createAwsEndpoint();
    await endpoint.start();
    video = await startKinesisVideo({ ...place, endpointUrl: endpoint.url });
    endpoint.add(video);
    const config = { region, credentials: endpoint.admin, maxAttempts: 1 };
    streams = new KinesisVideoClient({ ...config, endpoint: endpoint.url });
    const { DataEndpoint } = await streams.send(new GetDataEndpointCommand({ StreamName: 'one', APIName }));
    media = new KinesisVideoArchivedMediaClient({ ...config, endpoint: DataEndpoint ?? '' });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    streams.destroy();
    media.destroy();
    await video.stop();
    await endpoint.stop();
  });

  test('serves a clip as live video: playlists, initialisation segment and media segments', async () => {
    const master = await session();
    expect(master).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/hls\/v1\/getHLSMasterPlaylist\.m3u8\?SessionToken=[\w-]{43}$/);
    const [list = ''] = (await addresses(master)).urls;
    const { text, urls } = await addresses(list);
    expect(urls).toHaveLength(5);
    expect(text).toContain('#EXTINF:2.000,');
    const init = /#EXT-X-MAP:URI="(.*)"/.exec(text)?.[1] ?? '';
    const boxes = await Promise.all(
      [new URL(init, list).href, ...urls].map(async (url) => {
        const answer = await fetch(url);
        expect(answer.headers.get('content-type')).toBe('video/mp4');
        return Buffer.from(await answer.arrayBuffer()).toString('latin1', 4, 8);
      }),
    );
    expect(boxes).toEqual(['ftyp', ...Array<string>(5).fill('styp')]);
  });

  test('has decode times that continue when the clip loops', async () => {
    const [list = ''] = (await addresses(await session())).urls;
    const moments = await Promise.all(
      (await addresses(list)).urls.map(async (url) => {
        const segment = Buffer.from(await (await fetch(url)).arrayBuffer());
        const ticks = segment.readBigUInt64BE(segment.indexOf('tfdt') + 8);
        return Number(ticks) / segment.readUInt32BE(segment.indexOf('sidx') + 12);
      }),
    );
    const [first = 0] = moments;
    expect(moments).toEqual([0, 2, 4, 6, 8].map((later) => first + later));
    expect(Math.abs(Date.now() / 1000 - first)).toBeLessThan(60);
  });

  test('lists as many segments as requested', async () => {
    const [list = ''] = (await addresses(await session({ MaxMediaPlaylistFragmentResults: 2 }))).urls;
    expect((await addresses(list)).urls).toHaveLength(2);
  });

  test('allows all origins by CORS', async () => {
    const url = await session();
    const answer = await fetch(url);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('content-type')).toBe('application/vnd.apple.mpegurl');
    expect((await fetch(url, { method: 'OPTIONS' })).status).toBe(204);
  });

  test('ends a session when it expires', async () => {
    const first = await session();
    const second = await session({ Expires: 600 });
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 301_000);
    expect([(await fetch(first)).status, (await fetch(second)).status]).toEqual([403, 200]);
    const third = await session();
    expect([(await fetch(first)).status, (await fetch(second)).status]).toEqual([403, 200]);
    expect((await fetch(third)).status).toBe(200);
  });

  test('answers 403 without a session and 404 for an unknown path', async () => {
    const url = await session();
    const status = async (change: (url: URL) => void) => {
      const changed = new URL(url);
      change(changed);
      return (await fetch(changed)).status;
    };
    expect(await status((one) => one.searchParams.delete('SessionToken'))).toBe(403);
    expect(await status((one) => one.searchParams.set('SessionToken', 'x'))).toBe(403);
    expect(await status((one) => (one.pathname = '/hls/v1/other'))).toBe(404);
    expect(await status((one) => (one.pathname = '/hls/v1/getMP4MediaFragment.mp4'))).toBe(200);
    expect(
      await status((one) => {
        one.pathname = '/hls/v1/getMP4MediaFragment.mp4';
        one.searchParams.set('FragmentNumber', 'x');
      }),
    ).toBe(404);
  });

  test('answers ResourceNotFoundException for stream names that begin with missing', async () => {
    const name = 'ResourceNotFoundException';
    const asked = streams.send(new GetDataEndpointCommand({ StreamName: 'missing-1', APIName }));
    await expect(asked).rejects.toMatchObject({ name });
    await expect(session({ StreamName: 'missing-1' })).rejects.toMatchObject({ name });
  });

  test.each<[string, Partial<GetHLSStreamingSessionURLCommandInput>, string]>([
    ['a session that is too short', { Expires: 299 }, 'Expires'],
    ['a session that is too long', { Expires: 43_201 }, 'Expires'],
    ['what has been recorded', { PlaybackMode: 'ON_DEMAND' }, 'PlaybackMode'],
    ['another container', { ContainerFormat: 'MPEG_TS' }, 'ContainerFormat'],
    ['a video of nothing', { StreamName: undefined }, 'StreamName'],
  ])('refuses %s by name', async (_title, more, message) => {
    await expect(session(more)).rejects.toMatchObject({
      name: 'InvalidArgumentException',
      message: expect.stringContaining(message) as unknown,
    });
  });

  test('requires the permission on the stream', () => {
    const permissions = (path: string, body: object) =>
      video.permissions({
        service: 'kinesisvideo',
        method: 'POST',
        path,
        headers: {},
        body: Buffer.from(JSON.stringify(body)),
      });
    expect(permissions('/getDataEndpoint', { StreamName: 'one' })).toEqual([
      { action: 'kinesisvideo:GetDataEndpoint', resource: arn('one') },
    ]);
    expect(permissions('/getHLSStreamingSessionURL', { StreamARN: arn('two') })).toEqual([
      { action: 'kinesisvideo:GetHLSStreamingSessionURL', resource: arn('two') },
    ]);
  });

  test.each(['/describeStream', '/__proto__', '/'])('refuses %s as unsupported', async (path) => {
    const call = { service: 'kinesisvideo', method: 'POST', path, headers: {}, body: Buffer.from('{}') };
    expect(await video.answer(call)).toMatchObject({ status: 400 });
  });

  test('does not start without a clip', async () => {
    const clipFolder = await mkdtemp(join(tmpdir(), 'clip-test-'));
    const starting = startKinesisVideo({ ...place, endpointUrl: endpoint.url, clipFolder });
    await expect(starting).rejects.toThrow('contains no clip');
    await rm(clipFolder, { recursive: true });
  });
});

const seconds = [2, 1, 2];
/** The numbers of the segments in a live playlist. */
const listed = (playlist: string) =>
  [...playlist.matchAll(/FragmentNumber=(\d+)/g)].map(([, number]) => number).join(' ');
const tag = (playlist: string, name: string) => new RegExp(`^#EXT-X-${name}:(.*)$`, 'm').exec(playlist)?.[1];

describe('The playlist of live video', () => {
  test('lists the latest segments and the initialisation segment', () => {
    expect(livePlaylist('secret', seconds, 3, 13_500)).toBe(
      [
        '#EXTM3U',
        '#EXT-X-VERSION:6',
        '#EXT-X-TARGETDURATION:2',
        '#EXT-X-MEDIA-SEQUENCE:5',
        '#EXT-X-MAP:URI="getMP4InitFragment.mp4?SessionToken=secret"',
        '#EXTINF:2.000,',
        'getMP4MediaFragment.mp4?FragmentNumber=5&SessionToken=secret',
        '#EXTINF:2.000,',
        'getMP4MediaFragment.mp4?FragmentNumber=6&SessionToken=secret',
        '#EXTINF:1.000,',
        'getMP4MediaFragment.mp4?FragmentNumber=7&SessionToken=secret',
        '',
      ].join('\n'),
    );
  });

  test.each([
    [10_000, '3 4 5'],
    [11_999, '3 4 5'],
    [12_000, '4 5 6'],
    [12_999, '4 5 6'],
    [13_000, '5 6 7'],
    [15_000, '6 7 8'],
  ])('advances with the clock: at %i ms it lists %s', (now, segments) => {
    const playlist = livePlaylist('t', seconds, 3, now);
    expect(listed(playlist)).toBe(segments);
    expect(tag(playlist, 'MEDIA-SEQUENCE')).toBe(/\d+/.exec(segments)?.[0]);
  });

  test('has contiguous segments', () => {
    expect([0, 1, 2, 3, 4, 7].map((number) => segmentStart(number, seconds))).toEqual([0, 2, 3, 5, 7, 12]);
  });

  test('may be longer than the clip', () => {
    expect(listed(livePlaylist('t', seconds, 5, 15_000))).toBe('4 5 6 7 8');
  });

  test('is listed in a master playlist with its bandwidth', () => {
    expect(masterPlaylist('secret', 1000)).toBe(
      '#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-STREAM-INF:BANDWIDTH=1000\ngetHLSMediaPlaylist.m3u8?SessionToken=secret\n',
    );
  });
});

const clip = readClip();
/** Offset of a box's content, behind its name. */
const contentOf = (bytes: Buffer, name: string) => {
  const at = bytes.indexOf(name);
  if (at < 0) throw new Error(`no box ${name}`);
  return at + name.length;
};

describe('The clip that every stream plays', () => {
  test('is H.264 of the profile Main, which every browser plays, 640 × 360, without sound', () => {
    const [sample, tracks] = [contentOf(clip.init, 'avc1'), clip.init.toString('latin1').split('tkhd').length - 1];
    // VisualSampleEntry (ISO/IEC 14496-12, 12.1.3): the size comes after 24 bytes.
    expect([clip.init.readUInt16BE(sample + 24), clip.init.readUInt16BE(sample + 26)]).toEqual([640, 360]);
    // AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1): version, then profile 77.
    expect([...clip.init.subarray(contentOf(clip.init, 'avcC')).subarray(0, 2)]).toEqual([1, 77]);
    expect(tracks).toBe(1);
  });

  test('has segments of two seconds, sixteen in all, in at most 1.5 MB', () => {
    expect(clip.segments.map(({ seconds }) => seconds)).toEqual(Array(8).fill(2));
    const bytes = clip.segments.reduce((sum, segment) => sum + segment.bytes.length, clip.init.length);
    expect(bytes).toBeLessThan(1_500_000);
  });

  test('can be played from each segment: it begins with a key frame', () => {
    for (const { bytes } of clip.segments) {
      expect(bytes.toString('latin1', 4, 8)).toBe('styp');
      // Flags of the first frame (ISO/IEC 14496-12, 8.8.8): it depends on no other, and is a key frame.
      const run = contentOf(bytes, 'trun');
      expect(bytes.readUInt32BE(run) & 0x000005).toBe(0x000005);
      expect(bytes.readUInt32BE(run + 12)).toBe(0x02000000);
    }
  });

  test('gets the decode time of its place in the live stream', () => {
    const [segment] = clip.segments;
    if (!segment) throw new Error('the clip is empty');
    const moved = segmentAt(segment, 1000);
    expect(moved.readBigUInt64BE(contentOf(moved, 'tfdt') + 4)).toBe(15_360_000n);
    expect(moved).toHaveLength(segment.bytes.length);
  });
});
