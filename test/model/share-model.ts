import { isDeepStrictEqual } from 'node:util';
import type { Model, Step } from './explain';
import type { Answered, FixedFields } from './job-model';

/** A share as the model has it. */
export interface ShareState {
  readonly there: boolean;
  readonly gone: boolean;
  /** Viewers that have been let in and have not left. */
  readonly seats: number;
}

type Window = Pick<Step<ShareState>, 'start' | 'end' | 'label'>;

export const shareModel: Model<ShareState> = { initial: { there: false, gone: false, seats: 0 } };

const when = (holds: boolean, state: ShareState): readonly ShareState[] => (holds ? [state] : []);
const stands = ({ there, gone }: ShareState) => there && !gone;

export const createShare = (window: Window): Step<ShareState> => ({
  ...window,
  next: (share) => when(!share.there, { ...share, there: true }),
});

/** A read of a share, its resources, or a handshake for its channel: 404 once it is gone, 403 for others. */
export const readShare = (
  window: Window,
  answer: Pick<Answered, 'status'>,
  isForeign: boolean,
  success: 200 | 101,
): Step<ShareState> => ({
  ...window,
  next: (share) => when(answer.status === (stands(share) ? (isForeign ? 403 : success) : 404), share),
});

/** As `readShare`, for the answer that shows the share itself. */
export const getShare = (
  window: Window,
  answer: Answered,
  isForeign: boolean,
  fixed: FixedFields,
): Step<ShareState> => ({
  ...window,
  next: (share) => {
    const isShown = answer.status !== 200 || isDeepStrictEqual(answer.body['share'], fixed);
    return isShown ? readShare(window, answer, isForeign, 200).next(share) : [];
  },
});

export const revokeShare = (window: Window, answer: Answered, isForeign: boolean): Step<ShareState> => ({
  ...window,
  next: (share) => {
    if (!stands(share)) return when(answer.status === 404, share);
    if (isForeign) return when(answer.status === 403, share);
    return when(answer.status === 200, { ...share, gone: true });
  },
});

/** Whether a list, a channel or a viewer's socket shows it. */
export const seeShare = (window: Window, is: 'standing' | 'absent' | 'revoked'): Step<ShareState> => ({
  ...window,
  next: (share) => when(is === 'standing' ? stands(share) : is === 'revoked' ? share.gone : !stands(share), share),
});

/** The first half of a viewer's handshake: 404 when the share is gone. */
export const arrive = (window: Window, status: number): Step<ShareState> => ({
  ...window,
  next: (share) => when(stands(share) === (status !== 404), share),
});

/** The second half: 429 when all seats are taken. The share may have been revoked between the two. */
export const takeSeat = (window: Window, status: number, maxViewers: number): Step<ShareState> => ({
  ...window,
  next: (share) =>
    share.seats >= maxViewers
      ? when(status === 429, share)
      : when(status === 101, { ...share, seats: share.seats + 1 }),
});

/** A viewer has gone; the seat is free at any time after that. */
export const leave = (window: Omit<Window, 'end'>): Step<ShareState> => ({
  ...window,
  end: Infinity,
  next: (share) => when(share.seats > 0, { ...share, seats: share.seats - 1 }),
});
