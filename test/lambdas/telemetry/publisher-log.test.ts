import { NOT_YOURS } from '../../../domain/fleet/sample-decision';
import { SAID_EVERY_MS, SAMPLES_LEFT_OUT, SAMPLES_RECEIVED } from '../../../domain/telemetry/receipt';
import { sample as schema } from '../../../domain/telemetry/reported-sample';
import type { Sample } from '../../../domain/telemetry/sample';
import { Unreadable } from '../../../domain/values/judged';
import { about } from '../../../lambdas/runtime/subject';
import { logPublished } from '../../../lambdas/telemetry/publisher-log';
import { id } from '../../domain/fixtures/samples';
import { logLines } from '../fixtures/log';
import { newDeviceId } from '../fixtures/telemetry';

let now = new Date('2026-11-27T10:30:00.000Z');
/** Lets everything be said anew. */
const pass = (ms = SAID_EVERY_MS) => (now = new Date(now.getTime() + ms));
const sample = (deviceId: string) => ({ deviceId, timestamp: now.toISOString() });
const said = () =>
  logLines().map(({ publisher, deviceId, dropped, samples }) => [publisher, deviceId, dropped, samples]);
const ahead = (index: number) => ({ index, path: 'timestamp', message: 'is ahead' });

test('a line for each publisher, device and reason, with how many samples', () => {
  const [one, other] = [newDeviceId(), newDeviceId()];
  logPublished('client1', [sample(one), sample(other), sample(one), sample(one)].entries(), [ahead(3)], now);
  logPublished('client2', [sample(one)].entries(), [], now);
  expect(said()).toEqual([
    ['client1', one, undefined, 2],
    ['client1', other, undefined, 1],
    ['client1', one, 'timestamp is ahead', 1],
    ['client2', one, undefined, 1],
  ]);
});

test('a device that reports each second has a line every five minutes', () => {
  const deviceId = newDeviceId();
  for (let second = 0; second <= 600; second += 1) {
    logPublished('client1', [sample(deviceId)].entries(), [], now);
    pass(1000);
  }
  expect(said().map(([, , , samples]) => samples)).toEqual([1, 300, 300]);
});

/** Publishes samples of as many new devices, in messages of 40. @param isRefused whether they are not of the fleet */
function publishMany(
  publisher: string,
  devices: number,
  isRefused: boolean,
  make: (deviceId: string) => Sample | Unreadable,
) {
  for (let from = 0; from < devices; from += 40) {
    const message = Array.from({ length: Math.min(40, devices - from) }, () => make(newDeviceId()));
    logPublished(
      publisher,
      message.entries(),
      isRefused ? message.map((_, index) => ({ index, ...NOT_YOURS })) : [],
      now,
    );
  }
}
const malformed = (deviceId: string) => new Unreadable({ deviceId }, schema);
/** What the log says of a publisher. */
const linesOf = (publisher: string, message = SAMPLES_RECEIVED) =>
  logLines().filter((line) => line['publisher'] === publisher && line['message'] === message);

describe.each<[string, number, boolean, (deviceId: string) => Sample | Unreadable]>([
  ['devices that it has not', 1000, true, sample],
  ['malformed samples', 1000, true, malformed],
  ['devices that it has', 10_000, false, sample],
])('a publisher of too many %s', (what, most, isRefused, make) => {
  const flood = (publisher: string, devices = most + 500) => publishMany(publisher, devices, isRefused, make);

  test('has no more lines than that in five minutes, and one that says how many samples have none', () => {
    const publisher = `many ${what}`;
    flood(publisher);
    flood(publisher, 80);
    expect(linesOf(publisher)).toHaveLength(most);
    // The rest is said five minutes later, as of every line.
    expect(linesOf(publisher, SAMPLES_LEFT_OUT).map(({ samples }) => samples)).toEqual([40]);
    pass();
    flood(publisher, most + 40);
    expect(linesOf(publisher)).toHaveLength(2 * most);
    expect(linesOf(publisher, SAMPLES_LEFT_OUT).map(({ samples }) => samples)).toEqual([40, 460 + 80 + 40]);
  });

  test('keeps no other publisher out of the log', () => {
    flood(`loud ${what}`);
    for (const refused of [true, false]) publishMany(`quiet beside ${what}`, 1, refused, sample);
    expect(linesOf(`quiet beside ${what}`).map(({ dropped }) => dropped)).toEqual([
      'deviceId is not a device of yours',
      undefined,
    ]);
  });

  test('has lines for its other samples', () => {
    const publisher = `both ${what}`;
    flood(publisher);
    publishMany(publisher, 1, !isRefused, sample);
    expect(linesOf(publisher)).toHaveLength(most + 1);
  });

  test('has a line for what was named before, as always', () => {
    const publisher = `again ${what}`;
    const first = make(newDeviceId());
    const again = () => logPublished(publisher, [first].entries(), isRefused ? [{ index: 0, ...NOT_YOURS }] : [], now);
    again();
    pass();
    flood(publisher, most - 1);
    again();
    expect(linesOf(publisher)).toHaveLength(most + 1);
    expect(linesOf(publisher, SAMPLES_LEFT_OUT)).toEqual([]);
  });
});

test('a line of samples without lines names no device and no job, though the event is about one', () => {
  const subject = { deviceId: newDeviceId(), jobId: id('job'), eventId: 'event-1' };
  about(subject, () => publishMany('platform of one', 1001, true, sample));
  const [line] = linesOf('platform of one', SAMPLES_LEFT_OUT);
  expect(line).toEqual({
    level: 'INFO',
    message: SAMPLES_LEFT_OUT,
    timestamp: expect.any(String) as string,
    eventId: 'event-1',
    publisher: 'platform of one',
    samples: 1,
  });
});
