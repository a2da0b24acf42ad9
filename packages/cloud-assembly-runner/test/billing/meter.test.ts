import { createMeter, stepsOf, createSampling } from '../../billing/meter';

describe('Meter', () => {
  test('adds up quantities by caller and unit', () => {
    const meter = createMeter();
    meter.charge('reader', { 'dynamodb:readUnits': 0.5 });
    meter.charge('reader', { 'dynamodb:readUnits': 2, 'dynamodb:writeUnits': 1 });
    meter.charge('writer', { 'dynamodb:writeUnits': 3 });
    expect(meter.usage()).toEqual({
      reader: { 'dynamodb:readUnits': 2.5, 'dynamodb:writeUnits': 1 },
      writer: { 'dynamodb:writeUnits': 3 },
    });
  });

  test('counts time up to the moment of a look, and until it is stopped', () => {
    let now = 0;
    const meter = createMeter(() => now);
    const stop = meter.chargeWhile('clients', 'iot:minutes');
    const minutes = () => meter.usage()['clients']?.['iot:minutes'];
    now = 90_000;
    expect(minutes()).toBe(1.5);
    now = 120_000;
    stop();
    stop();
    now = 600_000;
    expect(minutes()).toBe(2);
  });

  test('counts several units a minute', () => {
    let now = 0;
    const meter = createMeter(() => now);
    meter.chargeWhile('consumer', 'sqs:requests', 15);
    now = 120_000;
    expect(meter.usage()).toEqual({ consumer: { 'sqs:requests': 30 } });
  });
});

describe('Steps of a payload', () => {
  test.each([
    [0, 1],
    [1, 1],
    [5120, 1],
    [5121, 2],
    [10_241, 3],
  ])('%i bytes in steps of 5 KB are %i', (bytes, steps) => expect(stepsOf(bytes, 5120)).toBe(steps));
});

describe('Sampling of traces', () => {
  test('records the first request of each second and five percent of the others', () => {
    const tracesAt = createSampling();
    expect([1000, 1001, 1999, 2000, 2500].map(tracesAt)).toEqual([1, 0.05, 0.05, 1, 0.05]);
  });
});
