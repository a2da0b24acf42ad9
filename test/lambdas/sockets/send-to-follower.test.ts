import { PostToConnectionCommand } from '@aws-sdk/client-apigatewaymanagementapi';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { inBatches, outgoing, sendToFollower } from '../../../lambdas/sockets/send-to-followers';
import { connection, gone, socketCalls, sockets } from '../../data/fixtures/sockets';
import { conditionFailed, store } from '../../data/fixtures/store';
import { givenBufferingFollower } from '../fixtures/buffering-follower';
import { fc } from '../../property-runs';

describe('Send to follower', () => {
  const message = (sequence: number) => ({ type: 'job.status', sequence });
  const all = [4, 5].map((sequence) => outgoing(message(sequence)));
  const posts = (...sequences: number[]) =>
    sequences.map((sequence) => `socket-1 ${JSON.stringify(message(sequence))}`);

  beforeEach(() => {
    store.resolves({});
  });

  test('sends all messages in order, without a call to the table', async () => {
    await expect(sendToFollower(connection(), all)).resolves.toBe(true);
    expect(socketCalls()).toEqual(posts(4, 5));
    expect(store).not.toHaveReceivedAnyCommand();
  });

  test.each([
    [3, [4, 5]],
    [4, [5]],
    [5, []],
  ])(
    'skips messages that are not later than the last one sent: after %d, of 4 and 5 it sends %j',
    async (lastSent, expected) => {
      await expect(sendToFollower({ ...connection(), sentSequences: { 'job.status': lastSent } }, all)).resolves.toBe(
        true,
      );
      expect(socketCalls()).toEqual(posts(...expected));
    },
  );

  test('buffers all messages by one write for a follower that waits for its snapshot, with the final message marked', async () => {
    const waiting = await givenBufferingFollower(connection());
    const last = outgoing(message(6), true);
    await expect(sendToFollower({ ...connection(), bufferingSince: 1 }, [...all, last])).resolves.toBe(false);
    expect(socketCalls()).toEqual([]);
    expect((await waiting.item()).buffered).toEqual([
      ...[4, 5].map((sequence) => ({ text: JSON.stringify(message(sequence)) })),
      { text: JSON.stringify(message(6)), endsChannel: true },
    ]);
    expect(store).toHaveReceivedCommandTimes(UpdateCommand, 1);
  });

  test('sends directly to a follower whose snapshot was sent since it was read, and nothing older', async () => {
    store.on(UpdateCommand).rejects(conditionFailed({ ...connection(), sentSequences: { 'job.status': 4 } }));
    await expect(sendToFollower({ ...connection(), bufferingSince: 1 }, all)).resolves.toBe(true);
    expect(socketCalls()).toEqual(posts(5));
  });

  test.each([
    ['has ended since it was read', undefined],
    ['still follows', { ...connection() }],
  ])('a follower that waited and %s is sent only what it still follows', async (_, found) => {
    store.on(UpdateCommand).rejects(conditionFailed(found));
    await expect(sendToFollower({ ...connection(), bufferingSince: 1 }, all)).resolves.toBe(found !== undefined);
    expect(socketCalls()).toEqual(found ? posts(4, 5) : []);
  });

  test('closes a follower whose messages cannot be buffered, since it could not notice the gap', async () => {
    store
      .on(UpdateCommand, { Key: { channel: connection().channel, connectionId: 'socket-1' } })
      .rejects(new Error('too large'));
    await expect(sendToFollower({ ...connection(), bufferingSince: 1 }, all)).resolves.toBe(false);
    expect(socketCalls()).toEqual(['socket-1 closed']);
  });

  test('stops at a socket that has closed', async () => {
    sockets.on(PostToConnectionCommand).rejects(gone());
    await expect(sendToFollower(connection(), all)).resolves.toBe(false);
    expect(socketCalls()).toEqual(posts(4));
  });
});

const MAX = 32 * 1024;
/** What surrounds the samples of a batch, with the comma that the first one lacks. */
const FRAME = Buffer.byteLength('{"type":"device.telemetry.batch","samples":[]}');
const PIECE = Buffer.byteLength('{"note":""}');
/** A message of so many bytes. */
const ofBytes = (bytes: number, character = 'a') => JSON.stringify({ note: character.repeat(bytes - PIECE) });
interface Batch {
  readonly type: string;
  readonly samples: readonly object[];
}
/** The messages in what was packed, in order. */
const unpacked = (batches: readonly string[]) =>
  batches.flatMap((batch) => {
    const message = JSON.parse(batch) as Batch;
    return message.type === 'device.telemetry.batch' ? message.samples.map((each) => JSON.stringify(each)) : [batch];
  });

describe('inBatches', () => {
  test('packs messages into one, in their order', () => {
    expect(inBatches(['{"n":1}', '{"n":2}', '{"n":3}'])).toEqual([
      '{"type":"device.telemetry.batch","samples":[{"n":1},{"n":2},{"n":3}]}',
    ]);
  });

  test('leaves a single message as it is', () => {
    expect(inBatches(['{"n":1}'])).toEqual(['{"n":1}']);
  });

  test('packs no message into none', () => {
    expect(inBatches([])).toEqual([]);
  });

  test('fills a batch to 32 kB, and begins another one for what is beyond', () => {
    const half = (MAX - FRAME - 2) / 2;
    const [all = '', ...others] = inBatches([ofBytes(Math.floor(half)), ofBytes(Math.ceil(half))]);
    expect(others).toEqual([]);
    expect(MAX - Buffer.byteLength(all)).toBe(1);
    const more = inBatches([ofBytes(Math.floor(half)), ofBytes(Math.ceil(half) + 1), '{}']);
    expect(more).toHaveLength(2);
    expect(unpacked(more)).toHaveLength(3);
  });

  test('counts bytes, not characters', () => {
    // 10,000 characters of three bytes.
    const wide = JSON.stringify({ note: '€'.repeat(10_000) });
    expect(inBatches([wide, wide])).toEqual([wide, wide]);
  });

  test('sends a message alone that is larger than a batch, and those around it in batches', () => {
    const large = ofBytes(MAX + 1);
    expect(inBatches(['{"n":1}', '{"n":2}', large, '{"n":3}', '{"n":4}'])).toEqual([
      '{"type":"device.telemetry.batch","samples":[{"n":1},{"n":2}]}',
      large,
      '{"type":"device.telemetry.batch","samples":[{"n":3},{"n":4}]}',
    ]);
  });

  test('loses, repeats and reorders none, exceeds 32 kB with none that fits alone, and leaves no two that fit together', () => {
    const text = fc.tuple(fc.integer({ min: PIECE, max: MAX + 100 }), fc.constantFrom('a', 'é', '€'));
    const textOf = ([bytes, character]: [number, string]) => ofBytes(bytes, character);
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (all) => {
        const texts = all.map(textOf);
        const batches = inBatches(texts);
        expect(unpacked(batches)).toEqual(texts);
        for (const batch of batches)
          if (unpacked([batch]).length > 1) expect(Buffer.byteLength(batch)).toBeLessThanOrEqual(MAX);
        const sizes = batches.map((batch) => unpacked([batch]).map((each) => Buffer.byteLength(each) + 1));
        sizes.slice(1).forEach(([first = 0], index) => {
          const before = (sizes[index] ?? []).reduce((sum, each) => sum + each, FRAME);
          expect(before + first).toBeGreaterThan(MAX);
        });
      }),
    );
  });
});
