import { closing, nextMessages, serveApi, type Event, type ServedApi } from './served-api';
import { until } from '../until';

describe('The end of a connection', () => {
  let served: ServedApi;
  const ended: Event[] = [];
  const routes = {
    $disconnect: (event: Event) => (ended.push(event), { statusCode: 200 }),
    talk: () => ({ statusCode: 200, body: 'received' }),
  };
  const last = async () => {
    await until(() => ended.length === 1);
    const context = ended[0]?.requestContext;
    return { code: context?.disconnectStatusCode, reason: context?.disconnectReason };
  };

  beforeEach(() => (ended.length = 0));
  afterEach(() => served.stop());

  test('invokes $disconnect with the code and reason of the client', async () => {
    served = await serveApi({ routes });
    (await served.connect()).close(4001, 'enough');
    expect(await last()).toEqual({ code: 4001, reason: 'enough' });
    expect(served.api.connectionCount).toBe(0);
  });

  test('invokes $disconnect with API Gateway’s reason when the client gives no code', async () => {
    served = await serveApi({ routes });
    (await served.connect()).close();
    expect(await last()).toEqual({ code: 1005, reason: 'Client-side close frame status not set' });
  });

  test('invokes $disconnect with 1006 when the TCP connection is lost', async () => {
    served = await serveApi({ routes });
    (await served.connect()).terminate();
    expect((await last()).code).toBe(1006);
  });

  test('comes after the idle limit', async () => {
    served = await serveApi({ routes, limits: { idleMs: 60 } });
    const socket = await served.connect();
    expect(await closing(socket)).toEqual({ code: 1001, reason: 'Going away' });
    expect(await last()).toEqual({ code: 1001, reason: 'Going away' });
  });

  test('is postponed by every message', async () => {
    // HTTP and WebSockets need the functions that are not faked.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      served = await serveApi({ routes, answering: ['talk'], limits: { idleMs: 1000 } });
      const socket = await served.connect();
      const closed = closing(socket);
      for (let count = 0; count < 3; count++) {
        await jest.advanceTimersByTimeAsync(999);
        socket.send('{"action":"talk"}');
        await nextMessages(socket, 1);
      }
      await jest.advanceTimersByTimeAsync(999);
      expect(ended).toEqual([]);
      await jest.advanceTimersByTimeAsync(1);
      expect((await closed).code).toBe(1001);
    } finally {
      jest.useRealTimers();
    }
  });

  test('comes after the maximum duration in spite of messages', async () => {
    served = await serveApi({ routes, answering: ['talk'], limits: { durationMs: 100 } });
    const socket = await served.connect();
    const timer = setInterval(() => socket.send('{"action":"talk"}'), 10);
    expect((await closing(socket)).code).toBe(1001);
    clearInterval(timer);
    expect((await last()).code).toBe(1001);
  });

  test('comes for every connection when the API stops, and waits for $disconnect', async () => {
    served = await serveApi({ routes });
    const sockets = [await served.connect(), await served.connect()];
    const closed = Promise.all(sockets.map(closing));
    await served.api.stop?.();
    expect(ended).toHaveLength(2);
    expect((await closed).map(({ code }) => code)).toEqual([1001, 1001]);
  });
});
