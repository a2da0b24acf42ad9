import { deviceStatuses } from '../../../domain/fleet/fleet';
import { jobStatuses } from '../../../domain/jobs/job-lifecycle';
import { deviceState } from '../../../domain/telemetry/telemetry';

/** What a device happens to report, and when the platform reported of a job: on a busy machine it has it before it is read. */
const reported = [...Object.keys(deviceState.shape), 'receivedAt', 'reportedAt'].filter((name) => name !== 'timestamp');
/** Fields whose example must be the very value. */
const fixed = [
  'success',
  'error',
  'error_description',
  'code',
  'type',
  'message',
  'path',
  'token_type',
  'expires_in',
  'id',
  'jobState',
  'previousState',
  'shareState',
  'shareType',
  'permissions',
  'priority',
  'maxViewers',
  'protocol',
  'snapshot',
];
/** Values that stand for each other: what a device or a job does at this moment depends on when one looks. */
const alternatives: readonly (readonly unknown[])[] = [jobStatuses, deviceStatuses];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const namesOf = (value: object) => Object.keys(value).filter((name) => !reported.includes(name));

/**
 * Why an output is not like its example: another field, another type, or another value of a field that is fixed.
 * @returns undefined when it is
 */
export function difference(example: unknown, actual: unknown, path = ''): string | undefined {
  if (Array.isArray(example) && Array.isArray(actual)) {
    const [first] = example as unknown[];
    if (first !== undefined && actual.length === 0) return `${path} is empty`;
    return first === undefined ? undefined : difference(first, (actual as unknown[])[0], `${path}.0`);
  }
  if (isObject(example) && isObject(actual)) {
    const [expected, found] = [namesOf(example), namesOf(actual)];
    const missing = expected.filter((name) => !found.includes(name));
    const more = found.filter((name) => !expected.includes(name));
    if (missing.length > 0) return `${path} lacks ${missing.join(', ')}`;
    if (more.length > 0) return `${path} has ${more.join(', ')}, which the example lacks`;
    return expected.map((name) => difference(example[name], actual[name], `${path}.${name}`)).find(Boolean);
  }
  if (typeof example !== typeof actual) return `${path} is ${JSON.stringify(actual)}`;
  const name = path.replace(/\.0$/, '').split('.').at(-1) ?? '';
  if (name === 'status')
    return example === actual || alternatives.some((set) => set.includes(example) && set.includes(actual))
      ? undefined
      : `${path} is another word`;
  return fixed.includes(name) && example !== actual ? `${path} is ${JSON.stringify(actual)}` : undefined;
}
