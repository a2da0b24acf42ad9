import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRetainedMessages } from '../../../iot/broker/retained';
import { startIot } from '../fixture';
import { inbox, settled, subscribe } from '../mqtt-client';

describe('Retained messages in a data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'retained-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('survive a restart until they expire', () => {
    const payload = Buffer.from('done');
    const before = openRetainedMessages(folder);
    for (const topic of ['a', 'b', 'c']) before.put({ topic, payload, qos: 1 });
    before.expire('a', payload, 60);
    before.expire('b', payload, 3600);
    before.expire('c', Buffer.from('another one by now'), 60);
    before.close();
    const after = openRetainedMessages(folder);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_001);
    expect(after.list().map(({ topic }) => topic)).toEqual(['b', 'c']);
    expect([after.get('a'), after.get('c')?.payload]).toEqual([undefined, payload]);
    clock.mockRestore();
    after.close();
  });
});

describe('A subscriber', () => {
  test('receives the retained message before a newer live one, each once', async () => {
    let subscribed = () => undefined as unknown;
    const given = await startIot({
      lambda: {
        permits: () => true,
        invoke: (functionArn, event) => {
          // Here the client is subscribed and aedes has not read the retained message yet.
          if ((event as { eventType?: string }).eventType === 'subscribed') subscribed();
          return Promise.resolve(functionArn === 'authorizer' ? given.users.anyone : null);
        },
      },
    });
    const publish = (payload: string, retain = false) => {
      const path = `/topics/state?qos=0&retain=${retain}`;
      return given.iot.answer({ service: 'iotdata', method: 'POST', path, headers: {}, body: Buffer.from(payload) });
    };
    const client = await given.connect('anyone');
    const got = inbox(client);
    await publish('old', true);
    subscribed = () => publish('new');
    await subscribe(client, 'state');
    await publish('newest', true);
    await settled(client);
    expect(got).toEqual(['!state old', 'state new', 'state newest']);
    await given.end();
  });
});
