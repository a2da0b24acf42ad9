import { capitalised } from '../../../domain/values/text';
import type * as z from 'zod/mini';
import { viewerCommand } from '../../../domain/commands/command';
import { reportedSample } from '../../../domain/telemetry/reported-sample';
import { inboundEvents, MAX_REPORTED_SAMPLES } from '../../../domain/platform/inbound-events';
import { outboundEvents } from '../../../domain/platform/outbound-events';
import { PLATFORM, SERVICE } from '../../../domain/values/service';
import { platformEventExamples } from '../../platform/platform-events.examples';
import { findField } from '../fields';
import { jsonSchemas, type JsonSchema } from '../json-schema';
import { schemaReference } from './message-schemas';
import { messageName } from './message-components';
import { platformTexts } from './platform-texts';

type EventType = keyof typeof platformTexts;

/** The name of an event in the document: `jobCreated`, `deviceGroupRegistered`. */
const nameOf = (type: string) => messageName(type.replaceAll('-', '.'));
type Events = Readonly<Record<string, z.ZodMiniType>>;

/** The events that have the same detail. */
const sharing = (events: Events, type: string) => Object.keys(events).filter((other) => events[other] === events[type]);

/** Name of the schema of a detail: that of the first event that has it. */
const detailName = (events: Events, type: string) => `${capitalised(nameOf(sharing(events, type)[0] ?? type))}Detail`;

const namedDetails = (events: Events): Events =>
  Object.fromEntries(Object.entries(events).map(([type, schema]) => [detailName(events, type), schema]));

/** A description of the schema of each detail. */
const detailTexts = (events: Events) =>
  Object.keys(events).map((type): [string, string] => [
    detailName(events, type),
    `The detail of ${sharing(events, type)
      .map((each) => `\`${each}\``)
      .join(', ')}.`,
  ]);

/** One sample or several, which the schema reads by a function. */
const reportedTelemetry: JsonSchema = {
  anyOf: [
    { $ref: schemaReference('Sample') },
    {
      type: 'object',
      properties: {
        telemetry: {
          description: findField('telemetry')?.description ?? '',
          type: 'array',
          minItems: 1,
          maxItems: MAX_REPORTED_SAMPLES,
          items: { $ref: schemaReference('Sample') },
        },
      },
      required: ['telemetry'],
    },
  ],
};

const text = (name: string): JsonSchema => ({
  type: 'string',
  description: findField(name, 'PlatformEvent')?.description ?? '',
});

/** The event on the bus. */
const envelope = (source: string, type: string, detail: string) => ({
  type: 'object',
  properties: {
    id: text('id'),
    source: { ...text('source'), const: source },
    'detail-type': { ...text('detail-type'), const: type },
    time: { ...text('time'), format: 'date-time' },
    detail: { $ref: schemaReference(detail) },
  },
  required: ['source', 'detail-type', 'detail'],
});

/** Messages, channel and operations of one direction. */
function direction(key: string, source: string, action: 'receive' | 'send', events: Events) {
  const types = Object.keys(events) as EventType[];
  const message = (type: EventType) => ({
    name: type,
    title: type,
    ...platformTexts[type],
    contentType: 'application/json',
    payload: envelope(source, type, detailName(events, type)),
    examples: platformEventExamples
      .filter((example) => example['detail-type'] === type)
      .map((payload) => ({ name: 'example', summary: platformTexts[type].summary, payload })),
  });
  const operation = (type: EventType) => ({
    action,
    channel: { $ref: `#/channels/${key}` },
    summary: platformTexts[type].summary,
    messages: [{ $ref: `#/channels/${key}/messages/${nameOf(type)}` }],
  });
  return {
    messages: Object.fromEntries(types.map((type) => [nameOf(type), message(type)])),
    references: Object.fromEntries(
      types.map((type) => [nameOf(type), { $ref: `#/components/messages/${nameOf(type)}` }]),
    ),
    operations: Object.fromEntries(types.map((type) => [`${action}${capitalised(nameOf(type))}`, operation(type)])),
  };
}

