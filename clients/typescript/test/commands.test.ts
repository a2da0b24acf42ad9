import { ApiError, ConnectionError, DroneMissionClient, type CommandStatusMessage } from '../src/index.ts';
import { FakeService, until, withoutWaits, type Answer, type ReceivedRequest } from './fake-service.ts';

withoutWaits();
let service: FakeService;
beforeEach(async () => {
  service = await new FakeService().start();
});
afterEach(() => service.stop());

const givenClient = (more: object = {}) => new DroneMissionClient({ ...service.options, ...more });
const command = (status: string, more: object = {}) => ({
  commandId: 'command-1',
  deviceId: 'device-1',
  name: 'PAUSE',
  status,
  requestedAt: '2026-11-22T10:00:00.000Z',
  endBefore: '2026-11-22T10:00:30.000Z',
  ...more,
});
const ended = (status: string, more: object = {}) => command(status, { endedAt: '2026-11-22T10:00:02.000Z', ...more });
const ok = (body: object, status = 200): Answer => ({ status, body: { success: true, ...body } });
const unavailable: Answer = { status: 503, body: { message: 'Service Unavailable' } };
const refusal: Answer = {
  status: 409,
  body: { error: 'cannot_command', details: [{ path: 'name', message: 'the device is on the ground' }] },
};

/** Takes the command, and answers reads of it with these, one after the other. */
const takenThen = (...reads: Answer[]) => {
  service.answer = ({ method }) =>
    method === 'POST' ? ok({ command: command('REQUESTED') }, 202) : (reads.shift() ?? { status: 500 });
};
const sent = ({ requests }: FakeService): ReceivedRequest[] => requests.filter(({ method }) => method === 'POST');
const read = ({ requests }: FakeService): ReceivedRequest[] => requests.filter(({ method }) => method === 'GET');

