import { organisationOf, type Kind, type Resource } from '../../domain/values/id';
import type { StatusMessage } from '../../domain/channels/status-message';
import type { TableUses } from '../terms/endpoint';
import type { Scope } from '../terms/scopes';
import { channelAddresses } from '../terms/channel-addresses';

type MessageType = StatusMessage['type'];
/** A field that every message has. */
type IdField<Message> = { [Name in keyof Message]-?: Message[Name] extends string ? Name : never }[keyof Message];
type MessageOf<Type extends MessageType> = Extract<StatusMessage, { type: Type }>;

/** A type of messages that has no channels of its own. */
export type CarriedType = 'command.status';

interface ChannelOf<Type extends MessageType> {
  /** The scope that a subscriber needs. */
  readonly scope: Scope;
  /** Second part of the MQTT topic, after the identifier. */
  readonly topicSuffix: string;
  /** Path of the WebSocket connection, with `{id}` for the identifier. */
  readonly path: string;
  /** Tables that `lambdas/channels/channel-state.ts` uses to authorise a subscriber and to read the state, and how. */
  readonly tables: { readonly authorise: TableUses; readonly state: TableUses };
  /** Every status message of this type is published, each on the channel whose id is in `idField`. */
  readonly messageType: Type;
  readonly idField: IdField<MessageOf<Type>>;
  /** Messages of other types that are published on it, if they have its `idField`. */
  readonly alsoCarries?: readonly CarriedType[];
}

/** One kind of status channel: MQTT topics and policies, WebSocket paths and publishing derive from it. */
export type StatusChannel = { [Type in Exclude<MessageType, CarriedType>]: ChannelOf<Type> }[Exclude<
  MessageType,
  CarriedType
>];

/** The channels of spec section 6: each kind over MQTTS and over WSS, with the same payload. */
export const channels = {
  job: {
    ...channelAddresses.job,
    scope: 'command:read',
    tables: { authorise: { jobs: ['get'] }, state: { jobs: ['get'] } },
    messageType: 'job.status',
    alsoCarries: ['command.status'],
  },
  group: {
    ...channelAddresses.group,
    scope: 'resources:read',
    tables: { authorise: { fleet: ['batchGet'] }, state: { fleet: ['query'] } },
    messageType: 'device.status',
    alsoCarries: ['command.status'],
  },
  share: {
    ...channelAddresses.share,
    scope: 'share:read',
    tables: { authorise: { shares: ['get'] }, state: { shares: ['get'] } },
    messageType: 'share.status',
  },
} as const satisfies Partial<Record<Kind, StatusChannel>>;

export type ChannelKind = keyof typeof channels;
export const channelKinds = Object.keys(channels) as ChannelKind[];

/** The channel with the status of one resource, or of the devices of a group. */
export interface Channel extends Resource {
  readonly kind: ChannelKind;
}

/** The channel of a resource, or undefined for a kind of resource without channels. */
export function toChannel({ kind, id }: Resource): Channel | undefined {
  const known = channelKinds.find((each) => each === kind);
  return known && { kind: known, id };
}

/** The types of the messages on a channel. */
export const carriedTypes = (kind: ChannelKind): readonly MessageType[] => {
  const { messageType, alsoCarries = [] }: StatusChannel = channels[kind];
  return [messageType, ...alsoCarries];
};

/** The channels that a message is published on. */
export function findChannels(message: StatusMessage): Channel[] {
  const fields: Readonly<Record<string, unknown>> = { ...message };
  return channelKinds
    .filter((kind) => carriedTypes(kind).includes(message.type))
    .flatMap((kind) => {
      const id = fields[channels[kind].idField];
      return typeof id === 'string' ? [{ kind, id }] : [];
    });
}

/** The channel with this MQTT topic, or undefined; whether its resource exists is not known. */
export function channelOfTopic(topic: string): Channel | undefined {
  const [id = '', ...suffix] = topic.split('/');
  const kind = channelKinds.find((each) => channels[each].topicSuffix === suffix.join('/'));
  return kind && organisationOf(kind, id) !== undefined ? { kind, id } : undefined;
}

/** Maximum of messages that a client is sent again when it resumes; one that missed more gets the current state. */
export const MAX_REPLAYED = 1000;

/** Maximum of concurrent MQTT subscriptions and WebSocket connections per client (spec section 8). */
export const MAX_SUBSCRIPTIONS = 100;
export const MAX_CONNECTIONS = 50;

/** The name of a handshake among the operations that are limited. */
export const HANDSHAKE = 'WebSocket handshake';
