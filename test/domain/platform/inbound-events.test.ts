import { platformEventSchemas } from '../../../contract/documents/platform-schemas';
import { platformEventExamples } from '../../../contract/platform/platform-events.examples';
import { inboundEvents, type InboundEventType } from '../../../domain/platform/inbound-events';
import { messageValidators } from '../../contract/documents/message-validators';
import { platformDocument } from '../../../contract/documents/asyncapi/platform-document';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** Every optional member of a schema and of what it contains; `0` is the first element of a list. */
const optionalMembers = ({ properties = {}, required = [], items }: Schema): string[][] => [
  ...Object.entries(properties).flatMap(([name, member]) => [
    ...(required.includes(name) ? [] : [[name]]),
    ...optionalMembers(member).map((path) => [name, ...path]),
  ]),
  ...(items ? optionalMembers(items).map((path) => ['0', ...path]) : []),
];

/** Telemetry has a test of its own: it is one sample or a list. */
const types = (Object.keys(inboundEvents) as InboundEventType[]).filter((type) => type !== 'device.telemetry.reported');

const documented = types.flatMap((type) => {
  const { $defs = {} } = platformEventSchemas()[type] as { $defs?: Readonly<Record<string, Schema>> };
  const detail = Object.entries($defs).find(([name]) => name.endsWith('Detail'))?.[1] ?? {};
  return optionalMembers(detail).map((path): [InboundEventType, string] => [type, path.join('.')]);
});

/** The document does not say what a finding has. */
const members = [...documented, ['mission.check.reported', 'findings.0.limit'] as [InboundEventType, string]];

const exampleOf = (type: InboundEventType) =>
  structuredClone(platformEventExamples.find((example) => example['detail-type'] === type)?.detail ?? {});

/** Changes the object in which the last name of a path is; objects on the way that the example lacks are empty. */
function change(detail: object, path: string, run: (owner: object, name: string) => void): object {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const owner = names.reduce<object>((outer, name) => ((outer as Record<string, object>)[name] ??= {}), detail);
  run(owner, last);
  return detail;
}

const validators = messageValidators(platformDocument());
const nameOf = (type: string) => type.replace(/[.-](.)/g, (_, letter: string) => letter.toUpperCase());

describe('null in an event of the platform', () => {
  test('may be in optional members of most events, also deep ones', () => {
    expect(members).toEqual(
      expect.arrayContaining([
        ['job.status.reported', 'reason'],
        ['job.status.reported', 'plannedFlight.height'],
        ['device.registered', 'capabilities.range'],
        ['mission.check.reported', 'charge'],
      ]),
    );
    expect(members).not.toContainEqual(['job.status.reported', 'status']);
  });

  test.each(members)('%s: in %s it is as if it were left out, and the document allows it', (type, path) => {
    const withNull = change(exampleOf(type), path, (owner, name) => Object.assign(owner, { [name]: null }));
    const without = change(exampleOf(type), path, (owner, name) => Reflect.deleteProperty(owner, name));
    expect(inboundEvents[type].parse(withNull)).toEqual(inboundEvents[type].parse(without));
    const event = { source: 'drone-platform', 'detail-type': type, detail: withNull };
    expect(validators[nameOf(type)]?.(event)).toEqual([]);
  });

  test.each<[InboundEventType, string]>([
    ['job.status.reported', 'jobId'],
    ['job.status.reported', 'status'],
    ['job.status.reported', 'at'],
    ['job.status.reported', 'progress.percent'],
    ['device.registered', 'name'],
    ['device.registered', 'capabilities.commands.0'],
    ['device.registered', 'capabilities.range.from.coordinates.1'],
    ['mission.check.reported', 'findings.0'],
    ['control.outcome.reported', 'outcome'],
  ])('%s: in %s it is refused', (type, path) => {
    const withNull = change(exampleOf(type), path, (owner, name) => Object.assign(owner, { [name]: null }));
    const { error } = inboundEvents[type].safeParse(withNull);
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path]);
  });
});
