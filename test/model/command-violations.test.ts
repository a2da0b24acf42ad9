import {
  commandStatusViolations,
  commandViolations,
  type CommandHistory,
  type HeardCommand,
  type SentCommand,
  type StoredCommand,
} from './command-violations';
import { CLAIM_MS, claimViolations, type Dispatch } from './claim-violations';

describe('Command violations', () => {
  const SECOND = 1000;
  const iso = (ms: number) => new Date(ms).toISOString();

  /** What happens with one command from second `at` on: told, published, and done a second later. */
  const sentAs = (commandId: string | undefined, at: number, more: Partial<SentCommand> = {}): SentCommand => ({
    label: `${commandId ?? 'a refused one'} at ${at}`,
    deviceId: 'kestrel',
    name: 'PAUSE',
    start: at * SECOND,
    end: at * SECOND + 100,
    key: undefined,
    commandId,
    ...more,
  });
  const storedAs = (
    commandId: string,
    sequence: number,
    at: number,
    more: Partial<StoredCommand> = {},
  ): StoredCommand => ({
    commandId,
    deviceId: 'kestrel',
    name: 'PAUSE',
    origin: 'partner',
    sequence,
    status: 'DONE',
    startBefore: iso((at + 5) * SECOND),
    endBefore: iso((at + 5) * SECOND),
    endedAt: iso((at + 1) * SECOND),
    version: 2,
    ...more,
  });
  const heardAs = (
    commandId: string,
    sequence: number,
    at: number,
    more: Partial<HeardCommand> = {},
  ): HeardCommand => ({
    commandId,
    deviceId: 'kestrel',
    sequence,
    publishedAt: at * SECOND,
    ...more,
  });
  const done = (commandId: string, at: number) => ({ commandId, outcome: 'DONE', sentAt: (at + 1) * SECOND }) as const;
  const told = (commandId: string, ...statuses: string[]) =>
    statuses.map((status, index) => ({ commandId, version: index + 1, status }));

  /** Two commands that are done, with what is wrong. */
  const history = (more: Partial<CommandHistory> = {}): CommandHistory => ({
    sent: [sentAs('a', 0), sentAs('b', 10)],
    heard: [heardAs('a', 1, 0), heardAs('b', 2, 10)],
    reported: [done('a', 0), done('b', 10)],
    stored: [storedAs('a', 1, 0), storedAs('b', 2, 10)],
    changes: [...told('a', 'REQUESTED', 'DONE'), ...told('b', 'REQUESTED', 'DONE')],
    revoked: new Map(),
    ...more,
  });
  /** The same, but the second one has another end. */
  const endingAs = (end: Partial<StoredCommand>, ...statuses: string[]): CommandHistory =>
    history({
      stored: [storedAs('a', 1, 0), storedAs('b', 2, 10, end)],
      changes: [...told('a', 'REQUESTED', 'DONE'), ...told('b', 'REQUESTED', ...statuses)],
    });
  const timedOut = { status: 'TIMED_OUT', endedAt: iso(15 * SECOND) } as const;
  /** The second one has come through a share that was revoked then. */
  const through = (end: number): Partial<CommandHistory> => ({
    sent: [sentAs('a', 0), sentAs('b', 10, { shareCode: 'share' })],
    revoked: new Map([['share', { start: end * SECOND - 1, end: end * SECOND }]]),
  });
  /** The first one ends the flight. */
  const home = { name: 'RETURN_HOME' };
  const whileEnding = (second: Partial<SentCommand>): CommandHistory =>
    history({
      sent: [sentAs('a', 0, home), sentAs('b', 10, { name: 'GIMBAL', start: 500, end: 600, ...second })],
      stored: [storedAs('a', 1, 0, home), storedAs('b', 2, 10)],
    });

  test.each<[string, CommandHistory]>([
    ['two commands that are done', history()],
    ['a repeat on the bus', history({ heard: [heardAs('a', 1, 0), heardAs('b', 2, 10), heardAs('b', 2, 11)] })],
    [
      'a repeat with the same key',
      history({ sent: [sentAs('a', 0), sentAs('b', 10, { key: 'k' }), sentAs('b', 12, { key: 'k' })] }),
    ],
    [
      'a stop that three sent at once',
      history({ sent: [sentAs('a', 0), ...[10, 10.1, 11.9].map((at) => sentAs('b', at))] }),
    ],
    [
      'a stop that two sent at once, of whom the later one was answered first',
      history({ sent: [sentAs('a', 0), sentAs('b', 10, { end: 12 * SECOND }), sentAs('b', 11)] }),
    ],
    ['one that nobody answers', endingAs(timedOut, 'TIMED_OUT')],
    ['a late outcome', endingAs({ ...timedOut, version: 3 }, 'TIMED_OUT', 'TIMED_OUT')],
    ['a viewer’s command before its share ended', history(through(20))],
    [
      'one that is refused while the flight ends',
      history({ sent: [sentAs('a', 0, home), sentAs(undefined, 0.5), sentAs('b', 10)] }),
    ],
    ['one that is said again while the flight ends', whileEnding({ name: 'RESUME' })],
    [
      'one that was too late to be published',
      { ...endingAs({ status: 'REFUSED', reason: 'TOO_LATE' }, 'REFUSED'), heard: [heardAs('a', 1, 0)] },
    ],
  ])('%s: explained', (_, explained) => {
    expect(commandViolations(explained)).toEqual([]);
  });

  test.each<[string, CommandHistory, RegExp]>([
    ['an impossible order of statuses', endingAs({ version: 3 }, 'FAILED', 'DONE'), /FAILED → DONE/],
    ['a gap in the feed', history({ changes: told('a', 'REQUESTED', 'DONE') }), /does not begin as REQUESTED/],
    ['one that never ends', endingAs({ status: 'REQUESTED', version: 1 }), /has not ended/],
    ['another end than in the feed', endingAs({ status: 'DONE' }, 'TIMED_OUT'), /is DONE, but TIMED_OUT/],
    ['an outcome that nobody reported', history({ reported: [done('a', 0)] }), /DONE, which nobody said/],
    ['a refusal that nobody reported', endingAs({ status: 'REFUSED' }, 'REFUSED'), /REFUSED, which nobody said/],
    ['a timeout too soon', endingAs({ ...timedOut, endedAt: iso(14 * SECOND) }, 'TIMED_OUT'), /timed out too soon/],
    ['one that never reaches the bus', history({ heard: [heardAs('a', 1, 0)] }), /neither published nor refused/],
    ['one on the bus after startBefore', history({ heard: [heardAs('a', 1, 9), heardAs('b', 2, 10)] }), /startBefore/],
    ['one on the bus after its share', { ...history(through(5)) }, /after its share had ended/],
    [
      'a repeat on the bus with another number',
      history({ heard: [heardAs('a', 1, 0), heardAs('b', 2, 10), heardAs('b', 3, 11)] }),
      /as another one/,
    ],
    ['one on the bus that is not stored', history({ heard: [...history().heard, heardAs('c', 3, 10)] }), /not stored/],
    ['a gap in the numbers', history({ stored: [storedAs('a', 1, 0), storedAs('b', 3, 10)] }), /sequences 1, 3/],
    ['the same number twice', history({ stored: [storedAs('a', 1, 0), storedAs('b', 1, 10)] }), /sequences 1, 1/],
    ['numbers in another order', history({ stored: [storedAs('a', 2, 0), storedAs('b', 1, 10)] }), /lower number than/],
    [
      'a repeat that is a second command',
      history({ sent: [sentAs('a', 0, { key: 'k' }), sentAs('b', 10, { key: 'k' })] }),
      /2 commands with one key/,
    ],
    ['an answer to two commands', history({ sent: [...history().sent, sentAs('b', 12.5)] }), /answer to 2 commands/],
    [
      'an answer to two commands that are no stops',
      history({ sent: [sentAs('a', 0), ...[10, 11].map((at) => sentAs('b', at, { name: 'TAKE_PHOTO' }))] }),
      /answer to 2 commands/,
    ],
    [
      'an answer to two different stops',
      history({ sent: [sentAs('a', 0), sentAs('b', 10, { name: 'LAND' }), sentAs('b', 11)] }),
      /answer to 2 commands/,
    ],
    [
      'an answer to a viewer and a client',
      history({ sent: [sentAs('a', 0), sentAs('b', 10), sentAs('b', 11, { shareCode: 'code' })] }),
      /answer to 2 commands/,
    ],
    ['one that is lost', history({ sent: [...history().sent, sentAs('c', 12)] }), /accepted, but not stored/],
    ['one that nobody sent', history({ sent: [sentAs('a', 0)] }), /nobody sent it/],
    ['a refusal without a cause', history({ sent: [...history().sent, sentAs(undefined, 12)] }), /nothing ends/],
    ['another one while the flight ends', whileEnding({}), /accepted while a at 0 ends the flight/],
  ])('%s: a violation', (_, wrong, violation) => {
    expect(commandViolations(wrong)).toContainEqual(expect.stringMatching(violation));
  });

  test.each([
    ['a status of nowhere', ['REQUESTED', 'LOST'], /LOST/],
    ['two late outcomes', ['REQUESTED', 'TIMED_OUT', 'TIMED_OUT', 'TIMED_OUT'], /2 late outcomes/],
  ])('%s: a violation', (_, statuses, violation) => {
    expect(commandStatusViolations(told('a', ...statuses))).toContainEqual(expect.stringMatching(violation));
  });

  test('a version that is left out is a violation', () => {
    const [first, , third] = told('a', 'REQUESTED', 'DELIVERED', 'DONE');
    expect(commandStatusViolations([first, third].flatMap((one) => one ?? []))).toEqual(['version 3 after 1']);
  });
});

