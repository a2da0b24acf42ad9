import { DeleteCommand, GetCommand, PutCommand } from '../../../data/store/document-client';
import { handler } from '../../../lambdas/socket/subscribe';
import { id, rival } from '../../domain/fixtures/samples';
import { lambda, snapshotRequests } from '../../data/fixtures/snapshot-function';
import { store } from '../../data/fixtures/store';
import { givenPartner, refused } from '../fixtures/actions';
import { sendMessage } from '../fixtures/socket';

describe('subscribe', () => {
  test.each([{ deviceId: id('device') }, { deviceGroupId: id('group') }])(
    'follows %j and confirms it',
    async (named) => {
      const socket = givenPartner();
      expect(await sendMessage(handler, socket, { action: 'subscribe', ...named, id: 1 })).toEqual({
        type: 'subscribed',
        ...named,
        id: 1,
      });
      expect(store).toHaveReceivedCommandWith(PutCommand, {
        Item: expect.objectContaining({
          channel: `telemetry#${Object.values(named)[0]}`,
          connectionId: socket,
          bufferingSince: expect.any(Number) as number,
        }) as object,
      });
      expect(snapshotRequests()).toEqual([
        {
          kind: 'subscription',
          connectionId: socket,
          followed: Object.values(named)[0],
          isUnnoticed: 'deviceGroupId' in named,
        },
      ]);
    },
  );

  test('does not follow when the snapshot cannot be requested', async () => {
    const socket = givenPartner();
    lambda.rejects(new Error('Rate Exceeded.'));
    const message = { action: 'subscribe', deviceId: id('device') };
    expect(await sendMessage(handler, socket, message)).toMatchObject({ type: 'error', code: 'internal_error' });
    expect(store).toHaveReceivedCommandWith(DeleteCommand, {
      Key: { channel: `telemetry#${id('device')}`, connectionId: socket },
    });
  });

  const foreign = (path: string) => refused('forbidden', { path, message: "is not your organisation's" });
  test.each([
    ["another organisation's device", { deviceId: id('device', rival) }, foreign('deviceId')],
    ["another organisation's group", { deviceGroupId: id('group', rival) }, foreign('deviceGroupId')],
    ['a job', { deviceId: id('job') }, refused('resource_not_found')],
    ['a device in place of a group', { deviceGroupId: id('device') }, refused('device_group_not_found')],
  ] as const)('does not follow %s', async (_, named, answered) => {
    expect(await sendMessage(handler, givenPartner(), { action: 'subscribe', ...named })).toEqual(answered);
    expect(store).not.toHaveReceivedCommand(PutCommand);
    expect(snapshotRequests()).toEqual([]);
  });

  test('does not follow a video stream, which has no telemetry', async () => {
    const stream = { kind: 'stream', streamId: id('stream'), deviceId: id('device'), videoStream: 'x' };
    store.on(GetCommand, { TableName: 'fleet' }).resolves({ Item: stream });
    const message = { action: 'subscribe', deviceId: id('stream') };
    expect(await sendMessage(handler, givenPartner(), message)).toMatchObject({ code: 'resource_not_found' });
  });
});
