import { SAID_EVERY_MS, countSamples, hasRoom, receiptOf, type SampleCount } from '../../../domain/telemetry/receipt';
import { sample as schema } from '../../../domain/telemetry/reported-sample';
import type { Sample } from '../../../domain/telemetry/sample';
import { Unreadable } from '../../../domain/values/judged';
import type { Detail } from '../../../domain/values/refusal';
import { id, rival } from '../fixtures/samples';

const deviceId = id('device');
const at = (longitude: number, latitude: number): Sample => ({
  deviceId,
  timestamp: '2026-11-27T10:30:00.000Z',
  navigation: { position: { type: 'Point', coordinates: [longitude, latitude, 30] } },
});
const unreadable = (input: unknown) => new Unreadable(input, schema);
const fault = (path: string, message = 'any text'): Detail => ({ path, message });

test.each<[string, Sample | Unreadable, Detail | undefined, string | undefined, string | undefined]>([
  ['counts', at(8.5, 47.4), undefined, deviceId, undefined],
  ['without a position', { ...at(0, 1), navigation: {} }, undefined, deviceId, undefined],
  ['on the equator', at(8.5, 0), undefined, deviceId, undefined],
  ['at 0, 0', at(0, 0), undefined, deviceId, 'position at 0, 0'],
  ['refused', at(0, 0), fault('timestamp', 'is ahead'), deviceId, 'timestamp is ahead'],
  ['refused for no field of it', at(1, 1), fault('', 'the service failed'), deviceId, 'the service failed'],
  [
    'of a device of another organisation',
    { ...at(0, 0), deviceId: id('device', rival) },
    fault('deviceId', 'is foreign'),
    id('device', rival),
    'deviceId is foreign',
  ],
  [
    'of a made-up device',
    { ...at(0, 0), deviceId: 'hush' },
    fault('deviceId', 'is foreign'),
    undefined,
    'deviceId is foreign',
  ],
  ['named like a share', { ...at(0, 1), deviceId: id('share') }, undefined, undefined, undefined],
  [
    'malformed in a field',
    unreadable({ deviceId, battery: 'hush' }),
    fault('battery.percent'),
    deviceId,
    'malformed: battery',
  ],
  ['malformed in a field of its own', unreadable({ deviceId, hush: 1 }), fault('hush'), deviceId, 'malformed'],
  ['with a field that objects have', unreadable({ deviceId }), fault('constructor'), deviceId, 'malformed'],
  ['no object', unreadable(null), fault(''), undefined, 'malformed'],
  ['a text for a device', unreadable({ deviceId: { hush: 1 } }), fault('deviceId'), undefined, 'malformed: deviceId'],
])('the log says of a sample that is %s its device and what was dropped', (_, received, found, device, dropped) => {
  const receipt = receiptOf(received, found);
  const isRefused = dropped !== undefined && dropped !== 'position at 0, 0';
  expect(receipt).toEqual({ deviceId: device, dropped, isRefused });
  expect(JSON.stringify(receipt)).not.toContain('hush');
});

test('the same is said at once, and then every five minutes with how many there were', () => {
  const start = Date.parse('2026-11-27T10:30:00.000Z');
  let counted: SampleCount | undefined;
  const said = [0, 1, SAID_EVERY_MS - 1, SAID_EVERY_MS, SAID_EVERY_MS + 1, 3 * SAID_EVERY_MS].map((ms) => {
    counted = countSamples(counted, 2, new Date(start + ms));
    return counted.said;
  });
  expect(said).toEqual([2, 0, 0, 6, 0, 4]);
});

const start = Date.parse('2026-11-27T10:30:00.000Z');
test.each<[string, boolean, number, number, boolean]>([
  ['nothing refused', true, 0, 0, true],
  ['almost as many refused as are allowed', true, 999, 0, true],
  ['as many refused as are allowed', true, 1000, SAID_EVERY_MS - 1, false],
  ['as many refused, the first of them five minutes ago', true, 1000, SAID_EVERY_MS, true],
  ['that many accepted', false, 1000, 0, true],
  ['as many accepted as are allowed', false, 10_000, SAID_EVERY_MS - 1, false],
  ['as many accepted, the first of them five minutes ago', false, 10_000, SAID_EVERY_MS, true],
])('after %s the log has room for a line or not', (_, isRefused, lines, afterMs, expected) => {
  const counts = Array.from({ length: lines }, (__, line): [string, SampleCount] => [
    String(line),
    { saidAt: line === 0 ? start : start + 1, unsaid: 0, said: 1 },
  ]);
  expect(hasRoom(new Map(counts), isRefused, new Date(start + afterMs))).toBe(expected);
});
