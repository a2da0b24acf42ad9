import { DroneMissionClient, type CommandStatusMessage } from '../src/index.ts';
import { FakeService, until } from './fake-service.ts';

let service: FakeService;
const stop = new AbortController();
beforeEach(async () => {
  service = await new FakeService().start();
});
afterEach(() => service.stop());
afterAll(() => stop.abort());

const send = (message: object) => service.last.socket.send(JSON.stringify(message));
const job = (sequence: number, jobState: string, cursor: string, more: object = {}) => ({
  type: 'job.status',
  jobId: 'job-1',
  sequence,
  jobState,
  cursor,
  timestamp: '2026-11-22T10:00:00.000Z',
  ...more,
});
const command = (sequence: number, status: string, cursor: string, commandId = 'command-1') => ({
  type: 'command.status',
  commandId,
  jobId: 'job-1',
  deviceId: 'device-1',
  sequence,
  status,
  cursor,
});

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

beforeEach(() => {
  service.welcome = ({ path }) => {
    if (!path.includes('after')) send(job(1, 'IN_PROGRESS', 'event-10', { snapshot: true }));
  };
});

describe('following what a device in flight is told', () => {
  test('brings each change of a command once, beside the states of the job', async () => {
    const { states, commands, ended } = following();
    await until(() => states.length === 1);
    send(command(1, 'REQUESTED', 'event-11'));
    send(command(1, 'REQUESTED', 'event-11'));
    send(command(2, 'DELIVERED', 'event-12'));
    send(command(1, 'REQUESTED', 'event-13', 'command-2'));
    send(command(3, 'DONE', 'event-14'));
    send(job(2, 'COMPLETED', 'event-15', { previousState: 'IN_PROGRESS' }));
    await ended;
    expect(states).toEqual(['IN_PROGRESS', 'COMPLETED']);
    expect(commands).toEqual(['command-1 REQUESTED', 'command-1 DELIVERED', 'command-2 REQUESTED', 'command-1 DONE']);
  });

  test('loses no change of the job that a command overtook', async () => {
    const { states, ended } = following();
    await until(() => states.length === 1);
    send(command(1, 'DONE', 'event-12'));
    send(job(2, 'COMPLETED', 'event-11', { previousState: 'IN_PROGRESS' }));
    await ended;
    expect(states).toEqual(['IN_PROGRESS', 'COMPLETED']);
  });

  test('goes on after the last change of the job, and brings no command twice', async () => {
    const { states, commands, ended } = following();
    await until(() => states.length === 1);
    send(command(1, 'REQUESTED', 'event-12'));
    await until(() => commands.length === 1);
    service.cut();
    await until(() => service.sockets.length === 2);
    expect(service.last.path).toBe('/v3/jobs/job-1/status/ws?after=event-10');
    send({ ...command(1, 'REQUESTED', 'event-12'), replayed: true });
    send({ ...command(2, 'DONE', 'event-13'), replayed: true });
    send(job(2, 'COMPLETED', 'event-14'));
    await ended;
    expect(commands).toEqual(['command-1 REQUESTED', 'command-1 DONE']);
  });

  test.each([
    ['a command', command(1, 'DONE', 'event-11')],
    ['something that a later service sends', { type: 'job.weather', jobId: 'job-1', sequence: 1, cursor: 'event-11' }],
  ])('passes over %s where nobody asked for it', async (_, message) => {
    const types: string[] = [];
    const follow = (async () => {
      for await (const { type } of new DroneMissionClient(service.options).jobs.follow('job-1')) types.push(type);
    })();
    await until(() => types.length === 1);
    send(message);
    send(job(2, 'COMPLETED', 'event-12'));
    await follow;
    expect(types).toEqual(['job.status', 'job.status']);
  });
});
