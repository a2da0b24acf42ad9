import Ajv2020, { type ErrorObject } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

/** The parts of an AsyncAPI document that the tests read. */
export interface Documented {
  readonly channels: Readonly<Record<string, { readonly messages: object }>>;
  readonly components: {
    readonly messages: Readonly<Record<string, object>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
}

/** A message of a document, as far as the tests read it. */
export interface DocumentedMessage {
  readonly description?: string;
  readonly payload: object;
  readonly examples?: readonly { readonly name: string; readonly payload: unknown }[];
}

/** The errors of a payload; none if it is valid. */
export type Validate = (payload: unknown) => readonly ErrorObject[];

export const messagesOf = (document: Documented) =>
  document.components.messages as Readonly<Record<string, DocumentedMessage>>;

/** Names of the messages of each channel. */
export const channelMessages = ({ channels }: Documented): Record<string, string[]> =>
  Object.fromEntries(Object.entries(channels).map(([name, { messages }]) => [name, Object.keys(messages)]));

/** Validates payloads by the schemas of a document, by the name of the message. Refuses schemas with unknown keywords. */
export function messageValidators(document: Documented): Readonly<Record<string, Validate>> {
  const ajv = addFormats(
    new Ajv2020({ allErrors: true, allowUnionTypes: true, keywords: ['components', 'x-extensible-enum'] }),
  );
  const components = { schemas: document.components.schemas };
  return Object.fromEntries(
    Object.entries(messagesOf(document)).map(([name, { payload }]) => {
      const validate = ajv.compile({ ...payload, components });
      return [name, (value: unknown) => (validate(value) ? [] : (validate.errors ?? []))];
    }),
  );
}