describe('Claim violations', () => {
  const devices = ['kestrel', 'merlin'];
  const taking = (deviceId: string, start: number, end: number, more: Partial<Dispatch> = {}): Dispatch => ({
    label: `${deviceId} at ${start}`,
    start,
    end,
    deviceId,
    reasons: [],
    ...more,
  });
  const refused = (start: number, end: number, ...reasons: string[]): Dispatch => ({
    ...taking('', start, end, { reasons }),
    deviceId: undefined,
  });

  test.each<[string, Dispatch[]]>([
    ['two devices at once', [taking('kestrel', 0, 10), taking('merlin', 0, 10)]],
    ['a device again after a minute', [taking('kestrel', 0, 10), taking('kestrel', CLAIM_MS, CLAIM_MS + 5)]],
    [
      'a refusal when all may be taken',
      [taking('kestrel', 0, 10), taking('merlin', 5, 30), refused(1, 9, 'BUSY', 'BUSY')],
    ],
    [
      'a device again after its job was cancelled',
      [taking('kestrel', 0, 10, { cancelled: { start: 20, end: 30 } }), taking('kestrel', 25, 40)],
    ],
    [
      'a refusal soon after a job was cancelled',
      [
        taking('kestrel', 0, 10, { cancelled: { start: 20, end: 30 } }),
        taking('merlin', 0, 10),
        refused(40, 50, 'BUSY', 'BUSY'),
      ],
    ],
    ['a refusal of devices that do not report', [refused(0, 10, 'OFFLINE', 'BUSY')]],
  ])('%s is explained', (_, dispatches) => {
    expect(claimViolations(dispatches, devices)).toEqual([]);
  });

  test.each<[string, Dispatch[], RegExp]>([
    ['a device twice at once', [taking('kestrel', 0, 10), taking('kestrel', 5, 12)], /same device/],
    ['a device twice within a minute', [taking('kestrel', 0, 10), taking('kestrel', 40_000, 40_010)], /same device/],
    [
      'a device twice before its job was cancelled',
      [taking('kestrel', 0, 10, { cancelled: { start: 20, end: 30 } }), taking('kestrel', 11, 19)],
      /same device/,
    ],
    [
      'a refusal long after a job was cancelled',
      [
        taking('kestrel', 0, 10, { cancelled: { start: 20, end: 30 } }),
        taking('merlin', 0, 10),
        refused(6000, 6010, 'BUSY', 'BUSY'),
      ],
      /was free/,
    ],
    ['a device of nobody', [taking('hobby', 0, 10)], /none of the docks/],
    ['a refusal while one is free', [taking('kestrel', 0, 10), refused(20, 30, 'BUSY')], /was free/],
    [
      'a refusal before another is taken',
      [taking('merlin', 0, 9), taking('kestrel', 50, 60), refused(20, 30)],
      /was free/,
    ],
  ])('%s is a violation', (_, dispatches, violation) => {
    expect(claimViolations(dispatches, devices)).toEqual([expect.stringMatching(violation)]);
  });
});
