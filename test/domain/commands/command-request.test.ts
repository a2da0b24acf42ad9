import { commandNames } from '../../../domain/commands/command';
import { commandRequest } from '../../../domain/commands/command-request';
import { check } from '../../../lambdas/runtime/details';
import { refusalOf } from '../fixtures/samples';

const position = { type: 'Point', coordinates: [8.5, 47.4] };

test.each([
  { name: 'PAUSE' },
  { name: 'RESUME', jobId: 'job-1', timeoutSeconds: 5 },
  { name: 'RETURN_HOME', timeoutSeconds: 600 },
  { name: 'LAND' },
  { name: 'GO_TO', position, height: 60, speed: 12 },
  { name: 'GO_TO', position: { type: 'Point', coordinates: [8.5, 47.4, 500] } },
  { name: 'ORBIT', position, radius: 25 },
  { name: 'LOOK_AT', position },
  { name: 'GIMBAL', pitch: -90, yaw: 12.5 },
  { name: 'TAKE_PHOTO' },
  { name: 'START_RECORDING' },
  { name: 'STOP_RECORDING' },
  { name: 'x-drop-marker', colour: 'red', count: 2, nested: { deep: [1] } },
])('takes %j', (body) => {
  expect(check(commandRequest, body)).toEqual(body);
});

const known = `must be one of ${commandNames.join(', ')}, or begin with x-, in lower case, for one of the drone platform’s own`;

test.each([
  ['no name', {}, [['name', 'is required']]],
  ['an unknown name', { name: 'BARREL_ROLL' }, [['name', known]]],
  ['a name in lower case', { name: 'pause' }, [['name', known]]],
  ['an own name in upper case', { name: 'x-Drop' }, [['name', known]]],
  ['a name that is no text', { name: 7 }, [['name', 'must be a string']]],
  ['parameters of another command', { name: 'PAUSE', height: 3 }, [['height', 'unknown field']]],
  ['no position', { name: 'GO_TO' }, [['position', 'is required']]],
  ['a misspelt parameter', { name: 'GO_TO', position, speeed: 3 }, [['speeed', 'unknown field; did you mean speed?']]],
  ['NaN as text', { name: 'GO_TO', position, height: 'NaN' }, [['height', 'must be a number']]],
  ['a height that is not one of drones', { name: 'ORBIT', position, height: 501 }, [['height', 'must be 500 or less']]],
  [
    'a position off the Earth',
    { name: 'LOOK_AT', position: { type: 'Point', coordinates: [181, 47] } },
    [['position.coordinates.0', 'must be 180 or less']],
  ],
  ['a shape that is no point', { name: 'GO_TO', position: [8.5, 47.4] }, [['position', 'must be an object']]],
  ['a timeout that is too short', { name: 'PAUSE', timeoutSeconds: 4 }, [['timeoutSeconds', 'must be 5 or more']]],
  ['a timeout that is too long', { name: 'x-a', timeoutSeconds: 601 }, [['timeoutSeconds', 'must be 600 or less']]],
  ['a body that is none', [], [['', 'must be an object']]],
])('refuses %s', (_, body, expected) => {
  const { details } = refusalOf(() => check(commandRequest, body));
  expect(details.map(({ path, message }) => [path, message])).toEqual(expected);
});
