import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openRetainedMessages } from '../../local/iot/retained';

describe('Retained messages in a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'retained-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are there after a restart, until they expire', () => {
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
