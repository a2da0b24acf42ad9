import { registerDevice, removeFromFleet } from '../../../data/fleet/fleet-registry';
import { saveNextState } from '../../../data/fleet/device-state';
import { UpdateCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { acme, id } from '../../domain/fixtures/samples';
import { now, operations } from '../fixtures/operations';
import { conditionFailed, sent, store } from '../fixtures/store';

const at = new Date(now);
const device = { deviceId: id('device'), deviceGroupId: id('group'), name: 'Kestrel' };
const writers: typeof operations = [
  ...operations,
  ['registerDevice', () => registerDevice(acme, device, at)],
  ['removeFromFleet', () => removeFromFleet(acme, 'device', id('device'), at)],
];
/** These change nothing that the stream's readers look at. */
const unseen = ['noteFollowed'];

/** Names of the attributes of an update of the fleet, in the order of its expression. */
const updates = () =>
  store
    .commandCalls(UpdateCommand, { TableName: 'fleet' })
    .map(({ args: [{ input }] }) => input.UpdateExpression?.replaceAll('#', '') ?? '');

async function run(operation: () => Promise<unknown>): Promise<void> {
  store.resolves({});
  // The second write of a registration follows a first one that was refused.
  store.on(UpdateCommand).rejectsOnce(conditionFailed()).resolves({});
  await operation().catch(() => undefined);
}

describe('A change of a device', () => {
  test.each(writers.filter(([name]) => !unseen.includes(name)))(
    'by %s is not quiet, so that it reaches those who read the stream',
    async (_, operation) => {
      await run(operation);
      for (const expression of updates())
        // A quiet write says so itself.
        expect(expression).toMatch(/(REMOVE|,) .*\bquiet\b|quiet = :quiet/);
      expect(sent().length).toBeGreaterThan(0);
      expect(store).not.toHaveReceivedCommandWith(PutCommand, { TableName: 'fleet' });
    },
  );

  test('is quiet only by a state that is said to be', async () => {
    const quietly: string[] = [];
    for (const [name, operation] of writers) {
      store.reset();
      await run(operation);
      if (updates().some((expression) => expression.includes('quiet = '))) quietly.push(name);
    }
    expect(quietly).toEqual(['saveNextState in flight']);
  });

  test.each([
    [true, ', quiet = :quiet ADD'],
    [false, ' REMOVE quiet ADD'],
  ])('by saveNextState that is quiet (%s) ends in "%s"', async (isQuiet, end) => {
    store.resolves({});
    await saveNextState(acme, { ...device, status: 'online', version: 1 }, { timestamp: now }, { now: at, isQuiet });
    expect(updates()).toEqual([expect.stringContaining(end)]);
  });
});
