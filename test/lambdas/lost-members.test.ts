import { metadata } from '../../domain/values/metadata';
import { sample } from '../../domain/telemetry/telemetry';
import { check } from '../../lambdas/runtime/details';
import { readJson } from '../../lambdas/runtime/read-json';
import { fullSample, refusalOf } from '../domain/fixtures/samples';
import type { Detail } from '../../domain/values/refusal';

/** Faults of a schema; the value is that of an event, which arrives parsed. */
const faultsBy = (schema: Parameters<typeof check>[0], text: string) =>
  refusalOf(() => check(schema, JSON.parse(text) as unknown)).details;
const sampleWith = (sensorPayload: string) =>
  `{${JSON.stringify(fullSample).slice(1, -1)},"sensorPayload":${sensorPayload}}`;

/** Everything that takes free-form data, with its path. JSON of requests, of frames and of files is read by one reader, before any schema. */
const takers: [what: string, path: string, faultsIn: (free: string) => readonly Detail[]][] = [
  ['a request, a frame or a file', 'a', (free) => readJson(`{"a":${free}}`, 'checked').faults],
  ['metadata', '', (free) => faultsBy(metadata, free)],
  ['the sensor data of a sample', 'sensorPayload', (free) => faultsBy(sample, sampleWith(free))],
];

const places: [free: string, path: string][] = [
  ['{"__proto__":{"height":3}}', '__proto__'],
  ['{"__proto__":null}', '__proto__'],
  ['{"\\u005f_proto__":1}', '__proto__'],
  ['{"camera":{"__proto__":1}}', 'camera.__proto__'],
  ['{"list":[{"deep":{"__proto__":[]}}]}', 'list.0.deep.__proto__'],
];

describe.each(takers)('%s', (_, at, faultsIn) => {
  test.each(places)('%s is refused with its path', (free, path) => {
    const message = 'is a name that programs lose: choose another';
    expect(faultsIn(free)).toEqual([{ path: [at, path].filter(Boolean).join('.'), message }]);
  });
});

test.each(['constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'proto'])(
  'a member named %s arrives as it was sent',
  (name) => {
    const text = `{"${name}":{"${name}":1}}`;
    expect(readJson(text, 'checked')).toEqual({ value: JSON.parse(text) as unknown, faults: [] });
    expect(JSON.stringify(check(metadata, JSON.parse(text)))).toBe(text);
    expect(JSON.stringify(check(sample, JSON.parse(sampleWith(text))).sensorPayload)).toBe(text);
  },
);
