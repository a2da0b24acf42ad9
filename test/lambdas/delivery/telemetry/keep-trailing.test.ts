import { BatchGetCommand, UpdateCommand } from '../../../../data/store/document-client';
import { keepTrailingStates } from '../../../../lambdas/delivery/telemetry/keep-trailing';
import { conditionFailed, store } from '../../../data/fixtures/store';
import { acme } from '../../../domain/fixtures/samples';
import { deviceItem, newDeviceId } from '../../fixtures/telemetry';

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const sample = (deviceId: string, ms: number) => ({ deviceId, timestamp: ago(ms) });
const message = (at: string, ...trailing: { deviceId: string; timestamp: string }[]) => ({
  organisation: acme,
  at,
  trailing,
});
/** What is kept of a device, since so many ms. */
const kept = (deviceId: string, ms: number, version = 1) =>
  deviceItem(deviceId, {
    ...{ status: 'online', version, keptAt: ago(ms), reportedAt: ago(ms) },
    lastState: JSON.stringify({ timestamp: ago(ms) }),
  });
const given = (...fleet: object[]) => store.on(BatchGetCommand).resolves({ Responses: { fleet } });
const written = () => store.commandCalls(UpdateCommand).map(({ args: [{ input }] }) => input);

beforeEach(() => {
  store.resolves({});
});

test('A sample that no later one followed is kept, and when it came in is when the device was heard of.', async () => {
  const deviceId = newDeviceId();
  given(kept(deviceId, 2500, 7));
  const last = sample(deviceId, 1900);
  await keepTrailingStates(acme, [message(ago(1800), last)]);
  const { deviceId: _, ...state } = last;
  expect(written()).toMatchObject([
    {
      Key: { organisation: acme, id: deviceId },
      ExpressionAttributeValues: { ':state': JSON.stringify(state), ':stateAt': last.timestamp, ':version': 7 },
    },
  ]);
});

test('Of several samples of a device in any order the newest is kept, with one read for all devices.', async () => {
  const [one, other] = [newDeviceId(), newDeviceId()];
  given(kept(one, 4000), kept(other, 4000));
  const newest = [sample(one, 2000), sample(other, 2300)];
  await keepTrailingStates(acme, [
    message(ago(2400), sample(one, 2500)),
    message(ago(2000), ...newest),
    message(ago(2200), sample(one, 2300), sample(other, 2400)),
  ]);
  const states = written().map(({ ExpressionAttributeValues }) => ExpressionAttributeValues?.[':stateAt'] as string);
  expect(states.toSorted()).toEqual(newest.map(({ timestamp }) => timestamp).toSorted());
  expect(store).toHaveReceivedCommandTimes(BatchGetCommand, 1);
});

test.each([
  ['goes on reporting', (deviceId: string) => [kept(deviceId, 500)]],
  ['is gone', () => []],
  ['was registered anew', (deviceId: string) => [deviceItem(deviceId)]],
])('Of a device that %s nothing is written.', async (_, fleet) => {
  const deviceId = newDeviceId();
  given(...fleet(deviceId));
  await keepTrailingStates(acme, [message(ago(1000), sample(deviceId, 1000))]);
  expect(written()).toEqual([]);
});

test('A state waits until the last one is a second old.', async () => {
  const deviceId = newDeviceId();
  given(kept(deviceId, 800));
  const begun = Date.now();
  await keepTrailingStates(acme, [message(ago(700), sample(deviceId, 750))]);
  expect(Date.now() - begun).toBeGreaterThanOrEqual(195);
  expect(written()).toHaveLength(1);
});

describe('When something else was written meanwhile,', () => {
  test('the device is read again: a later state stays.', async () => {
    const deviceId = newDeviceId();
    store
      .on(BatchGetCommand)
      .resolvesOnce({ Responses: { fleet: [kept(deviceId, 3000)] } })
      .resolves({ Responses: { fleet: [kept(deviceId, 1000)] } });
    store.on(UpdateCommand).rejects(conditionFailed());
    await keepTrailingStates(acme, [message(ago(2000), sample(deviceId, 2000))]);
    expect(written()).toHaveLength(1);
  });

  test('an older state is followed by it, a second later.', async () => {
    const deviceId = newDeviceId();
    store
      .on(BatchGetCommand)
      .resolvesOnce({ Responses: { fleet: [kept(deviceId, 3000, 1)] } })
      .resolves({ Responses: { fleet: [kept(deviceId, 2600, 2)] } });
    store.on(UpdateCommand).rejectsOnce(conditionFailed()).resolves({});
    await keepTrailingStates(acme, [message(ago(2000), sample(deviceId, 2000))]);
    expect(written()).toMatchObject([1, 2].map((version) => ({ ExpressionAttributeValues: { ':version': version } })));
  });

  test('again and again, it fails, so that it comes again.', async () => {
    const deviceId = newDeviceId();
    given(kept(deviceId, 3000));
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(keepTrailingStates(acme, [message(ago(2000), sample(deviceId, 2000))])).rejects.toThrow(
      'again and again',
    );
  });
});

test('What can not be kept of one device keeps no other from it.', async () => {
  const [broken, other] = [newDeviceId(), newDeviceId()];
  given(kept(broken, 3000), kept(other, 3000));
  store.on(UpdateCommand, { Key: { organisation: acme, id: broken } }).rejects(new Error('no store'));
  const both = message(ago(2000), sample(broken, 2000), sample(other, 2000));
  await expect(keepTrailingStates(acme, [both])).rejects.toThrow('no store');
  expect(written()).toHaveLength(2);
});
