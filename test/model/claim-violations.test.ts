import { CLAIM_MS, claimViolations, type Dispatch } from './claim-violations';

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
