import { faultsOf, openApi } from './openapi-file';
import { published, schemasIn } from './published';

const reply = { $ref: '#/components/schemas/ListEventsReply' };
const common = { cursor: 'event-7k2m9qx4-00000000c5', sequence: 3, timestamp: '2026-11-27T10:30:15.123Z' };
const device = {
  ...common,
  type: 'device.status',
  deviceId: 'device-1',
  deviceGroupId: 'group-1',
  status: 'online',
};

/** Faults of a page of the feed with this event. */
const faultsOfPage = (event: object) =>
  faultsOf({ success: true, events: [event], count: 1, cursor: common.cursor }, reply);

describe('A reader by the schemas of today accepts', () => {
  test.each([
    ['an event of a type that it does not know', { ...common, type: 'dock.status', dockId: 'dock-1' }],
    ['a value of an open list that it does not know', { ...device, droneState: 'AVOIDING' }],
    ['a field that it does not know', { ...device, mood: 'good' }],
  ])('%s', (_what, event) => {
    expect(faultsOfPage(event)).toEqual([]);
  });

  test('no event of a known type that lacks a field', () => {
    const { status: _left, ...incomplete } = device;
    expect(faultsOfPage(incomplete)).not.toEqual([]);
  });
});

test('the schema of unknown events names every type that has a schema', () => {
  const { Event: event, UnknownEvent: unknown } = openApi.components.schemas;
  const known = (event?.anyOf ?? [])
    .map(({ $ref = '' }) => openApi.components.schemas[$ref.replace(/^.*\//, '')]?.properties?.['type'])
    .flatMap((type) => (typeof type === 'object' && type.const !== undefined ? [type.const] : []));
  expect(known).toHaveLength(4);
  expect(unknown?.properties?.['type']).toMatchObject({ not: { enum: known } });
});

test.each(published)('no list of %s has a union without a name as its elements', (_file, document) => {
  const unions = schemasIn(document).filter(([path, { oneOf, anyOf }]) => {
    const choices = (oneOf ?? anyOf ?? []).filter(({ type }) => type !== 'null');
    return path.endsWith('.items') && choices.length > 1;
  });
  expect(unions.map(([path]) => path)).toEqual([]);
});