describe('a command', () => {
  test('is sent with its parameters and a key, and is what the service has taken', async () => {
    takenThen();
    const { command: taken } = await givenClient().devices.command('device/1', {
      name: 'GO_TO',
      position: { type: 'Point', coordinates: [8.54, 47.37] },
      speed: 5,
    });
    expect(taken).toMatchObject({ commandId: 'command-1', status: 'REQUESTED' });
    expect(sent(service)).toMatchObject([
      {
        path: '/v3/devices/device%2F1/commands',
        body: { name: 'GO_TO', position: { coordinates: [8.54, 47.37] }, speed: 5 },
      },
    ]);
    expect(sent(service)[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('has the key of the caller, the same one in each repeat', async () => {
    const answers: Answer[] = ['destroy', unavailable, ok({ command: command('REQUESTED') }, 202)];
    service.answer = () => answers.shift() ?? { status: 500 };
    await givenClient().devices.command('device-1', { name: 'x-drop', load: 2 }, { idempotencyKey: 'mine' });
    expect(sent(service).map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine', 'mine']);
  });

  test('is not sent again after ten seconds: it was meant for the flight as it was then', async () => {
    service.answer = () => ({ status: 429, headers: { 'retry-after': '11' }, body: { error: 'Too many requests' } });
    const late = givenClient().devices.command('device-1', { name: 'RESUME' });
    await expect(late).rejects.toMatchObject({ status: 429, retryAfterMs: 11_000 });
    expect(service.requests).toHaveLength(1);
  });

  test('that is refused says why, whether or not its outcome is waited for', async () => {
    service.answer = () => refusal;
    const { devices } = givenClient();
    const details = [{ path: 'name', message: 'the device is on the ground' }];
    await expect(devices.command('device-1', { name: 'LAND' })).rejects.toMatchObject({ status: 409, details });
    await expect(devices.command('device-1', { name: 'LAND' }).outcome()).rejects.toMatchObject({
      status: 409,
      details,
    });
  });
});

describe('the outcome of a command', () => {
  test.each(['DONE', 'REFUSED', 'FAILED', 'TIMED_OUT', 'SUPERSEDED'])(
    'is the command when it is %s',
    async (status) => {
      takenThen(
        ok({ command: command('REQUESTED') }),
        ok({ command: command('DELIVERED') }),
        ok({ command: ended(status) }),
      );
      const outcome = await givenClient().devices.command('device-1', { name: 'PAUSE' }).outcome();
      expect(outcome).toEqual(ended(status));
      expect(read(service).map(({ path }) => path)).toEqual(Array(3).fill('/v3/devices/device-1/commands/command-1'));
    },
  );

  test('can be waited for later', async () => {
    takenThen(ok({ command: ended('DONE') }));
    const taken = await givenClient().devices.command('device-1', { name: 'PAUSE' });
    expect(read(service)).toHaveLength(0);
    expect(await taken.outcome()).toEqual(ended('DONE'));
  });

  test('is not read again when the first answer has it, as that of a repeat may', async () => {
    service.answer = () => ok({ command: ended('DONE') }, 202);
    expect(await givenClient().devices.command('device-1', { name: 'PAUSE' }).outcome()).toEqual(ended('DONE'));
    expect(read(service)).toHaveLength(0);
  });

  test('comes although the service could not be read for a while', async () => {
    takenThen('destroy', unavailable, ok({ command: ended('DONE') }));
    const { devices } = givenClient({ maxRetries: 0 });
    expect(await devices.command('device-1', { name: 'PAUSE' }).outcome()).toEqual(ended('DONE'));
  });

  test('is given up at once when the command can’t be read', async () => {
    takenThen({ status: 403, body: { error: 'Forbidden' } });
    const outcome = givenClient().devices.command('device-1', { name: 'PAUSE' }).outcome();
    await expect(outcome).rejects.toThrow(ApiError);
  });

  test('is given up when the signal says so, also during a pause', async () => {
    takenThen(...Array<Answer>(5).fill(ok({ command: command('DELIVERED') })));
    const stop = new AbortController();
    const outcome = givenClient().devices.command('device-1', { name: 'PAUSE' }).outcome({ signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(outcome).rejects.toThrow('enough');
  });

  test.each([
    ['it has none', ok({ command: command('DELIVERED') }), /has no outcome although its time is over/],
    ['it can’t be read', 'destroy' as const, ConnectionError],
  ])('is given up long after its time, when %s', async (_, answer, error) => {
    // The client waits 90 seconds longer than the command may take.
    const late = command('DELIVERED', { endBefore: '2026-11-22T09:58:30.200Z' });
    service.answer = ({ method }) => (method === 'POST' ? ok({ command: late }, 202) : answer);
    const outcome = givenClient({ maxRetries: 0 }).devices.command('device-1', { name: 'PAUSE' }).outcome();
    await expect(outcome).rejects.toThrow(error);
    expect(read(service)).toHaveLength(1);
  });
});

describe('commands', () => {
  test('of a device are listed over pages', async () => {
    service.answer = ({ path }) =>
      path.endsWith('nextToken=second')
        ? ok({ commands: [ended('DONE', { commandId: 'command-1' })], count: 1 })
        : ok({ commands: [command('DELIVERED', { commandId: 'command-2' })], count: 1, nextToken: 'second' });
    const found: string[] = [];
    for await (const { commandId } of givenClient().devices.commands('device-1', { limit: 1 })) found.push(commandId);
    expect(found).toEqual(['command-2', 'command-1']);
    expect(service.requests.map(({ path }) => path)).toEqual([
      '/v3/devices/device-1/commands?limit=1',
      '/v3/devices/device-1/commands?limit=1&nextToken=second',
    ]);
  });

  test('of a job are one list', async () => {
    service.answer = () => ok({ commands: [ended('DONE')], count: 1 });
    expect(await givenClient().jobs.commands('job-1')).toEqual([ended('DONE')]);
    expect(service.requests[0]?.path).toBe('/v3/jobs/job-1/commands');
  });

  test('that a device obeys are among its capabilities', async () => {
    const capabilities = { deviceId: 'device-1', commands: ['PAUSE'] };
    service.answer = () => ok({ capabilities });
    expect(await givenClient().devices.capabilities('device-1')).toEqual(capabilities);
    expect(service.requests[0]?.path).toBe('/v3/devices/device-1/capabilities');
  });
});

describe('the control of a device', () => {
  const control = { deviceId: 'device-1', origin: 'partner', heldBy: 'client-1', until: '2026-11-22T10:01:00.000Z' };

  test('is held, read and given back', async () => {
    service.answer = ({ method }) => ok(method === 'DELETE' ? { message: 'Control released' } : { control });
    const { devices } = givenClient();
    expect(await devices.hold('device/1')).toEqual(control);
    expect(await devices.control('device/1')).toEqual(control);
    await expect(devices.release('device/1')).resolves.toBeUndefined();
    expect(service.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
      ['PUT', 'GET', 'DELETE'].map((method) => `${method} /v3/devices/device%2F1/control`),
    );
  });

  test('that another client has is refused with its holder', async () => {
    const details = [{ path: 'deviceId', message: 'is held by client-2 until 2026-11-22T10:01:00.000Z' }];
    service.answer = () => ({ status: 409, body: { error: 'held_by', details } });
    await expect(givenClient().devices.hold('device-1')).rejects.toMatchObject({ status: 409, details });
    await expect(givenClient().devices.release('device-1')).rejects.toMatchObject({ status: 409, details });
  });
});

const publish = (message: object) => service.last.socket.send(JSON.stringify(message));
const job = (sequence: number, jobState: string, cursor: string, more: object = {}) => ({
  type: 'job.status',
  jobId: 'job-1',
  sequence,
  jobState,
  cursor,
  timestamp: '2026-11-22T10:00:00.000Z',
  ...more,
});
const change = (sequence: number, status: string, cursor: string, commandId = 'command-1') => ({
  type: 'command.status',
  commandId,
  jobId: 'job-1',
  deviceId: 'device-1',
  sequence,
  status,
  cursor,
});

const stop = new AbortController();

/** Follows a job and its commands in the background. */
function following() {
  const [states, commands]: [string[], string[]] = [[], []];
  const onCommand = ({ commandId, status }: CommandStatusMessage) => void commands.push(`${commandId} ${status}`);
  const client = new DroneMissionClient(service.options);
  const ended = (async () => {
    for await (const { jobState } of client.jobs.follow('job-1', { signal: stop.signal, onCommand }))
      states.push(jobState);
  })();
  ended.catch(() => undefined);
  return { states, commands, ended };
}

describe('following what a device in flight is told', () => {
  beforeEach(() => {
    service.welcome = ({ path }) => {
      if (!path.includes('after')) publish(job(1, 'IN_PROGRESS', 'event-10', { snapshot: true }));
    };
  });
  afterAll(() => stop.abort());

  test('brings each change of a command once, beside the states of the job', async () => {
    const { states, commands, ended } = following();
    await until(() => states.length === 1);
    publish(change(1, 'REQUESTED', 'event-11'));
    publish(change(1, 'REQUESTED', 'event-11'));
    publish(change(2, 'DELIVERED', 'event-12'));
    publish(change(1, 'REQUESTED', 'event-13', 'command-2'));
    publish(change(3, 'DONE', 'event-14'));
    publish(job(2, 'COMPLETED', 'event-15', { previousState: 'IN_PROGRESS' }));
    await ended;
    expect(states).toEqual(['IN_PROGRESS', 'COMPLETED']);
    expect(commands).toEqual(['command-1 REQUESTED', 'command-1 DELIVERED', 'command-2 REQUESTED', 'command-1 DONE']);
  });

  test('loses no change of the job that a command overtook', async () => {
    const { states, ended } = following();
    await until(() => states.length === 1);
    publish(change(1, 'DONE', 'event-12'));
    publish(job(2, 'COMPLETED', 'event-11', { previousState: 'IN_PROGRESS' }));
    await ended;
    expect(states).toEqual(['IN_PROGRESS', 'COMPLETED']);
  });

  test('goes on after the last change of the job, and brings no command twice', async () => {
    const { states, commands, ended } = following();
    await until(() => states.length === 1);
    publish(change(1, 'REQUESTED', 'event-12'));
    await until(() => commands.length === 1);
    service.cut();
    await until(() => service.sockets.length === 2);
    expect(service.last.path).toBe('/v3/jobs/job-1/status/ws?after=event-10');
    publish({ ...change(1, 'REQUESTED', 'event-12'), replayed: true });
    publish({ ...change(2, 'DONE', 'event-13'), replayed: true });
    publish(job(2, 'COMPLETED', 'event-14'));
    await ended;
    expect(commands).toEqual(['command-1 REQUESTED', 'command-1 DONE']);
  });

  test.each([
    ['a command', change(1, 'DONE', 'event-11')],
    ['something that a later service sends', { type: 'job.weather', jobId: 'job-1', sequence: 1, cursor: 'event-11' }],
  ])('passes over %s where nobody asked for it', async (_, message) => {
    const types: string[] = [];
    const follow = (async () => {
      for await (const { type } of new DroneMissionClient(service.options).jobs.follow('job-1')) types.push(type);
    })();
    await until(() => types.length === 1);
    publish(message);
    publish(job(2, 'COMPLETED', 'event-12'));
    await follow;
    expect(types).toEqual(['job.status', 'job.status']);
  });
});
