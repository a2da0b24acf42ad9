import { elapsed } from './clock';

/** What a button that must be confirmed waits for: nothing, that it is held on, or a second press. */
export type PressPhase = 'idle' | 'holding' | 'pressAgain';

export interface PressOptions {
  /** Whether it takes more than a press. */
  readonly needsConfirmation: boolean;
  /** Whether a press has no effect but to say so, and needs no confirmation. */
  readonly isBlocked: () => boolean;
  /** Called after each change. */
  readonly onPhase: (phase: PressPhase) => void;
  /** It was pressed, and confirmed if need be. */
  readonly onPress: () => void;
}

/** How long a button is held to confirm. In ms. */
export const HOLD_MS = 1200;
/** When after the first press the second one confirms, in ms: a double click is a slip of the finger. */
const AGAIN = { after: 500, within: 6000 };
/** How long after the end of a hold its click may come, in ms. */
const CLICK_WITHIN_MS = 300;

/**
 * Makes a button that is pressed. If a press must be confirmed, there are two ways that pointer and keyboard share: hold it, or
 * press it again. A screen reader, and whoever can't hold, sends clicks only, and has the second way.
 */
export function listenForPresses(
  button: HTMLButtonElement,
  { needsConfirmation, isBlocked, onPhase, onPress }: PressOptions,
): void {
  if (!needsConfirmation) {
    button.addEventListener('click', onPress);
    // Each event of Enter that is held would be a click.
    button.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && event.repeat) event.preventDefault();
    });
    return;
  }
  let holding: ReturnType<typeof setTimeout> | undefined;
  let armed: { readonly at: number; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  /** A hold has confirmed: the click at its end is part of it. */
  let isHeld = false;
  let isKeyDown = false;

  const tell = () => onPhase(holding ? 'holding' : armed ? 'pressAgain' : 'idle');
  const disarm = () => {
    clearTimeout(armed?.timer);
    armed = undefined;
    tell();
  };
  const confirm = () => {
    disarm();
    onPress();
  };

  function begin(): void {
    clearTimeout(holding);
    isHeld = false;
    if (isBlocked()) return;
    holding = setTimeout(() => {
      holding = undefined;
      isHeld = true;
      confirm();
    }, HOLD_MS);
    tell();
  }

  function release(): void {
    if (isHeld) setTimeout(() => (isHeld = false), CLICK_WITHIN_MS);
    clearTimeout(holding);
    holding = undefined;
    tell();
  }

  function press(): void {
    if (isHeld) return;
    if (isBlocked()) confirm();
    else if (!armed) {
      armed = { at: elapsed(), timer: setTimeout(disarm, AGAIN.within) };
      tell();
    } else if (elapsed() - armed.at >= AGAIN.after) confirm();
  }

  const isKey = ({ key }: KeyboardEvent) => key === 'Enter' || key === ' ';

  button.addEventListener('pointerdown', ({ isPrimary, button: which }) => {
    if (isPrimary && which === 0) begin();
  });
  for (const end of ['pointerup', 'pointerleave', 'pointercancel'] as const) button.addEventListener(end, release);
  button.addEventListener('click', press);
  // A long touch is no wish for a menu.
  button.addEventListener('contextmenu', (event) => event.preventDefault());
  // The browser's own click of a key comes at its first event or its last one, and again and again while Enter is held.
  button.addEventListener('keydown', (event) => {
    if (!isKey(event)) return;
    event.preventDefault();
    if (event.repeat || isKeyDown) return;
    isKeyDown = true;
    begin();
  });
  button.addEventListener('keyup', (event) => {
    if (!isKey(event)) return;
    event.preventDefault();
    if (!isKeyDown) return;
    isKeyDown = false;
    release();
    press();
  });
  button.addEventListener('blur', () => {
    isKeyDown = false;
    release();
    disarm();
  });
}
