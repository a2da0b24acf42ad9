import { stopClock } from '../fixtures/clock';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { stateText, storedState } from '../../../data/fleet/state-text';
import { jobToItem } from '../../../data/jobs/jobs';
import type { Job } from '../../../domain/jobs/job';
import type { KnownState } from '../../../domain/telemetry/known-state';
import { BatchGetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/fleet/check-devices.lambda';
import { conditionFailed, store } from '../../data/fixtures/store';
import { acme, id, sampleJob } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { queuedStates as queued } from '../fixtures/reported-devices';
import { deviceItem, newDeviceId } from '../fixtures/telemetry';

const now = new Date('2026-11-27T10:30:00.000Z');
const ago = (ms: number) => new Date(now.getTime() - ms).toISOString();
const sample = (deviceId: string, ms: number) => ({ deviceId, timestamp: ago(ms) });
const message = (at: string, ...trailing: { deviceId: string; timestamp: string }[]) => ({
  organisation: acme,
  at,
  trailing,
});
/** A device whose state was saved this many ms ago. */
const savedDevice = (deviceId: string, ms: number, version = 1) =>
  deviceItem(deviceId, {
    status: 'online',
    version,
    savedAt: ago(ms),
    reportedAt: ago(ms),
    lastState: JSON.stringify({ timestamp: ago(ms) }),
  });
const givenDevices = (...fleet: object[]) => store.on(BatchGetCommand).resolves({ Responses: { fleet } });
const check = (...messages: ReturnType<typeof message>[]) =>
  handler({
    Records: messages.map((each, index) => ({ messageId: `message-${index}`, body: JSON.stringify(each) })),
  } as never);
/** Saves the states of these messages, for which no more than a second passes. @returns the messages to try again */
async function save(...messages: ReturnType<typeof message>[]): Promise<string[]> {
  const saved = check(...messages);
  await jest.advanceTimersByTimeAsync(1000);
  const { batchItemFailures } = await saved;
  return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
}
const written = () => store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input);

beforeEach(() => {
  stopClock(now);
  store.resolves({});
});

test('saves the last sample of a device, with the time at which it was received', async () => {
  const deviceId = newDeviceId();
  givenDevices(savedDevice(deviceId, 2500, 7));
  const last = sample(deviceId, 1900);
  await expect(save(message(ago(1800), last))).resolves.toEqual([]);
  const { deviceId: _, ...state } = last;
  expect(written()).toMatchObject([
    {
      Key: fleetKey(acme, deviceId),
      ExpressionAttributeValues: { ':state': stateText(state), ':known': 7 },
    },
  ]);
});

test('saves the newest of several samples in any order, with one read for all devices', async () => {
  const [one, other] = [newDeviceId(), newDeviceId()];
  givenDevices(savedDevice(one, 4000), savedDevice(other, 4000));
  const newest = [sample(one, 2000), sample(other, 2300)];
  await save(
    message(ago(2400), sample(one, 2500)),
    message(ago(2000), ...newest),
    message(ago(2200), sample(one, 2300), sample(other, 2400)),
  );
  const states = written().map(({ ExpressionAttributeValues }) => ExpressionAttributeValues?.[':state'] as string);
  expect(states.toSorted()).toEqual(newest.map(({ timestamp }) => stateText({ timestamp })).toSorted());
  expect(store).toHaveReceivedCommandTimes(BatchGetCommand, 1);
});

test.each([
  ['goes on reporting', (deviceId: string) => [savedDevice(deviceId, 500)]],
  ['was removed', () => []],
  ['was registered again', (deviceId: string) => [deviceItem(deviceId)]],
])('writes nothing for a device that %s', async (_, fleet) => {
  const deviceId = newDeviceId();
  givenDevices(...fleet(deviceId));
  await save(message(ago(1000), sample(deviceId, 1000)));
  expect(written()).toEqual([]);
});

test('waits until the last saved state is a second old', async () => {
  const deviceId = newDeviceId();
  givenDevices(savedDevice(deviceId, 800));
  const saved = check(message(ago(700), sample(deviceId, 750)));
  await jest.advanceTimersByTimeAsync(199);
  expect(written()).toEqual([]);
  await jest.advanceTimersByTimeAsync(100);
  expect(written()).toHaveLength(1);
  await saved;
});

