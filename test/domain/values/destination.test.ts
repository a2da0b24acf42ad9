import { actionOf, whyNotFlown, type Destination } from '../../../domain/values/destination';
import { jobRequest, newJob } from '../../../domain/jobs/job';

const at = (...coordinates: [number, number, number?]) => ({ type: 'Point' as const, coordinates });
const place = at(8.5417, 47.3769);

test.each<[string, Destination, string | undefined]>([
  ['nothing', {}, undefined],
  ['a mission', { missionId: 'mission-42' }, undefined],
  ['a location', { desiredLocation: place }, 'HOVER'],
  ['a location and a mission', { desiredLocation: place, missionId: 'mission-42' }, 'MISSION'],
  ['an action', { desiredLocation: place, actionOnArrival: 'ORBIT' }, 'ORBIT'],
])('%s means the action %s', (_, destination, action) => {
  expect(actionOf(destination)).toBe(action);
  expect(whyNotFlown(destination)).toBeUndefined();
});

test.each<[string, Destination, string]>([
  ['HOVER without a location', { actionOnArrival: 'HOVER' }, 'desiredLocation'],
  ['HOVER with a mission', { desiredLocation: place, actionOnArrival: 'HOVER', missionId: 'm' }, 'missionId'],
  ['a radius without ORBIT', { desiredLocation: place, flight: { orbitRadius: 30 } }, 'flight.orbitRadius'],
  ['ORBIT without a location', { actionOnArrival: 'ORBIT' }, 'desiredLocation'],
  ['ORBIT with a mission', { desiredLocation: place, actionOnArrival: 'ORBIT', missionId: 'm' }, 'missionId'],
  ['MISSION without a mission', { desiredLocation: place, actionOnArrival: 'MISSION' }, 'missionId'],
  [
    'a radius with MISSION',
    { missionId: 'm', actionOnArrival: 'MISSION', flight: { orbitRadius: 9 } },
    'flight.orbitRadius',
  ],
  [
    'a hold with MISSION',
    { missionId: 'm', actionOnArrival: 'MISSION', flight: { holdSeconds: 9 } },
    'flight.holdSeconds',
  ],
  ['an altitude and a height', { desiredLocation: at(8.5, 47.4, 520), flight: { height: 40 } }, 'flight.height'],
  ['a flight to nowhere', { flight: { height: 40 } }, 'flight'],
  ['the zero value of a place', { desiredLocation: at(0, 0) }, 'desiredLocation.coordinates'],
])('%s is refused with the path', (_, destination, path) => {
  expect(whyNotFlown(destination)?.details.map((detail) => detail.path)).toEqual([path]);
});

test('a job says the action that its request means', () => {
  const request = jobRequest.parse({ name: 'Alarm', deviceGroupId: 'group-1', desiredLocation: place });
  expect(newJob(request, 'job-1', '2026-11-27T10:00:00.000Z')).toMatchObject({ actionOnArrival: 'HOVER' });
});
