import { markOffline } from '../../../data/fleet/device-reports';
import { fleetKey } from '../../../data/fleet/fleet-key';
import { UpdateCommand } from '../../../data/store/document-client';
import { acme, id } from '../../domain/fixtures/samples';
import { conditionFailed, onlyCommand, store, values } from '../fixtures/store';

describe('markOffline', () => {
  const reportedAt = '2026-11-27T10:29:30.000Z';

  test('is one write on condition that the device is online and has not reported since', async () => {
    store.on(UpdateCommand).resolves({});
    await expect(markOffline(acme, id('device'), reportedAt)).resolves.toBe(true);
    expect(onlyCommand()).toMatchObject({
      Key: fleetKey(acme, id('device')),
      UpdateExpression: 'SET #status = :offline REMOVE presentIn, quiet ADD version :one',
      ConditionExpression: 'reportedAt = :reportedAt AND #status = :online',
    });
    expect(values()).toMatchObject({ ':reportedAt': reportedAt, ':online': 'online', ':offline': 'offline' });
  });

  test('returns false when the device has reported since', async () => {
    store.on(UpdateCommand).rejects(conditionFailed());
    await expect(markOffline(acme, id('device'), reportedAt)).resolves.toBe(false);
  });
});