const description = `
Events between the drone platform and the Drone Mission Integration API, over one EventBridge bus. For developers of the platform;
partners see none of them. The document takes the view of the platform: it *receives* what this service publishes, and *sends* what
it reports.

- Both sides publish **at least once and in no guaranteed order**, and either may replay up to 14 days of events. Drop repeats by
  \`eventId\` in the detail where there is one, else by the event's own \`id\`. Keep the later of two events on one resource: by
  \`version\` for jobs, by \`at\` or \`time\` for others.
- A publisher calls PutEvents with \`Source\`, \`DetailType\`, \`Detail\` (JSON as text) and \`Time\`.
- Fields that are not listed are ignored, except in a sample, where they are refused. \`null\` in an optional field is as if it were
  left out.
- A malformed event, one of an unknown type, and one with an identifier that this service could not have issued go to a dead-letter
  queue unchanged, and \`report.rejected\` says what is wrong. An event that changes nothing is dropped: \`repeated\`, \`late\`,
  \`contradictory\`, \`unknown\`.
- Identifiers contain the tag of their organisation. The platform generates those of groups and devices:
  \`group-<tag>-<22 to 64 letters and digits>\`, with the tag of \`organisationId\`.
`.trim();

const serverDescription = `
Amazon EventBridge. On one machine its address is \`endpointUrl\` in \`.local/aws.json\`.

To listen, assume the role of the output \`PlatformRoleArn\`. Create a rule on the bus whose name begins with \`platform-\` (PutRule), with
an SQS queue of the same account as its target (PutTargets). The policy of the queue has to allow \`events.amazonaws.com\` the action
\`sqs:SendMessage\`, with the ARN of the rule as \`aws:SourceArn\`. ReceiveMessage returns the whole event as the body of a message. A bus or
queue of another account receives the events with the option \`platformTargetArn\` of the stack.
`.trim();

const busChannel = (title: string, description: string, messages: object) => ({
  address: '{bus}',
  title,
  description,
  parameters: { bus: { description: 'Name or ARN of the bus: the output `PlatformBusArn` of the stack.' } },
  messages,
});

/** The AsyncAPI document for the drone platform, generated from the tables of events. It describes the platform. */
export function platformDocument() {
  const received = direction('fromService', SERVICE, 'receive', outboundEvents);
  const sent = direction('toService', PLATFORM, 'send', inboundEvents);
  const schemas: Record<string, JsonSchema> = {
    ...jsonSchemas({ Command: viewerCommand, ...namedDetails(outboundEvents) }, 'output', schemaReference),
    ...jsonSchemas({ Sample: reportedSample, ...namedDetails(inboundEvents) }, 'input', schemaReference),
    [detailName(inboundEvents, 'device.telemetry.reported')]: reportedTelemetry,
  };
  const commandText = ['Command', findField('command')?.description ?? ''] as const;
  for (const [name, description] of [commandText, ...detailTexts(outboundEvents), ...detailTexts(inboundEvents)])
    schemas[name] = { description, ...schemas[name] };
  return {
    asyncapi: '3.0.0',
    id: 'urn:drone-mission-api:platform',
    info: {
      title: 'Drone Mission Integration API: events of the drone platform',
      version: '3.0.0',
      description,
      contact: { name: 'Drone Mission Integration API', url: 'https://api.drone-missions.example/docs/' },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      tags: [{ name: 'platform', description: 'Events of the drone platform' }],
    },
    defaultContentType: 'application/json',
    servers: {
      eventBridge: {
        host: 'events.{region}.amazonaws.com',
        protocol: 'https',
        description: serverDescription,
        variables: { region: { default: 'eu-central-1', description: 'Region of the stack.' } },
        security: [{ $ref: '#/components/securitySchemes/iam' }],
      },
    },
    channels: {
      fromService: busChannel(
        'Events of this service',
        `A rule with \`{"source": ["${SERVICE}"]}\` matches all of them; \`detail-type\` is the type.`,
        received.references,
      ),
      toService: busChannel(
        'Events of the platform',
        `The \`source\` is \`${PLATFORM}\`. A publisher of such events is trusted with all organisations.`,
        sent.references,
      ),
    },
    operations: { ...received.operations, ...sent.operations },
    components: {
      messages: { ...received.messages, ...sent.messages },
      schemas,
      securitySchemes: {
        iam: {
          type: 'httpApiKey',
          in: 'header',
          name: 'Authorization',
          description:
            'AWS Signature Version 4. The role `PlatformRoleArn` has `events:PutEvents` on the bus, and the permissions for its own rules.',
        },
      },
    },
  };
}
