import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/socket/publish';
import { store } from '../../data/fixtures/store';
import { givenPartner } from '../fixtures/actions';
import { sendMessage } from '../fixtures/socket';
import { deviceItem, newDeviceId } from '../fixtures/telemetry';

describe('publish', () => {
  const sample = () => ({ deviceId: newDeviceId(), timestamp: new Date().toISOString() });

  test('answers with the number of new samples', async () => {
    const [one, other] = [sample(), sample()];
    const fleet = [one, other].map(({ deviceId }) => deviceItem(deviceId));
    store.on(BatchGetCommand).resolves({ Responses: { fleet } });
    const message = { action: 'publish', telemetry: [one, other, one], id: 1 };
    expect(await sendMessage(handler, givenPartner(), message)).toEqual({ type: 'published', accepted: 2, id: 1 });
  });

  test("refuses and names a device that is not the organisation's", async () => {
    expect(await sendMessage(handler, givenPartner(), { action: 'publish', telemetry: sample() })).toMatchObject({
      error: 'invalid_request',
      details: [{ path: 'telemetry.0.deviceId', message: 'is not a device of yours' }],
    });
  });
});
