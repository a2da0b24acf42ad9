import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { publishPlatformEvent } from '../../../data/platform/platform-bus';
import { bus } from '../../lambdas/fixtures/telemetry';

test('The platform is told by one event on its bus.', async () => {
  await publishPlatformEvent('control.requested', { deviceId: 'device-1', command: { name: 'HOVER' } });
  expect(bus).toHaveReceivedCommandTimes(PutEventsCommand, 1);
  expect(bus).toHaveReceivedCommandWith(PutEventsCommand, {
    Entries: [
      {
        EventBusName: 'platform',
        Source: 'drone-mission-api',
        DetailType: 'control.requested',
        Detail: '{"deviceId":"device-1","command":{"name":"HOVER"}}',
      },
    ],
  });
});

test('It is an error when the bus answers that it did not take the event.', async () => {
  bus.resolves({ FailedEntryCount: 1, Entries: [{ ErrorCode: 'InternalFailure' }] });
  await expect(publishPlatformEvent('control.requested', {})).rejects.toThrow('refused an event: InternalFailure');
});

test('It is an error when the function was not bound to the bus.', async () => {
  const { PLATFORM_BUS } = process.env;
  delete process.env['PLATFORM_BUS'];
  await expect(publishPlatformEvent('control.requested', {})).rejects.toThrow('PLATFORM_BUS is not set');
  process.env['PLATFORM_BUS'] = PLATFORM_BUS;
});
