import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monotonicNow } from '../../monotonic-clock';
import type { Sqs } from '../../sqs';
import { arnOf, makeQueue, queueFixture } from './fixture';

describe('A stored queue', () => {
  const fixture = queueFixture();
  const { receive } = fixture;

  test('limits delays to SQS’s maximum when the clock was set back before a restart', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 86_400_000);
    const message = {
      id: 'a',
      body: 'x',
      attributes: {},
      sentAt: Date.now(),
      receiveCount: 0,
      hiddenUntil: Date.now(),
    };
    clock.mockRestore();
    await fixture.sqs.stop?.();
    await writeFile(join(fixture.folder, 'queues.json'), JSON.stringify({ Things: [message] }));
    const next = fixture.reopen();
    makeQueue(next, 'Things');
    await next.start?.();
    const [kept] = next.queue(arnOf('Things'))?.messages ?? [];
    // By the clock of the queue: the system clock counts whole milliseconds and may be a fraction behind it.
    expect(kept?.hiddenUntil).toBeLessThanOrEqual(monotonicNow() + 900_000);
    await next.stop?.();
  });

  test('restores its messages after a restart: delayed ones stay delayed, received ones are visible at once', async () => {
    const before = fixture.reopen();
    makeQueue(before, 'Things');
    await before.start?.();
    before.queue(arnOf('Things'))?.send('delayed', {}, 900);
    before.send(arnOf('Things'), 'received', { one: { DataType: 'String', StringValue: 'x' } });
    before.queue(arnOf('Things'))?.receive(1);
    await before.stop?.();
    await fixture.sqs.start?.();
    expect(fixture.sqs.queue(arnOf('Things'))?.messages.map(({ body }) => body)).toEqual(['delayed', 'received']);
    const [message, ...others] = await receive({ MessageAttributeNames: ['All'] });
    expect(message).toMatchObject({ Body: 'received', MessageAttributes: { one: { StringValue: 'x' } } });
    expect(others).toEqual([]);
  });

  describe('after the process was killed', () => {
    /** Never stopped. */
    let killed: Sqs;
    const things = () => killed.queue(arnOf('Things'));
    const afterwards = async () => {
      await fixture.sqs.start?.();
      return fixture.sqs.queue(arnOf('Things'))?.messages.map(({ body }) => body);
    };
    beforeEach(async () => {
      killed = fixture.reopen();
      makeQueue(killed, 'Things');
      await killed.start?.();
    });

    test('has all sent messages', async () => {
      killed.send(arnOf('Things'), 'a');
      things()?.send('b', {}, 900);
      expect(await afterwards()).toEqual(['a', 'b']);
    });

    test('has no deleted or purged messages', async () => {
      killed.send(arnOf('Things'), 'purged');
      things()?.purge();
      for (const body of ['a', 'b']) killed.send(arnOf('Things'), body);
      things()?.remove(things()?.receive(1)[0]?.receiptHandle ?? '');
      expect(await afterwards()).toEqual(['b']);
    });

    test('has received messages, visible at once, with their receive count', async () => {
      killed.send(arnOf('Things'), 'a');
      things()?.receive(1);
      await fixture.sqs.start?.();
      const [message] = await receive({ MessageSystemAttributeNames: ['ApproximateReceiveCount'] });
      expect(message).toMatchObject({ Body: 'a', Attributes: { ApproximateReceiveCount: '2' } });
    });

    test('has its messages after the journal was compacted, which stays small', async () => {
      killed.send(arnOf('Things'), 'first');
      for (let count = 0; count < 3000; count++) {
        killed.send(arnOf('Things'), 'x');
        const receipt = things()
          ?.receive(2)
          .find(({ body }) => body === 'x')?.receiptHandle;
        things()?.remove(receipt ?? '');
      }
      const lines = (await readFile(join(fixture.folder, 'queues.journal'), 'utf8')).split('\n');
      expect(lines.length).toBeLessThan(2100);
      expect(await afterwards()).toEqual(['first']);
    });

    test('drops an incomplete last line, and stores later messages', async () => {
      killed.send(arnOf('Things'), 'a');
      jest.spyOn(console, 'warn').mockImplementation(() => undefined);
      await appendFile(join(fixture.folder, 'queues.journal'), '{"did":"add","queue":"Thi');
      const next = fixture.reopen();
      makeQueue(next, 'Things');
      await next.start?.();
      next.send(arnOf('Things'), 'b');
      expect(await afterwards()).toEqual(['a', 'b']);
    });

    test('refuses to start for an invalid line, with file and line number', async () => {
      await appendFile(join(fixture.folder, 'queues.journal'), 'what?\n');
      expect(() => fixture.sqs.start?.()).toThrow(/queues\.journal, line 1 can't be read/);
    });
  });
});
