import { UpdateCommand } from '../../../../data/store/document-client';
import { acceptTelemetry } from '../../../../lambdas/delivery/telemetry/accept-telemetry';
import { acme } from '../../../domain/fixtures/samples';
import { store } from '../../../data/fixtures/store';
import { logLines } from '../../fixtures/log';
import { at, delivered, givenDevice, now, reported, sampleAt } from '../../fixtures/reported-devices';

const position = { type: 'Point', coordinates: [8.5, 47.4, 480] };
const inFlight = { droneState: 'WAYPOINT', navigation: { position } };
const takeOff = { timestamp: at(-60_000), altitude: 440 };
/** A device in flight whose last state was stored this many ms ago. */
const flying = (ms: number) => ({ ...reported(ms, inFlight), takeOff });

const updatesOf = (TableName: string) =>
  store
    .commandCalls(UpdateCommand)
    .map(({ args: [{ input }] }) => input)
    .filter((input) => input.TableName === TableName);
const points = () =>
  updatesOf('requests').map(({ ExpressionAttributeValues: values }) => values?.[':point'] as unknown);
const point = (ms: number) => [Date.parse(at(ms)), 8.5, 47.4, 480];
const flightWrites = () =>
  updatesOf('fleet').map(({ UpdateExpression = '', ExpressionAttributeValues: values }) =>
    UpdateExpression.includes('REMOVE takeOff') ? 'ended' : (values?.[':takeOff'] as unknown),
  );

describe('The track of a flight', () => {
  test('gets the first state that is stored of each five seconds', async () => {
    const deviceId = givenDevice(flying(-1000));
    await acceptTelemetry(acme, [sampleAt(deviceId, -1, inFlight), sampleAt(deviceId, 0, inFlight)], now);
    expect(points()).toEqual([point(0)]);
    expect(flightWrites()).toEqual([undefined]);
  });

  test('gets no other state', async () => {
    const deviceId = givenDevice(flying(-3000));
    await acceptTelemetry(acme, [sampleAt(deviceId, -1, inFlight)], now);
    expect(updatesOf('fleet')).toHaveLength(1);
    expect(points()).toEqual([]);
  });

  test('begins with the take-off, which is stored with the state', async () => {
    const deviceId = givenDevice(reported(-1000, { ...inFlight, droneState: 'DOCKED' }));
    await acceptTelemetry(acme, [sampleAt(deviceId, -500, inFlight)], now);
    expect(points()).toEqual([point(-500)]);
    expect(flightWrites()).toEqual([{ timestamp: at(-500), altitude: 480 }]);
  });

  test('ends with the landing', async () => {
    const deviceId = givenDevice(flying(-1000));
    await acceptTelemetry(acme, [sampleAt(deviceId, 0, { ...inFlight, droneState: 'LANDED' })], now);
    expect(points()).toEqual([]);
    expect(flightWrites()).toEqual(['ended']);
  });

  test('costs a device on the ground nothing', async () => {
    const deviceId = givenDevice(reported(-6000, { ...inFlight, droneState: 'DOCKED' }));
    await acceptTelemetry(acme, [sampleAt(deviceId, 0, { ...inFlight, droneState: 'DOCKED' })], now);
    expect(points()).toEqual([]);
    expect(flightWrites()).toEqual([undefined]);
  });

  test('that cannot be stored neither refuses nor holds back a sample', async () => {
    const deviceId = givenDevice(flying(-1000));
    store.on(UpdateCommand, { TableName: 'requests' }).rejects(new Error('no store'));
    await expect(acceptTelemetry(acme, [sampleAt(deviceId, 0, inFlight)], now)).resolves.toBe(1);
    expect(delivered(deviceId)).toHaveLength(1);
    expect(updatesOf('fleet')).toHaveLength(1);
    expect(logLines()).toContainEqual(expect.objectContaining({ deviceId, level: 'WARN' }));
  });
});
