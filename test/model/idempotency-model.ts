import type { Model, Step } from './linearize';

/** What is stored under an `Idempotency-Key` of a client and endpoint: the first request and its answer. */
export interface KeyState {
  readonly request?: string;
  readonly answer?: string;
}

export const keyModel: Model<KeyState> = { initial: {} };

/**
 * A creation with a key (design, section 3): the first one creates; the same body gets the first answer, another one 400.
 * @param request the body
 * @param answer the body of a 201; undefined for a 400
 */
export const createWithKey = (
  window: Pick<Step<KeyState>, 'start' | 'end' | 'label'>,
  request: string,
  answer: string | undefined,
): Step<KeyState> => ({
  ...window,
  next: (key) => {
    if (key.request === undefined) return answer === undefined ? [] : [{ request, answer }];
    const expected = key.request === request ? key.answer : undefined;
    return answer === expected ? [key] : [];
  },
});
