import type { DropReason } from '../../domain/platform/drop-reason';
import type { Detail } from '../../domain/values/refusal';

/** Why an event was not applied, or some of its samples. */
export interface Drop {
  readonly reason: DropReason;
  readonly details?: readonly Detail[];
}

/** An event of the platform, and when it is applied. */
export interface Occurrence {
  readonly id: string;
  /** When it happened, as its sender says; ISO 8601. */
  readonly at: string;
  readonly now: Date;
  readonly isLastAttempt: boolean;
  /** The same event with another detail. */
  readonly with: (detail: object) => object;
}

/** A report whose predecessor, or the registration of whose device, has not arrived yet; the error message is the event's id. */
export class EventTooEarly extends Error {
  override readonly name = 'EventTooEarly';

  /**
   * @param rest the event with what is to be tried again, if that is not all of it
   * @param drop of what is not tried again
   */
  constructor(
    id: string,
    readonly rest?: object,
    readonly drop?: Drop,
  ) {
    super(id);
  }
}

/** Faults as one text. */
export const detailLines = (details: readonly Detail[]): string =>
  details.map(({ path, message }) => `${path} ${message}`).join('; ');
