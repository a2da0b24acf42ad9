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

/** The MQTT topic of a resource: `<id>/JOB/STATUS`. */
export const topicName = ({ kind, id }: { readonly kind: LinkedKind; readonly id: string }) =>
  `${id}/${channelAddresses[kind].topicSuffix}`;
