import { isNewer, sequenceIn, sequences, messageSubject, type Sequenced } from '../../../domain/channels/sequence';
import { id } from '../fixtures/samples';

const deviceId = id('device');
const sample = (sequence: number): Sequenced => ({ type: 'device.telemetry', deviceId, sequence });
const job = (sequence: number, change: object = {}) => ({ type: 'job.status', deviceId, sequence, ...change });

test.each([
  ['telemetry', sample(1), deviceId],
  ['the status of a device', { type: 'device.status', deviceId }, deviceId],
  ['the status of a job that a device flies', job(1), 'job.status'],
  ['the status of a share', { type: 'share.status' }, 'share.status'],
  ['a heartbeat', { type: 'heartbeat' }, 'heartbeat'],
])('subjectOf a message of %s is its device, or its type when it has none', (_, message, subject) => {
  expect(messageSubject(message)).toBe(subject);
});

describe('isNewer', () => {
  test.each([
    [true, 'later', 8],
    [false, 'the same', 7],
    [false, 'older', 6],
  ])('returns %s when the sequence is %s', (news, _, sequence) => {
    expect(isNewer(sample(sequence), { [deviceId]: 7 })).toBe(news);
    expect(isNewer(job(sequence), { 'job.status': 7 })).toBe(news);
  });

  test('returns true when nothing was sent on this subject', () => {
    expect(isNewer(sample(1))).toBe(true);
    expect(isNewer(sample(1), {})).toBe(true);
    expect(isNewer(sample(1), { [id('device', 'other')]: 7, 'job.status': 7 })).toBe(true);
  });

  test('returns true for a message without a sequence', () => {
    expect(isNewer({ type: 'share.playback' }, { 'share.playback': 7 })).toBe(true);
  });

  test.each([{ droneState: 'HOVER' }, { dockState: 'IDLE' }, { navigation: {} }])(
    'returns true for a position of a job (%j) with the same sequence, and false for an older one',
    (position) => {
      expect(isNewer(job(7, position), { 'job.status': 7 })).toBe(true);
      expect(isNewer(job(6, position), { 'job.status': 7 })).toBe(false);
    },
  );

  test('returns true for telemetry only when it is later, since each sample has its own sequence', () => {
    const message: object = { droneState: 'HOVER' };
    expect(isNewer({ ...sample(7), ...message }, { [deviceId]: 7 })).toBe(false);
  });
});

test.each([
  ['a sample', sample(8), { [deviceId]: 8 }],
  ['the change of a job', job(8), { 'job.status': 8 }],
  ['the position of a job, whose change may still come', job(8, { navigation: {} }), {}],
  ['a message without a sequence', { type: 'share.playback' }, {}],
])('sequenceIn returns what %s adds to what was sent', (_, message, added) => {
  expect(sequenceIn(message)).toEqual(added);
});

test('sequences are numbers by subject', () => {
  expect(sequences.parse({ [deviceId]: 7 })).toEqual({ [deviceId]: 7 });
  expect(() => sequences.parse({ [deviceId]: '7' })).toThrow();
});
