import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { EVENT_VERSION } from '../../../domain/platform/outbound-events';
import { SERVICE } from '../../../domain/values/service';
import { publishPlatformEvent } from '../../../data/platform/publish-to-platform';
import { acme, id } from '../../domain/fixtures/samples';
import { bus } from '../../lambdas/fixtures/telemetry';

const detail = {
  requestId: id('command'),
  commandId: id('command'),
  organisationId: `org-${acme}`,
  origin: 'share' as const,
  shareId: 'share',
  deviceId: id('device'),
  command: { name: 'HOVER' },
  sequence: 1,
  requestedAt: '2026-11-27T10:31:07.250Z',
  startBefore: '2026-11-27T10:31:17.250Z',
  endBefore: '2026-11-27T10:31:37.250Z',
};

test('publishPlatformEvent puts one event on the bus', async () => {
  await publishPlatformEvent('control.requested', detail);
  expect(bus).toHaveReceivedCommandTimes(PutEventsCommand, 1);
  expect(bus).toHaveReceivedCommandWith(PutEventsCommand, {
    Entries: [
      {
        EventBusName: 'platform',
        Source: SERVICE,
        DetailType: 'control.requested',
        Detail: JSON.stringify({ eventVersion: EVENT_VERSION, ...detail }),
      },
    ],
  });
});

test('publishPlatformEvent fails when the bus did not accept the event', async () => {
  bus.resolves({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'InternalFailure' }] });
  await expect(publishPlatformEvent('control.requested', detail)).rejects.toThrow('refused an event: InternalFailure');
});

test('publishPlatformEvent fails without PLATFORM_BUS', async () => {
  const { PLATFORM_BUS } = process.env;
  delete process.env['PLATFORM_BUS'];
  await expect(publishPlatformEvent('control.requested', detail)).rejects.toThrow('PLATFORM_BUS is not set');
  process.env['PLATFORM_BUS'] = PLATFORM_BUS;
});