describe('A state of a device that was written meanwhile', () => {
  test('while it waited for its turn, is merged into what is saved then, by one write', async () => {
    const deviceId = newDeviceId();
    store
      .on(BatchGetCommand)
      .resolvesOnce({ Responses: { fleet: [savedDevice(deviceId, 700, 1)] } })
      .resolves({ Responses: { fleet: [savedDevice(deviceId, -300, 2)] } });
    const late = { ...sample(deviceId, 750), battery: { percent: 70 } };
    await expect(save(message(ago(650), late))).resolves.toEqual([]);
    expect(written()).toMatchObject([{ ExpressionAttributeValues: { ':known': 2 } }]);
    const state = storedState({ state: written()[0]?.ExpressionAttributeValues?.[':state'] });
    expect(state).toMatchObject({ timestamp: ago(-300), battery: { percent: 70 } });
    expect(queued()).toEqual([]);
  });

  test('is not saved when the current state is later', async () => {
    const deviceId = newDeviceId();
    store
      .on(BatchGetCommand)
      .resolvesOnce({ Responses: { fleet: [savedDevice(deviceId, 3000)] } })
      .resolves({ Responses: { fleet: [savedDevice(deviceId, 1000)] } });
    store.on(UpdateCommand).rejects(conditionFailed());
    await save(message(ago(2000), sample(deviceId, 2000)));
    expect(written()).toHaveLength(1);
  });

  test('waits in the queue for another turn, with the others that wait', async () => {
    const deviceId = newDeviceId();
    givenDevices(savedDevice(deviceId, 3000));
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(save(message(ago(2000), sample(deviceId, 2000)))).resolves.toEqual([]);
    expect(queued()).toEqual([{ ...message(ago(2000), sample(deviceId, 2000)), delay: 1 }]);
  });

  test('is saved all the same when it has waited for more than a minute, as after a replay', async () => {
    const deviceId = newDeviceId();
    store
      .on(BatchGetCommand)
      .resolvesOnce({ Responses: { fleet: [savedDevice(deviceId, 63_000, 1)] } })
      .resolves({ Responses: { fleet: [savedDevice(deviceId, 63_000, 2)] } });
    store.on(UpdateCommand).rejectsOnce(conditionFailed()).resolves({});
    await expect(save(message(ago(61_000), sample(deviceId, 62_000)))).resolves.toEqual([]);
    expect(written()).toMatchObject([1, 2].map((version) => ({ ExpressionAttributeValues: { ':known': version } })));
    expect(queued()).toEqual([]);
  });

  test('fails when other writes come first each time after a minute, so that it is tried later', async () => {
    const deviceId = newDeviceId();
    givenDevices(savedDevice(deviceId, 63_000));
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(save(message(ago(61_000), sample(deviceId, 62_000)))).resolves.toEqual(['message-0']);
    expect(JSON.stringify(logLines())).toContain('other writes came first each time');
    expect(queued()).toEqual([]);
  });
});

describe('A job in a state that waits', () => {
  const jobId = id('job');
  const known = (change: Partial<Job>) =>
    store
      .on(BatchGetCommand, { RequestItems: { jobs: { Keys: [{ organisation: acme, jobId }] } } })
      .resolves({ Responses: { jobs: [jobToItem(acme, sampleJob({ jobId, ...change }))] } });
  const saved = async (change?: Partial<Job>) => {
    const deviceId = newDeviceId();
    givenDevices(savedDevice(deviceId, 3000));
    if (change) known(change);
    else store.on(BatchGetCommand, { RequestItems: { jobs: { Keys: [{ organisation: acme, jobId }] } } }).resolves({});
    await save(message(ago(2000), { ...sample(deviceId, 2000), jobId } as never));
    return storedState({ state: written()[0]?.ExpressionAttributeValues?.[':state'] });
  };
  test.each<[what: string, change: Partial<Job> | undefined, expected: string | undefined]>([
    ['is saved while it is flown', { status: 'IN_PROGRESS' }, jobId],
    ['is not saved once it has ended', { status: 'COMPLETED' }, undefined],
    ['is not saved once it was deleted', undefined, undefined],
  ])('%s', async (_, change, expected) => {
    expect(((await saved(change)) as KnownState).jobId).toBe(expected);
  });
});

test('saves the other devices when one fails', async () => {
  const [broken, other] = [newDeviceId(), newDeviceId()];
  givenDevices(savedDevice(broken, 3000), savedDevice(other, 3000));
  store.on(UpdateCommand, { Key: fleetKey(acme, broken) }).rejects(new Error('no store'));
  const both = message(ago(2000), sample(broken, 2000), sample(other, 2000));
  await expect(save(both)).resolves.toEqual(['message-0']);
  expect(written()).toHaveLength(2);
});
