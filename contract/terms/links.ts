/** The channels of spec section 6: where the status of each kind of resource is followed. */
export const channelAddresses = {
  job: {
    /** The field that holds the identifier of the resource. */
    idField: 'jobId',
    /** Second part of the MQTT topic, after the identifier. */
    topicSuffix: 'JOB/STATUS',
    /** Path of the WebSocket connection, with `{id}` for the identifier. */
    path: '/v3/jobs/{id}/status/ws',
  },
  group: { idField: 'deviceGroupId', topicSuffix: 'DEVICE/STATUS', path: '/v3/devices/{id}/status/ws' },
  share: { idField: 'shareCode', topicSuffix: 'SHARE/STATUS', path: '/v3/shares/{id}/status/ws' },
} as const;

export type LinkedKind = keyof typeof channelAddresses;

/** A reply before `lambdas/serve/response.ts` adds the links. */
export type WithoutLinks<Part> = Part extends readonly (infer Element)[]
  ? WithoutLinks<Element>[]
  : Part extends object
    ? { [Name in keyof Part as Name extends 'links' ? never : Name]: WithoutLinks<Part[Name]> }
    : Part;

/** The MQTT topic of a resource: `<id>/JOB/STATUS`. */
export const topicOf = ({ kind, id }: { readonly kind: LinkedKind; readonly id: string }) =>
  `${id}/${channelAddresses[kind].topicSuffix}`;

/** Adds its links to each resource of this kind that a reply has, alone or in a list. */
export function withLinks(kind: LinkedKind, reply: object): object {
  const { idField, path } = channelAddresses[kind];
  const linked = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(linked);
    if (typeof part !== 'object' || part === null || !(idField in part)) return part;
    const id = String((part as Readonly<Record<string, unknown>>)[idField]);
    return { ...part, links: { mqttTopic: topicOf({ kind, id }), webSocketPath: path.replace('{id}', id) } };
  };
  return Object.fromEntries(Object.entries(reply).map(([name, part]) => [name, linked(part)]));
}
