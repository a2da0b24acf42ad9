import { isDeepStrictEqual } from 'node:util';
import type { Model, Step } from './linearize';
import type { CheckedAnswer, FixedFields } from './job-model';

/** A share in the model. */
export interface ShareState {
  readonly isCreated: boolean;
  readonly isRevoked: boolean;
  /** Number of connected viewers. */
  readonly seats: number;
}

type Window = Pick<Step<ShareState>, 'start' | 'end' | 'label'>;

export const shareModel: Model<ShareState> = { initial: { isCreated: false, isRevoked: false, seats: 0 } };

const onlyIf = (holds: boolean, state: ShareState): readonly ShareState[] => (holds ? [state] : []);
const isActive = ({ isCreated, isRevoked }: ShareState) => isCreated && !isRevoked;

export const createShare = (window: Window): Step<ShareState> => ({
  ...window,
  next: (share) => onlyIf(!share.isCreated, { ...share, isCreated: true }),
});

/** A read of a share or its resources, or a handshake for its channel: 404 once it is revoked, 403 for others. */
export const readShare = (
  window: Window,
  answer: Pick<CheckedAnswer, 'status'>,
  isForeign: boolean,
  success: 200 | 101,
): Step<ShareState> => ({
  ...window,
  next: (share) => onlyIf(answer.status === (isActive(share) ? (isForeign ? 403 : success) : 404), share),
});

/** As `readShare`, for an answer with the share itself. */
export const getShare = (
  window: Window,
  answer: CheckedAnswer,
  isForeign: boolean,
  fixed: FixedFields,
): Step<ShareState> => ({
  ...window,
  next: (share) => {
    const isShown = answer.status !== 200 || isDeepStrictEqual(answer.body['share'], fixed);
    return isShown ? readShare(window, answer, isForeign, 200).next(share) : [];
  },
});

export const revokeShare = (window: Window, answer: CheckedAnswer, isForeign: boolean): Step<ShareState> => ({
  ...window,
  next: (share) => {
    if (!isActive(share)) return onlyIf(answer.status === 404, share);
    if (isForeign) return onlyIf(answer.status === 403, share);
    return onlyIf(answer.status === 200, { ...share, isRevoked: true });
  },
});

/** An observation by a list, a channel or a viewer's socket. */
export const observeShare = (window: Window, is: 'standing' | 'absent' | 'revoked'): Step<ShareState> => ({
  ...window,
  next: (share) =>
    onlyIf(is === 'standing' ? isActive(share) : is === 'revoked' ? share.isRevoked : !isActive(share), share),
});

/** First half of a viewer's handshake: 404 for a revoked share. */
export const viewerHandshake = (window: Window, status: number): Step<ShareState> => ({
  ...window,
  next: (share) => onlyIf(isActive(share) === (status !== 404), share),
});

/** Second half: 429 without a free seat. The share may have been revoked in between. */
export const takeSeat = (window: Window, status: number, maxViewers: number): Step<ShareState> => ({
  ...window,
  next: (share) =>
    share.seats >= maxViewers
      ? onlyIf(status === 429, share)
      : onlyIf(status === 101, { ...share, seats: share.seats + 1 }),
});

/** A viewer has left; its seat is released at some later time. */
export const releaseSeat = (window: Omit<Window, 'end'>): Step<ShareState> => ({
  ...window,
  end: Infinity,
  next: (share) => onlyIf(share.seats > 0, { ...share, seats: share.seats - 1 }),
});
