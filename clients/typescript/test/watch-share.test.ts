import { watchShare, type ShareViewerMessage } from '../src/index.ts';
import { FakeService, until, withoutWaits } from './fake-service.ts';

withoutWaits();
let service: FakeService;
beforeEach(async () => {
  service = await new FakeService().start();
});
afterEach(() => service.stop());

const video = { protocol: 'HLS', url: 'https://video.example/1', expiresAt: '2026-11-27T10:35:15.123Z' };
const snapshot = { type: 'share.status', shareState: 'ACTIVE', sequence: 1, snapshot: true };

/** Watches a share whose messages to the service are answered by the function; undefined answers nothing. */
function givenViewer(answer: (message: Record<string, unknown>) => object | 'terminate' | undefined) {
  service.welcome = ({ socket }) => {
    socket.send(JSON.stringify(snapshot));
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as Record<string, unknown>;
      const reply = answer(message);
      if (reply === 'terminate') socket.terminate();
      else if (reply) socket.send(JSON.stringify({ ...reply, id: message['id'] }));
    });
  };
  const view = watchShare({ wsUrl: service.wsUrl, shareCode: 'share-1' });
  const told: ShareViewerMessage[] = [];
  const reading = (async () => {
    for await (const message of view) told.push(message);
  })();
  return { view, told, reading };
}
const revoke = () => service.publish({ ...snapshot, sequence: 9, shareState: 'REVOKED' });

describe('a viewer of a share', () => {
  test('sends a command and gets its request id; the answer is none of the messages that are read', async () => {
    const { view, told, reading } = givenViewer(() => ({ type: 'accepted', requestId: 'request-1' }));
    expect(await view.control({ name: 'GOTO', altitude: 50 })).toBe('request-1');
    expect(service.last.received).toEqual([{ action: 'control', command: { name: 'GOTO', altitude: 50 }, id: 1 }]);
    revoke();
    await reading;
    expect(told.map(({ type }) => type)).toEqual(['share.status', 'share.status']);
  });

  test('holds the drone, and gives it back', async () => {
    const until = '2026-11-27T10:31:15.123Z';
    const { view, told, reading } = givenViewer(({ action }) =>
      action === 'takeControl' ? { type: 'control.taken', until } : { type: 'control.released' },
    );
    expect(await view.takeControl()).toBe(until);
    await view.releaseControl();
    expect(service.last.received.map(({ action }) => action)).toEqual(['takeControl', 'releaseControl']);
    revoke();
    await reading;
    expect(told.map(({ type }) => type)).toEqual(['share.status', 'share.status']);
  });

  test('gets a new address of the video, or null without one', async () => {
    let playback: object | null = video;
    const { view, reading } = givenViewer(() => ({ type: 'share.playback', playback }));
    expect(await view.playback()).toEqual(video);
    playback = null;
    expect(await view.playback()).toBeNull();
    revoke();
    await reading;
  });

  test('gets the flight of the device, without the parts of the message', async () => {
    const flight = {
      deviceName: 'Kestrel 1',
      track: [{ timestamp: '2026-11-27T10:30:15.123Z', coordinates: [8, 47, 500] }],
    };
    const { view, told, reading } = givenViewer(() => ({ type: 'share.flight', ...flight }));
    expect(await view.flight()).toEqual(flight);
    expect(service.last.received).toEqual([{ action: 'flight', id: 1 }]);
    revoke();
    await reading;
    expect(told.map(({ type }) => type)).toEqual(['share.status', 'share.status']);
  });

  test('goes on watching after a command is refused', async () => {
    const { view, reading } = givenViewer(() => ({ type: 'error', code: 'forbidden', error: 'Forbidden' }));
    await expect(view.control({ name: 'LAND' })).rejects.toMatchObject({ name: 'ApiError', code: 'forbidden' });
    expect(service.sockets).toHaveLength(1);
    revoke();
    await reading;
  });

  test('is told that a command was not answered, which is not sent again over the next connection', async () => {
    const { view, told, reading } = givenViewer(({ id }) =>
      id === 1 ? 'terminate' : { type: 'accepted', requestId: 'r' },
    );
    await expect(view.control({ name: 'LAND' })).rejects.toMatchObject({
      problem: 'interrupted',
      message: 'The command got no answer: the connection broke. It may have been executed.',
    });
    expect(await view.control({ name: 'LAND' })).toBe('r');
    expect(service.sockets.flatMap(({ received }) => received.map(({ id }) => id))).toEqual([1, 2]);
    await until(() => told.length > 0);
    service.last.socket.send(JSON.stringify({ ...snapshot, sequence: 9, shareState: 'REVOKED' }));
    await reading;
  });

  test('stops waiting for an answer with its signal', async () => {
    const { view, reading } = givenViewer(() => undefined);
    const stop = new AbortController();
    const waiting = view.control({ name: 'LAND' }, { signal: stop.signal });
    await until(() => service.sockets[0]?.received.length === 1);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    revoke();
    await reading;
  });

  test('can send nothing after the end', async () => {
    const { view, told, reading } = givenViewer(() => undefined);
    await until(() => told.length > 0);
    revoke();
    await reading;
    await expect(view.control({ name: 'LAND' })).rejects.toMatchObject({
      problem: 'interrupted',
      message: 'The command is not possible: the channel has ended.',
    });
  });
});
