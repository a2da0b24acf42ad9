import { isNews, sequences, subjectOf, type Sequenced } from '../../domain/sequence';
import { id } from './fixtures/samples';

const deviceId = id('device');
const sample = (sequence: number): Sequenced => ({ type: 'device.telemetry', deviceId, sequence });
const job = (sequence: number, change: object = {}) => ({ type: 'job.status', deviceId, sequence, ...change });

test.each([
  ['telemetry', sample(1), deviceId],
  ['the status of a device', { type: 'device.status', deviceId }, deviceId],
  ['the status of a job that a device flies', job(1), 'job.status'],
  ['the status of a share', { type: 'share.status' }, 'share.status'],
  ['a heartbeat', { type: 'heartbeat' }, 'heartbeat'],
])('A message of %s is about what it tells of, for a channel may tell of many devices.', (_, message, subject) => {
  expect(subjectOf(message)).toBe(subject);
});

describe('A message is news', () => {
  test.each([
    [true, 'later', 8],
    [false, 'the same', 7],
    [false, 'older', 6],
  ])('%s when it is %s.', (news, _, sequence) => {
    expect(isNews(sample(sequence), { [deviceId]: 7 })).toBe(news);
    expect(isNews(job(sequence), { 'job.status': 7 })).toBe(news);
  });

  test('to who was told nothing, or of something else.', () => {
    expect(isNews(sample(1))).toBe(true);
    expect(isNews(sample(1), {})).toBe(true);
    expect(isNews(sample(1), { [id('device', 'other')]: 7, 'job.status': 7 })).toBe(true);
  });

  test('when it has no place in the order.', () => {
    expect(isNews({ type: 'share.playback' }, { 'share.playback': 7 })).toBe(true);
  });

  test.each([{ droneState: 'HOVER' }, { dockState: 'IDLE' }, { navigation: {} }])(
    'when it is where the device of a job is (%j), which has the sequence of the state; an older one is not.',
    (position) => {
      expect(isNews(job(7, position), { 'job.status': 7 })).toBe(true);
      expect(isNews(job(6, position), { 'job.status': 7 })).toBe(false);
    },
  );

  test('only when it is later if it is telemetry: each sample has a sequence of its own.', () => {
    const message: object = { droneState: 'HOVER' };
    expect(isNews({ ...sample(7), ...message }, { [deviceId]: 7 })).toBe(false);
  });
});

test('What somebody was told is kept as numbers by name, and nothing else.', () => {
  expect(sequences.parse({ [deviceId]: 7 })).toEqual({ [deviceId]: 7 });
  expect(() => sequences.parse({ [deviceId]: '7' })).toThrow();
});
