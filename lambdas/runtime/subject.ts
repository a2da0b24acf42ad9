import { AsyncLocalStorage } from 'node:async_hooks';
import { digestShareCode } from '../../data/shares/share-id';
import { kindOf } from '../../domain/values/id';

/** What is handled: every line that is logged meanwhile names it, so that one identifier finds the whole way of a change. */
export interface Subject {
  readonly jobId?: string | undefined;
  readonly deviceId?: string | undefined;
  readonly deviceGroupId?: string | undefined;
  /** Digest of a share code, which gives access itself. */
  readonly shareId?: string | undefined;
  /** Version that the change leads to: the `sequence` of its messages. */
  readonly version?: number | undefined;
  /** Of the event of the platform that caused it. */
  readonly eventId?: string | undefined;
  /** Of the request that caused it. */
  readonly requestId?: string | undefined;
}

const handled = new AsyncLocalStorage<Subject>();

/** Runs something, of which the lines name its subject too. @returns what it returns */
export const about = <Result>(subject: Subject, run: () => Result): Result =>
  handled.run({ ...handled.getStore(), ...subject }, run);

/** What is handled now; empty when nothing has been said of it. */
export const currentSubject = (): Subject => handled.getStore() ?? {};

/** Fields that hold the identifier of a resource. */
const fields = ['jobId', 'deviceId', 'deviceGroupId', 'shareCode'] as const;

/** The resources that an object names, as lines name them. */
export function namedIn(input: unknown): Subject {
  const found = (input ?? {}) as Readonly<Record<string, unknown>>;
  return Object.assign({}, ...fields.map((field) => named(found[field]))) as Subject;
}

/** The resource with an identifier, as lines name it; empty for a text that is no identifier, since it may be anything. */
export function named(id: unknown): Subject {
  if (typeof id !== 'string') return {};
  switch (kindOf(id)) {
    case 'job':
      return { jobId: id };
    case 'device':
      return { deviceId: id };
    case 'group':
      return { deviceGroupId: id };
    case 'share':
      return { shareId: digestShareCode(id) };
    default:
      return {};
  }
}
