import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { handler } from '../../../lambdas/telemetry/unsubscribe.lambda';
import { id } from '../../domain/fixtures/samples';
import { store } from '../../data/fixtures/store';
import { givenPartner, refused } from '../fixtures/actions';
import { sendMessage } from '../fixtures/socket';

test('unsubscribe deletes the subscription without reading it', async () => {
  const socket = givenPartner();
  const message = { action: 'unsubscribe', deviceGroupId: id('group') };
  expect(await sendMessage(handler, socket, message)).toEqual({ type: 'unsubscribed', deviceGroupId: id('group') });
  expect(store).toHaveReceivedCommandWith(DeleteCommand, {
    Key: { channel: `telemetry#${id('group')}`, connectionId: socket },
  });
});

test('unsubscribe with batch is refused by its name, and deletes nothing', async () => {
  const message = { action: 'unsubscribe', deviceId: id('device'), batch: true };
  expect(await sendMessage(handler, givenPartner(), message)).toEqual(
    refused('invalid_request', { path: 'batch', message: 'unknown field' }),
  );
  expect(store).not.toHaveReceivedCommand(DeleteCommand);
});
