import { channelAddresses, topicName, type LinkedKind } from './channel-addresses';

/** A reply before `lambdas/serve/serve.ts` adds the links. */
export type WithoutLinks<Part> = Part extends readonly (infer Element)[]
  ? WithoutLinks<Element>[]
  : Part extends object
    ? { [Name in keyof Part as Name extends 'links' ? never : Name]: WithoutLinks<Part[Name]> }
    : Part;

/** Adds its links to each resource of this kind that a reply has, alone or in a list. */
export function withLinks(kind: LinkedKind, reply: object): object {
  const { idField, path } = channelAddresses[kind];
  const linked = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(linked);
    if (typeof part !== 'object' || part === null || !(idField in part)) return part;
    const id = String((part as Readonly<Record<string, unknown>>)[idField]);
    return { ...part, links: { mqttTopic: topicName({ kind, id }), webSocketPath: path.replace('{id}', id) } };
  };
  return Object.fromEntries(Object.entries(reply).map(([name, part]) => [name, linked(part)]));
}
