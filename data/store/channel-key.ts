import type { Resource } from '../../domain/values/id';

/** Key of the channel of a resource: of the connections that follow it, and of its events in the log. */
export const channelKey = ({ kind, id }: Resource): string => `${kind}#${id}`;
